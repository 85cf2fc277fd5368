# %% [markdown]
# # Bug hunt: seven ways to break multi-head attention
#
# Below are seven small functions. Each one holds a bug that people really ship: five sit in short snippets that run
# or nearly run, two more are about sizes that do not fit. Your job is to **see what each bug does, say it in one
# word, and mend it**.
#
# About 45 minutes, 28 points: for each of the seven tasks 1 point for the symptom and 3 for the repair.
#
# **How to work through a task**
#
# 1. Run the function as it is, then the check below it. Look at what happens *before* you change anything.
# 2. Name the symptom in the first line of the cell, as a string:
#     - `"crash"`: Python stops with an exception;
#     - `"wrong shape"`: it runs, but the result has not the shape that was asked for;
#     - `"silent"`: it runs, the shape is right, and the numbers are wrong. (NaN is a wrong number too.)
# 3. Mend the function and run the check again.
#
# A check that still fails does no harm to the other tasks. The checks here use tiny examples; your work is graded
# with fresh numbers and other sizes. Any style will do: `view`, `reshape`, `permute`, `einsum`, loops, as long as the
# function keeps its name and its arguments and returns what is asked for.
#
# **Letters**
#
# | letter | meaning |
# |---|---|
# | `B` | sentences in the batch |
# | `n` | tokens in a sentence, padding included |
# | `d_model` | numbers per token |
# | `h` | heads |
# | `d_k` | numbers per token in one head, `d_model / h` |

# %% locked setup
"""Imports and small helpers of the bug hunt. Read them once, they are used in the checks."""

import math
import os

import matplotlib.pyplot as plt
import torch
import torch.nn as nn

# Three tokens, two heads of two columns.
# Every entry says where it comes from: 10 * token + head.
coded = torch.tensor([[[0.0, 0, 1, 1], [10, 10, 11, 11], [20, 20, 21, 21]]])  # (1, 3, 4)


def remind(name, symptom):
    """Say when a symptom is missing or misspelt; never whether it is the right one."""
    if symptom is None:
        print(f"{name}_symptom is still None: what did this check do while the bug was in?")
    elif symptom not in ("crash", "wrong shape", "silent"):
        print(f'{name}_symptom should be "crash", "wrong shape" or "silent"')


def equal_attention(d_model):
    """Parameters with which every token looks at all tokens alike and answers their mean."""
    zero, one = torch.zeros(d_model, d_model), torch.eye(d_model)
    return {
        "in_proj_weight": torch.cat([zero, zero, one]),  # W_q, W_k, W_v, one above the other
        "in_proj_bias": torch.zeros(3 * d_model),
        "out_proj.weight": one,
        "out_proj.bias": torch.zeros(d_model),
    }


def picture(out, sentences):
    """Draw how much of token j (column) went into the answer for token i (row)."""
    if os.environ.get("NBGRADER_EXECUTION"):
        return  # nobody looks at pictures while grading
    _figure, axes = plt.subplots(1, len(sentences), figsize=(3 * len(sentences), 3))
    for axis, weights, sentence in zip(axes, out, sentences, strict=True):
        axis.imshow(weights.detach().numpy(), vmin=0, vmax=1)
        axis.set_xticks(range(len(sentence)), sentence)
        axis.set_yticks(range(len(sentence)), sentence)
    plt.show()


# %% [markdown]
# ## 1. A view that is too short
#
# Heads are made without arithmetic: the `d_model` numbers of each token are dealt out, the first `d_k` to head 0, the
# next `d_k` to head 1, and so on. Every head must still see **every token**, in order.
#
# `wrong_view(x, h)` takes `x` of shape `(B, n, d_model)` and should return the heads, `(B, h, n, d_k)`: the entry
# `[b, i, t]` holds columns `i * d_k` to `(i + 1) * d_k` of token `t`.

# %% solution wrong_view
### BEGIN SOLUTION
wrong_view_symptom = "silent"


def wrong_view(x, h):
    """Split (B, n, d_model) into heads: (B, h, n, d_k)."""
    B, n, d_model = x.shape
    d_k = d_model // h
    return x.view(B, n, h, d_k).transpose(1, 2)  # (B, h, n, d_k)


### STUB
# wrong_view_symptom = None  # "crash", "wrong shape" or "silent"
#
#
# def wrong_view(x, h):
#     """Split (B, n, d_model) into heads: (B, h, n, d_k)."""
#     B, n, d_model = x.shape
#     d_k = d_model // h
#     return x.view(B, h, n, d_k)
### END SOLUTION

# %% tests wrong_view points=4
remind("wrong_view", wrong_view_symptom)

