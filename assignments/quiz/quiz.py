# %% [markdown]
# # Quiz: multi-head attention in twelve questions
#
# Twelve questions on shapes, cost, masks and experiments, and two short texts to write. About 45 minutes,
# 26 points. Pencil and paper help more than the kernel does, but you may try things out in cells of your own.
#
# **How to answer.** Every question has a cell with a variable, `q01` to `q12`. Put your answer there in place of
# `None`; what stays `None` counts as unanswered. The cell below it looks at the *form* of your answer. It does not
# know whether the answer is right.
#
# | asked for | write, for example | also read |
# |---|---|---|
# | a whole number | `q01 = 1000` | `1_000`, `"1 234"`, `1000.0` |
# | a number | `q07 = 2.24` | `5 ** 0.5`, `"sqrt(5)"` |
# | a shape | `q02 = (2, 3, 5, 7)` | `[2, 3, 5, 7]`, `x.shape`, `"2x3x5x7"` |
# | an option | `q09 = "a"` | `"A"`, `"a)"` |
# | several parts | `q08 = (3, 0.5)` | a list |
#
# An answer that cannot be read is reported as such and not as wrong. Parts are graded one by one, and a part may be
# `None`. A shape with the right sizes in the wrong order earns half.
#
# **Letters.** `B` examples in a batch, `n` tokens, `d_model` numbers per token, `h` heads, `d_k = d_model / h`
# numbers per token in one head. `W_q`, `W_k`, `W_v`, `W_o` are the four linear layers.

# %% [markdown]
# ## 1. Shapes inside the layer
#
# Follow one input through the layer: split into heads, compare, weigh.

# %% question q01 points=1

# %% question q02 points=2

# %% question q03 points=2

# %% [markdown]
# ## 2. Parameters and the module of PyTorch
#
# What is stored, and what `nn.MultiheadAttention` hands back.

# %% question q04 points=2

# %% question q05 points=2

# %% question q06 points=2

# %% [markdown]
# ## 3. Scale, cost and masks
#
# What changes with the number of heads and what does not; whom a mask hides; queries that meet other keys.

# %% question q07 points=1

# %% question q08 points=2

# %% question q09 points=1

# %% question q10 points=3

# %% [markdown]
# ## 4. What an experiment shows
#
# In both experiments a small model predicts two targets at every position: the token just before (`previous`) and
# the first token of the sequence (`first`). Choose a claim and the reason that carries it, then write the argument in
# your own words; a person reads what you write.

# %% question q11 points=2

# %% [markdown]
# ### Question 11 · In your own words (2 points)
#
# A classmate says: "There was no need to switch anything off. I saw in the weights that this head looks at the right
# tokens, and that tells the same." In two to four sentences: does it tell the same, and how far does the result of the
# experiment reach?

# %% manual q11_why [markdown] points=2
# Weights tell where a head looks. They go together with a good prediction, but the rest of the model might ignore what
# the head brings, so they leave us with a suspicion. In the experiment only this one head was silenced, everything else
# stayed as it was, and exactly one target fell to chance while the other was untouched: the head is a cause of the
# success on that target. This holds for the one trained model that was examined; another seed may share out the work
# differently, so a general claim would need the same test on many seeds.
#
# *For the grader:* 1 point for cause against correlation (one thing changed, one target fell), 1 point for the limit
# (this model, this head, not every model).

# %% question q12 points=2

# %% [markdown]
# ### Question 12 · In your own words (2 points)
#
# Another classmate says: "Four of four against two of four, what more do you want?" In two to four sentences: answer
# with the numbers of this experiment, say where the standard error comes from, and how you would measure the difference
# better.

# %% manual q12_why [markdown] points=2
# The results have two peaks: a seed either solves the task, with an accuracy near 1.0, or stays near 0.4, and hardly
# anything lies between. The paired differences are therefore either 0 or about 0.6, they scatter widely around their
# mean of +0.2888, and with only four of them the standard error is 0.1669; twice that is more than the mean. A mean
# describes such results badly: it is better to count the share of seeds that succeed and to run many more seeds, twenty
# or more for each model, before anything is claimed. Not established is also not the same as equal.
#
# *For the grader:* 1 point for two peaks and few seeds as the source of the error, 1 point for a better measurement
# (share of successes, more seeds).

# %% [markdown]
# ## Before you hand in
#
# Restart the kernel and run all cells. Every check should say that the form is right; `not answered yet` is a reminder.