# In `coded` every entry is 10 * token + head, so you can read off where a number came from.
heads = wrong_view(coded, 2)
print("asked for (1, 2, 3, 2), got", tuple(heads.shape))
print("head 0, token by token:", heads[0, 0].tolist())
print("head 1, token by token:", heads[0, 1].tolist())
assert heads.shape == (1, 2, 3, 2), (
    "wrong_view: the heads should have shape (B, h, n, d_k) = (1, 2, 3, 2)"
)
assert heads[0, 0].tolist() == [[0, 0], [10, 10], [20, 20]], (
    "wrong_view: head 0 should hold the entries that end in 0, "
    "one row for each of the tokens 0, 1, 2"
)
assert heads[0, 1].tolist() == [[1, 1], [11, 11], [21, 21]], (
    "wrong_view: head 1 should hold the entries that end in 1, "
    "one row for each of the tokens 0, 1, 2"
)
print("wrong_view: the tiny example is right")

# %% [markdown]
# ## 2. Gluing the heads together
#
# After attention each head has its own answer for each token. They are laid side by side again, so that one row holds
# everything the heads say about **one** token: first head 0, then head 1, and so on.
#
# `missing_transpose(weights, V)` takes the weights `(B, h, n_q, n_k)` and the values `(B, h, n_k, d_k)` and should
# return the joined answers, `(B, n_q, h * d_k)`. Mostly `n_q` and `n_k` are both `n`; in cross-attention they differ.

# %% solution missing_transpose
### BEGIN SOLUTION
missing_transpose_symptom = "silent"


def missing_transpose(weights, V):
    """Attend with (B, h, n_q, n_k) weights and join the heads: (B, n_q, h * d_k)."""
    out = weights @ V  # (B, h, n_q, d_k)
    B, h, n_q, d_k = out.shape
    return out.transpose(1, 2).reshape(B, n_q, h * d_k)  # (B, n_q, h * d_k)


### STUB
# missing_transpose_symptom = None  # "crash", "wrong shape" or "silent"
#
#
# def missing_transpose(weights, V):
#     """Attend with (B, h, n_q, n_k) weights and join the heads: (B, n_q, h * d_k)."""
#     out = weights @ V  # (B, h, n_q, d_k)
#     B, h, n_q, d_k = out.shape
#     return out.reshape(B, n_q, h * d_k)
### END SOLUTION

# %% tests missing_transpose points=4
remind("missing_transpose", missing_transpose_symptom)

# Every token looks only at itself, so each head answers with its own values: 10 * token + head.
look_at_yourself = torch.eye(3).expand(1, 2, 3, 3)  # (B, h, n, n)
V = torch.stack([coded[0, :, :2], coded[0, :, 2:]])[None]  # (B, h, n, d_k)
joined = missing_transpose(look_at_yourself, V)
print("asked for (1, 3, 4), got", tuple(joined.shape))
for position, row in enumerate(joined[0].tolist()):
    print(f"token {position}: {row}")
assert joined.shape == (1, 3, 4), (
    "missing_transpose: the result should have shape (B, n, h * d_k) = (1, 3, 4)"
)
assert joined[0, 0].tolist() == [0, 0, 1, 1], (
    "missing_transpose: the row of token 0 should be 0, 0 (from head 0) and 1, 1 (from head 1)"
)
assert torch.equal(joined, coded), (
    "missing_transpose: row t should hold only numbers of token t, from 10 t to 10 t + 1"
)
print("missing_transpose: the tiny example is right")

# %% [markdown]
# ## 3. Which axis is the batch?
#
# Sentences in a batch are strangers: what one sentence says must never leak into the answer for another.
#
# `batch_first(x, state, h)` takes sentences `x` of shape `(B, n, d_model)` and the parameters `state` of a trained
# `nn.MultiheadAttention(d_model, h)`. It should return the self-attention output, `(B, n, d_model)`, each sentence
# attending to itself.

# %% solution batch_first
### BEGIN SOLUTION
batch_first_symptom = "silent"


def batch_first(x, state, h):
    """Self-attention of the sentences x (B, n, d_model), parameters given: (B, n, d_model)."""
    mha = nn.MultiheadAttention(x.shape[-1], h, batch_first=True)
    mha.load_state_dict(state)
    out, _ = mha(x, x, x)  # (B, n, d_model)
    return out


### STUB
# batch_first_symptom = None  # "crash", "wrong shape" or "silent"
#
#
# def batch_first(x, state, h):
#     """Self-attention of the sentences x (B, n, d_model), parameters given: (B, n, d_model)."""
#     mha = nn.MultiheadAttention(x.shape[-1], h)
#     mha.load_state_dict(state)
#     out, _ = mha(x, x, x)
#     return out
### END SOLUTION

# %% tests batch_first points=4
remind("batch_first", batch_first_symptom)

# Two sentences of three tokens. With equal attention every answer is the mean of all tokens
# that were looked at.
x = torch.tensor([[0.0, 1.0, 2.0], [100.0, 101.0, 102.0]])
x = x[:, :, None].repeat(1, 1, 4)  # (2, 3, 4)
with torch.no_grad():
    out = batch_first(x, equal_attention(4), 2)
print("asked for (2, 3, 4), got", tuple(out.shape))
for sentence in range(2):
    print(f"sentence {sentence} holds {x[sentence, :, 0].tolist()}, ", end="")
    print(f"its answers are {out[sentence, :, 0].tolist()}")
assert out.shape == (2, 3, 4), "batch_first: the output should have the shape of x, (2, 3, 4)"
assert torch.allclose(out[0].float(), torch.tensor(1.0)), (
    "batch_first: sentence 0 should answer 1 everywhere, the mean of its own tokens 0, 1, 2"
)
assert torch.allclose(out[1].float(), torch.tensor(101.0)), (
    "batch_first: sentence 1 should answer 101 everywhere, "
    "the mean of its own tokens 100, 101, 102"
)
print("batch_first: the tiny example is right")

# %% [markdown]
# ## 4. A mask the wrong way round
#
# Short sentences are filled up with padding. Nobody should look at padding, and everybody should be able to look at
# the real tokens.
#
# `inverted_mask(x, token, state, h)` takes `x` of shape `(B, n, d_model)`, a bool tensor `token` `(B, n)` that is
# **True at real tokens** and False at padding, and the parameters `state` of a `nn.MultiheadAttention(d_model, h)`.
# It should return the self-attention output `(B, n, d_model)` in which no token has looked at padding. (The rows of
# the padding itself mean nothing and are not graded. Every sentence has at least one real token.)

# %% solution inverted_mask
### BEGIN SOLUTION
inverted_mask_symptom = "silent"


def inverted_mask(x, token, state, h):
    """Self-attention of x (B, n, d_model) that never looks at padding: (B, n, d_model).

    token (B, n) is True at real tokens.
    """
    mha = nn.MultiheadAttention(x.shape[-1], h, batch_first=True)
    mha.load_state_dict(state)
    out, _ = mha(x, x, x, key_padding_mask=~token)  # (B, n, d_model)
    return out


### STUB
# inverted_mask_symptom = None  # "crash", "wrong shape" or "silent"
#
#
# def inverted_mask(x, token, state, h):
#     """Self-attention of x (B, n, d_model) that never looks at padding: (B, n, d_model).
#
#     token (B, n) is True at real tokens.
#     """
#     mha = nn.MultiheadAttention(x.shape[-1], h, batch_first=True)
#     mha.load_state_dict(state)
#     out, _ = mha(x, x, x, key_padding_mask=token)
#     return out
### END SOLUTION

# %% tests inverted_mask points=4
remind("inverted_mask", inverted_mask_symptom)

# Token j is a 1 in column j, so with equal attention the answer shows how much each token was
# looked at.
x = torch.eye(4).repeat(2, 1, 1)  # (2, 4, 4)
token = torch.tensor([[True, True, False, False], [True, True, True, True]])  # (2, 4)
with torch.no_grad():
    out = inverted_mask(x, token, equal_attention(4), 2)
print("asked for (2, 4, 4), got", tuple(out.shape))
assert out.shape == (2, 4, 4), "inverted_mask: the output should have the shape of x, (2, 4, 4)"
picture(out, [["two", "words", "PAD", "PAD"], ["a", "full", "sentence", "here"]])
assert torch.allclose(out[0, :2].float(), torch.tensor([0.5, 0.5, 0.0, 0.0])), (
    'inverted_mask: in the first sentence "two" and "words" should get half of the attention '
    "each, PAD none"
)
assert torch.allclose(out[1].float(), torch.tensor(0.25)), (
    "inverted_mask: the second sentence has no padding, "
    "so each of its four tokens should get a quarter"
)
print("inverted_mask: the tiny example is right")

# %% [markdown]
# ## 5. One head, please
#
# To find out what a head does, one looks at *its* weights: row `t` says how much token `t` looks at every token.
#
# `averaged_weights(x, state, h, i)` takes `x` of shape `(B, n, d_model)`, the parameters `state` of a
# `nn.MultiheadAttention(d_model, h)` and the number `i` of a head, counted from 0. It should return the
# self-attention weights of head `i`, `(B, n, n)`.


# %% locked two_heads
def two_heads():
    """Parameters for two heads.

    Head 0 looks at all tokens alike, head 1 only at the token with a 1 in column 0.
    """
    state = equal_attention(4)
    # Head 1 owns columns 2 and 3. Every token asks the same question there ...
    state["in_proj_bias"][2] = 1.0
    # ... and in W_k only a 1 in column 0 answers it, loudly.
    state["in_proj_weight"][4 + 2, 0] = 40.0
    return state


# %% solution averaged_weights
### BEGIN SOLUTION
averaged_weights_symptom = "wrong shape"


def averaged_weights(x, state, h, i):
    """Weights of head i in the self-attention of x (B, n, d_model): (B, n, n)."""
    mha = nn.MultiheadAttention(x.shape[-1], h, batch_first=True)
    mha.load_state_dict(state)
    _, W = mha(x, x, x, average_attn_weights=False)  # (B, h, n, n)
    return W[:, i]  # (B, n, n)


### STUB
# averaged_weights_symptom = None  # "crash", "wrong shape" or "silent"
#
#
# def averaged_weights(x, state, h, i):
#     """Weights of head i in the self-attention of x (B, n, d_model): (B, n, n)."""
#     mha = nn.MultiheadAttention(x.shape[-1], h, batch_first=True)
#     mha.load_state_dict(state)
#     _, W = mha(x, x, x)
#     return W[:, i]
### END SOLUTION

# %% tests averaged_weights points=4
remind("averaged_weights", averaged_weights_symptom)

# Four tokens, token j is a 1 in column j. Head 0 looks at everybody alike, head 1 only at the
# first token.
x = torch.eye(4)[None]  # (1, 4, 4)
with torch.no_grad():
    head_0, head_1 = (averaged_weights(x, two_heads(), 2, i) for i in range(2))
print("asked for (1, 4, 4), got", tuple(head_0.shape), "and", tuple(head_1.shape))
print("head 0:", head_0.tolist())
print("head 1:", head_1.tolist())
assert head_0.shape == (1, 4, 4), (
    "averaged_weights: one head should have weights of shape (B, n, n) = (1, 4, 4)"
)
assert torch.allclose(head_0.float(), torch.tensor(0.25)), (
    "averaged_weights: head 0 should give every token a quarter"
)
assert torch.allclose(head_1.float(), torch.tensor([1.0, 0.0, 0.0, 0.0])), (
    "averaged_weights: head 1 should give the first token everything and the others nothing"
)
print("averaged_weights: the tiny example is right")

# %% [markdown]
# ## 6. The wrong square root
#
# A score is a sum of `d_k` products, so it grows with the length of the vectors. Scaled dot-product attention divides
# that growth away, and a head should behave the same whether it works alone or beside others.
#
# `d_model_scaling(Q, K)` takes queries `(B, h, n_q, d_k)` and keys `(B, h, n_k, d_k)` and should return the attention
# weights of scaled dot-product attention, `(B, h, n_q, n_k)`. Each row adds up to 1.

# %% solution d_model_scaling
### BEGIN SOLUTION
d_model_scaling_symptom = "silent"


def d_model_scaling(Q, K):
    """Weights of scaled dot-product attention: (B, h, n_q, n_k).

    Q is (B, h, n_q, d_k), K is (B, h, n_k, d_k).
    """
    d_k = Q.shape[-1]
    scores = Q @ K.transpose(-2, -1) / d_k**0.5  # (B, h, n_q, n_k)
    return torch.softmax(scores, dim=-1)


### STUB
# d_model_scaling_symptom = None  # "crash", "wrong shape" or "silent"
#
#
# def d_model_scaling(Q, K):
#     """Weights of scaled dot-product attention: (B, h, n_q, n_k).
#
#     Q is (B, h, n_q, d_k), K is (B, h, n_k, d_k).
#     """
#     h, d_k = Q.shape[1], Q.shape[-1]
#     d_model = h * d_k
#     scores = Q @ K.transpose(-2, -1) / d_model**0.5
#     return torch.softmax(scores, dim=-1)
### END SOLUTION

# %% tests d_model_scaling points=4
remind("d_model_scaling", d_model_scaling_symptom)

# Four equal heads with d_k = 4, one query, two keys. The scores before scaling are 2 log 3 and
# 0; divided by the square root of 4 they are log 3 and 0: the first key should win by 3 to 1.
Q = torch.ones(1, 4, 1, 4)  # (B, h, n_q, d_k)
K = torch.zeros(1, 4, 2, 4)  # (B, h, n_k, d_k)
K[:, :, 0] = math.log(3) / 2
weights, alone = d_model_scaling(Q, K), d_model_scaling(Q[:, :1], K[:, :1])
print("asked for (1, 4, 1, 2), got", tuple(weights.shape))
print("head 0 beside three others:", weights[0, 0, 0].tolist())
print("head 0 alone:              ", alone[0, 0, 0].tolist())
assert weights.shape == (1, 4, 1, 2), (
    "d_model_scaling: the weights should have shape (B, h, n_q, n_k) = (1, 4, 1, 2)"
)
assert torch.allclose(weights.sum(-1).float(), torch.tensor(1.0)), (
    "d_model_scaling: each row should add up to 1"
)
assert torch.allclose(weights.float(), torch.tensor([0.75, 0.25])), (
    "d_model_scaling: every head should give the first key 0.75 and the second 0.25"
)
assert torch.allclose(weights[:, :1], alone), (
    "d_model_scaling: a head should not change because other heads are there"
)
print("d_model_scaling: the tiny example is right")

# %% [markdown]
# ## 7. Six numbers for four heads
#
# `d_model` numbers can only be dealt out fairly when `h` divides `d_model`. A function that finds out too late leaves
# its user with a message about something else, far from the cause; a kind function checks first and says what is
# wrong.
#
# `indivisible_heads(x, h)` takes `x` of shape `(B, n, d_model)`. When `h` divides `d_model` it should return the
# heads, `(B, h, n, d_k)`, as in task 1. When it does not, it should raise a `ValueError` (an `assert` is fine too)
# **whose message names both numbers**, `d_model` and `h`.

# %% solution indivisible_heads
### BEGIN SOLUTION
indivisible_heads_symptom = "crash"


def indivisible_heads(x, h):
    """Split (B, n, d_model) into heads (B, h, n, d_k); refuse if h does not divide d_model."""
    B, n, d_model = x.shape
    if d_model % h != 0:
        raise ValueError(f"d_model = {d_model} is not divisible by h = {h}")
    d_k = d_model // h
    return x.view(B, n, h, d_k).transpose(1, 2)  # (B, h, n, d_k)


### STUB
# indivisible_heads_symptom = None  # "crash", "wrong shape" or "silent"
#
#
# def indivisible_heads(x, h):
#     """Split (B, n, d_model) into heads (B, h, n, d_k); refuse if h does not divide d_model."""
#     B, n, d_model = x.shape
#     d_k = d_model // h
#     return x.view(B, n, h, d_k).transpose(1, 2)
### END SOLUTION

# %% tests indivisible_heads points=4
remind("indivisible_heads", indivisible_heads_symptom)

refusal = None
try:
    answer = indivisible_heads(torch.zeros(1, 2, 6), 4)
    print("six numbers for four heads: no refusal, got", answer)
except (ValueError, AssertionError) as error:
    refusal = str(error)
    print("six numbers for four heads: refused with the message", repr(refusal))
assert refusal is not None, (
    "indivisible_heads: six numbers cannot be dealt out to four heads, this should be refused"
)
assert all(number in refusal for number in "64"), (
    "indivisible_heads: the message should name both numbers, 6 and 4"
)
heads = indivisible_heads(coded, 2)
assert heads.shape == (1, 2, 3, 2), (
    "indivisible_heads: four numbers for two heads should go through as in task 1"
)
assert heads[0, 1].tolist() == [[1, 1], [11, 11], [21, 21]], (
    "indivisible_heads: head 1 should hold the entries that end in 1, "
    "one row for each of the tokens 0, 1, 2"
)
print("indivisible_heads: the tiny example is right")

# %% [markdown]
# ## What went wrong?
#
# Go back over your seven symptoms before you hand in. How many of the bugs would Python have told you about? How many
# would a check of the shape have found, and how many neither? For those, all that a training run shows is a loss that
# could be better.
#
# Each check above is a small tool that you can carry to your own code:
#
# - **Numbers that say where they come from.** `10 * token + head` turns a mixed-up reshape into something you can read.
# - **Attention that you can predict.** With equal weights every answer is a mean, and a stranger stands out.
# - **One short sentence and one full one.** Together they show which way round a mask is read.
# - **Sizes that all differ.** With `B`, `n`, `h` and `d_k` all different, no axis can pass for another.
# - **The same part in two surroundings.** A head alone and a head among others must agree.
# - **Refuse early.** One line that names the numbers saves the next reader an hour.
#
# One more thing to try: which of the seven bugs disappear when `h = 1`? It is why code that was only ever tried with
# one head deserves no trust.
