# %% [markdown]
# # How many heads?
#
# With `d_model` fixed, 1, 2, 4 or 8 heads cost the same: 4224 numbers in the attention layer for `d_model = 32`, the
# same arithmetic. So the number of heads is a free choice, and only an experiment can tell which one is good. You will
# run that experiment on the task of the last notebook, and then do the harder half: find out what it **says**.
#
# ```
#            share of right positions
#            0.4          1.0
#   h = 1    ● ●          ● ●          each dot is one run with a seed of its own
#   h = 2    ●          ● ● ●
#   h = 4             ● ● ● ●          a run either solves the task (right)
#   h = 8             ● ● ● ●          or gets stuck (left); hardly anything is between
# ```
#
# Four against two solved seeds out of four looks like a clear win. Is it? You will be asked to let a rule decide, and
# to notice when the rule is asked the wrong question.
#
# About 90 minutes, 20 points. Training a model takes one to three seconds, the whole experiment about a minute. Your
# functions are judged by what they return for other numbers; a trained model by its answers to new data.
#
# | letter | meaning |
# |---|---|
# | `h` | heads, 1, 2, 4 or 8; `d_k = 32 / h` |
# | seed | start of one run: parameters and data. **Paired** means: the same seeds for every `h` |
# | SD, SE | standard deviation; standard error of a mean |

# %% locked setup
"""Imports, the data and the model of the last notebook."""

import math
import os

import matplotlib.pyplot as plt
import torch
import torch.nn as nn
import torch.nn.functional as F

K, N = 8, 12

# While a submission is graded, the long experiment is cut short: it earns no points.
quick = "NBGRADER_EXECUTION" in os.environ


def make_batch(m, generator):
    """m sequences and their targets: X (m, N), previous (m, N - 1), first (m, N - 1)."""
    X = torch.randint(0, K, (m, N), generator=generator)
    return X, X[:, :-1], X[:, :1].expand(m, N - 1)


class Attention(nn.Module):
    """Self-attention; a head whose entry in keep (h,) is 0 is taken away before W_o."""

    def __init__(self, d_model, h):
        super().__init__()
        self.h, self.d_k = h, d_model // h
        self.W_qkv = nn.Linear(d_model, 3 * d_model)
        self.W_o = nn.Linear(d_model, d_model)

    def forward(self, x, keep=None):
        m, n, d_model = x.shape
        QKV = self.W_qkv(x).view(m, n, 3, self.h, self.d_k)
        Q, Keys, V = QKV.permute(2, 0, 3, 1, 4)  # (m, h, n, d_k) each
        scores = Q @ Keys.transpose(-2, -1) / self.d_k**0.5  # (m, h, n, n)
        weights = torch.softmax(scores, dim=-1)
        context = weights @ V  # (m, h, n, d_k)
        if keep is not None:
            context = context * keep[None, :, None, None]
        return self.W_o(context.transpose(1, 2).reshape(m, n, d_model)), weights


class TwoTargetModel(nn.Module):
    """Answers for every position but the first: what stood before it, and what stood first?"""

    def __init__(self, h, d_model=32):
        super().__init__()
        self.token = nn.Embedding(K, d_model)
        self.position = nn.Embedding(N, d_model)
        self.attention = Attention(d_model, h)
        self.previous = nn.Sequential(nn.Linear(d_model, 64), nn.ReLU(), nn.Linear(64, K))
        self.first = nn.Sequential(nn.Linear(d_model, 64), nn.ReLU(), nn.Linear(64, K))

    def forward(self, X, keep=None):
        """X (m, N) -> previous (m, N - 1, K), first (m, N - 1, K), weights (m, h, N, N)."""
        x = self.token(X) + self.position(torch.arange(N))  # (m, N, d_model)
        fetched, weights = self.attention(x, keep)
        x = (x + fetched)[:, 1:]  # (m, N - 1, d_model)
        return self.previous(x), self.first(x), weights


for h in (1, 2, 4, 8):
    model = TwoTargetModel(h)
    inside = sum(parameter.numel() for parameter in model.attention.parameters())
    whole = sum(parameter.numel() for parameter in model.parameters())
    print(f"h = {h}: d_k = {32 // h:>2}, attention {inside} numbers, the whole model {whole}")

# %% [markdown]
# ## 1. One run
#
# `both_right(previous, first, X)` takes the logits of both answers, `(m, n - 1, K)` each, and the sequences `X` `(m,
# n)`. It returns the share of positions at which **both** answers are right, as a plain number. (The answer is the
# token with the highest logit; the targets are `X[:, :-1]` and `X[:, 0]`.)
#
# `run_seed(h, seed, steps=400)` is one run: `torch.manual_seed(seed)`, a `TwoTargetModel(h)`, Adam with `lr=3e-3`, and
# `steps` batches of 64 sequences, all from one generator `torch.Generator().manual_seed(seed)`. The loss is the sum of
# two cross-entropies. It returns the model.
#
# With the same seed, models of every `h` see exactly the same data, in the same order. This is what makes the runs
# **paired**.


# %% solution run_seed
### BEGIN SOLUTION
def both_right(previous, first, X):
    """Share of positions at which both answers are right; logits (m, n - 1, K), X (m, n)."""
    right = (previous.argmax(-1) == X[:, :-1]) & (first.argmax(-1) == X[:, :1])  # (m, n - 1)
    return right.float().mean().item()


def run_seed(h, seed, steps=400):
    """Train a TwoTargetModel with h heads; seed decides on parameters and data."""
    torch.manual_seed(seed)
    model = TwoTargetModel(h)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    generator = torch.Generator().manual_seed(seed)
    for _ in range(steps):
        X, previous, first = make_batch(64, generator)
        said_previous, said_first, _weights = model(X)
        loss = F.cross_entropy(said_previous.flatten(0, 1), previous.flatten())
        loss = loss + F.cross_entropy(said_first.flatten(0, 1), first.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model


### STUB
# def both_right(previous, first, X):
#     """Share of positions at which both answers are right; logits (m, n - 1, K), X (m, n)."""
#     raise NotImplementedError(
#         "both_right: argmax of each, compare with X[:, :-1] and X[:, :1], join with &, average"
#     )
#
#
# def run_seed(h, seed, steps=400):
#     """Train a TwoTargetModel with h heads; seed decides on parameters and data."""
#     raise NotImplementedError(
#         "run_seed: seed, model, Adam, generator; then batch, losses, zero_grad, backward, step"
#     )
### END SOLUTION

# %% tests run_seed points=5
# Four answers each: `previous` is right in the first three, `first` in the last three. Both are
# right in two of four, so one half.
X = torch.tensor([[3, 1, 4, 1, 5]])  # what stood before: 3 1 4 1; what stood first: 3 3 3 3
previous = F.one_hot(torch.tensor([[3, 1, 4, 0]]), K).float()  # (m, n - 1, K)
first = F.one_hot(torch.tensor([[0, 3, 3, 3]]), K).float()
share = both_right(previous, first, X)
print("both answers are right at", share, "of the positions")
assert abs(share - 0.5) < 1e-6, (
    "both_right: at two of the four positions both answers are right"
)

test_X = make_batch(500, torch.Generator().manual_seed(9))[0]
before, after = (both_right(*run_seed(2, 0, steps)(test_X)[:2], test_X) for steps in (0, 40))
print(f"untrained {before:.3f}, after 40 steps {after:.3f} (guessing both: 1/64 = 0.016)")
assert after > before + 0.02, "run_seed: after 40 steps more answers should be right"
print("run_seed: the tiny example is right")

# %% [markdown]
# ## 2. The paired difference
#
# Run `h = 1` and `h = 4` with the same seeds and take the difference seed by seed. What the seed does to both runs
# alike drops out. From `n` differences $d_1, \dots, d_n$:
#
# $$\bar d = \frac{1}{n}\sum_s d_s, \qquad
#   \mathrm{SD} = \sqrt{\frac{1}{n-1}\sum_s (d_s - \bar d)^2}, \qquad
#   \mathrm{SE} = \frac{\mathrm{SD}}{\sqrt{n}}$$
#
# SD says how much single differences scatter, SE how far their mean may be off. A common rule of thumb calls a
# difference **significant** when it is further than 2 SE away from 0, in either direction.
#
# `paired_difference(a, b)` takes two lists of results, seed by seed, and returns three plain Python values: the mean of
# `b - a`, its SE, and True or False for "significant".


# %% solution paired_difference
### BEGIN SOLUTION
def paired_difference(a, b):
    """Mean of b - a over the seeds, its SE, and whether it is further than 2 SE from 0."""
    d = torch.tensor(b, dtype=torch.float64) - torch.tensor(a, dtype=torch.float64)  # (n,)
    mean, se = d.mean().item(), (d.std(correction=1) / math.sqrt(len(d))).item()
    return mean, se, abs(mean) > 2 * se


### STUB
# def paired_difference(a, b):
#     """Mean of b - a over the seeds, its SE, and whether it is further than 2 SE from 0."""
#     raise NotImplementedError(
#         "paired_difference: differences seed by seed, mean, SD with n - 1, SE, the 2 SE rule"
#     )
### END SOLUTION

# %% tests paired_difference points=4
# Differences 1, 2 and 3: mean 2, SD 1, SE 1 / sqrt(3).
mean, se, significant = paired_difference([1.0, 1.0, 1.0], [2.0, 3.0, 4.0])
print(f"mean {mean:.4f}, SE {se:.4f}, significant: {significant}")
assert abs(mean - 2) < 1e-6, "paired_difference: the mean of 1, 2 and 3 is 2"
assert abs(se - 1 / math.sqrt(3)) < 1e-6, (
    "paired_difference: SD is 1 here (with n - 1 = 2 below), so SE is 1 / sqrt(3)"
)
assert significant is True, (
    "paired_difference: 2 is further than 2 * 0.577 from 0, so the third value should be True"
)

# The lesson's run: h = 1 solves two of four seeds, h = 4 all of them.
mean, se, significant = paired_difference([0.444, 1.0, 0.401, 1.0], [1.0, 1.0, 1.0, 1.0])
print(f"h = 4 against h = 1: {mean:+.4f}, SE {se:.4f}, significant: {significant}")
assert significant is False, "paired_difference: 0.2888 is not further than 2 * 0.167 from 0"
print("paired_difference: the tiny example is right")

# %% [markdown]
# Four of four against two of four, and "not significant"! The rule is not broken. It was made for results that scatter
# around a mean like a bell. Ours do not: a seed ends near 1.0 or near 0.4, nothing ends at 0.7. Two heaps make a large
# SD, four seeds make `sqrt(n)` small, and the mean describes a run that never happens.
#
# ## 3. A better question: how often is it solved?
#
# Call a seed **solved** when more than 0.95 of its positions are right. What we want to know is the *share* of seeds
# that solve the task. For `k` of `n` seeds the share is $p = k / n$, and **Wilson's** interval says between which ends
# the true share may lie, with `z = 1.96`:
#
# $$\frac{p + \frac{z^2}{2n}}{1 + \frac{z^2}{n}} \;\pm\;
#   \frac{z}{1 + \frac{z^2}{n}} \sqrt{\frac{p\,(1 - p)}{n} + \frac{z^2}{4 n^2}}$$
#
# (The plain $p \pm z\sqrt{p(1-p)/n}$ has no width at all for four of four. Wilson's does not fall into this trap.)
#
# `success_share(results)` takes a list of results, one for each seed, and returns four plain numbers: how many are
# solved, the share, and the lower and the upper end of the interval.


# %% solution success_share
### BEGIN SOLUTION
def success_share(results):
    """Solved seeds (above 0.95), their share, and both ends of Wilson's interval (z = 1.96)."""
    n, z = len(results), 1.96
    solved = sum(result > 0.95 for result in results)
    p = solved / n
    centre = (p + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * math.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
    return solved, p, centre - half, centre + half


### STUB
# def success_share(results):
#     """Solved seeds (above 0.95), their share, and both ends of Wilson's interval (z = 1.96)."""
#     raise NotImplementedError(
#         "success_share: count what is above 0.95, divide by n, then centre and half width"
#     )
### END SOLUTION

# %% tests success_share points=4
for results in ([0.444, 1.0, 0.401, 1.0], [1.0, 1.0, 1.0, 1.0], [1.0] * 19 + [0.4]):
    solved, share, low, high = success_share(results)
    print(f"{solved} of {len(results)} solved: share {share:.2f}, {low:.2f} to {high:.2f}")
solved, share, low, high = success_share([0.444, 1.0, 0.401, 1.0])
assert solved == 2, "success_share: two of these four seeds are solved"
assert abs(share - 0.5) < 1e-6, (
    "success_share: two of four is a share of 0.5 (the mean result is something else)"
)
assert abs(low + high - 1) < 1e-6, (
    "success_share: for one half, the interval should lie evenly around one half"
)
assert abs(low - 0.15) < 0.005, "success_share: for two of four the lower end should be 0.15"
assert abs(success_share([1.0] * 4)[2] - 0.51) < 0.005, (
    "success_share: for four of four the lower end should be 0.51"
)
print("success_share: the tiny example is right")
print("0.15 to 0.85 and 0.51 to 1.00 overlap: four seeds are too few")

# %% [markdown]
# ## 4. How much does one head matter?
#
# With many heads the work may be spread, so that no head is the only one that can do something. Take away one head
# after the other and see how far the result **drops** from what the same seed reached with all heads.
#
# `redundancy(full, ablated)` takes `full` `(seeds,)`, the results of whole models, and `ablated` `(seeds, h)`, the
# results of the same models with head `i` taken away. It returns two plain numbers: the mean drop over all seeds and
# heads, and the largest single drop.


# %% solution redundancy
### BEGIN SOLUTION
def redundancy(full, ablated):
    """Mean and largest drop from full (seeds,) to ablated (seeds, h), one head taken away."""
    drops = full[:, None] - ablated  # (seeds, h)
    return drops.mean().item(), drops.max().item()


### STUB
# def redundancy(full, ablated):
#     """Mean and largest drop from full (seeds,) to ablated (seeds, h), one head taken away."""
#     raise NotImplementedError(
#         "redundancy: full[:, None] - ablated is the drop of each seed and head; mean, maximum"
#     )
### END SOLUTION

# %% tests redundancy points=3
# Seed 0 falls from 1.0 to 0.2 or 0.9, seed 1 from 0.5 to 0.4 or 0.5: drops 0.8, 0.1, 0.1 and 0.
mean, largest = redundancy(torch.tensor([1.0, 0.5]), torch.tensor([[0.2, 0.9], [0.4, 0.5]]))
print(f"mean drop {mean:.3f}, largest drop {largest:.3f}")
assert abs(mean - 0.25) < 1e-6, "redundancy: the mean of the drops 0.8, 0.1, 0.1 and 0 is 0.25"
assert abs(largest - 0.8) < 1e-6, (
    "redundancy: the largest drop is 0.8, of one seed and one head"
)
print("redundancy: the tiny example is right")

# %% [markdown]
# ## 5. Read the table
#
# `conclusion(heads, results)` takes the numbers of heads, a list such as `[1, 2, 4, 8]`, and for each of them a list of
# results, seed by seed (paired: the same seeds in the same order). It returns three lists of numbers of heads, each in
# the order of `heads`:
#
# 1. the **best**: those with the highest mean result. Equal means (to `1e-6`) are all named;
# 2. the **split** ones: some seed is solved (above 0.95) and some other is stuck (below 0.5), so that the mean
#    describes nobody;
# 3. those that differ **significantly** from the first one by the rule of task 2. (The first one is not compared with
#    itself.)


# %% solution conclusion
### BEGIN SOLUTION
def conclusion(heads, results):
    """Three lists of h: the best, those split into solved and stuck, the significant ones.

    heads is a list of h; results holds for each of them a list of results, seed by seed.
    """
    means = [sum(row) / len(row) for row in results]
    best = [h for h, mean in zip(heads, means, strict=True) if mean > max(means) - 1e-6]
    table = dict(zip(heads, results, strict=True))
    split = [h for h, row in table.items() if max(row) > 0.95 and min(row) < 0.5]
    significant = [h for h in heads[1:] if paired_difference(results[0], table[h])[2]]
    return best, split, significant


### STUB
# def conclusion(heads, results):
#     """Three lists of h: the best, those split into solved and stuck, the significant ones.
#
#     heads is a list of h; results holds for each of them a list of results, seed by seed.
#     """
#     raise NotImplementedError(
#         "conclusion: three lists of h, in the order of heads: best, split, significant"
#     )
### END SOLUTION

# %% tests conclusion points=4
# The lesson's table.
table = [[0.444, 1.0, 0.401, 1.0], [1.0, 1.0, 0.404, 1.0], [1.0] * 4, [1.0] * 4]
best, split, significant = conclusion([1, 2, 4, 8], table)
print("best:", best, " split:", split, " significant:", significant)
assert list(best) == [4, 8], "conclusion: h = 4 and h = 8 share the highest mean, 1.0"
assert list(split) == [1, 2], "conclusion: h = 1 and h = 2 have solved seeds and stuck ones"
assert list(significant) == [], (
    "conclusion: by the 2 SE rule no h differs from h = 1; four seeds are too few"
)
print("conclusion: the tiny example is right")

# %% [markdown]
# ## The experiment
#
# Four numbers of heads, four seeds each, 400 steps. One cell for each `h`, so that you can watch. Your figures will
# differ from the lesson's in the last digits (on two machines the same script gave means of 0.711 and 0.688 for `h =
# 1`), and a seed near the edge may fall to the other side. What stays is the pattern.

# %% locked machinery
seeds = range(1) if quick else range(4)
results, drops = {}, {}


def experiment(h):
    """Run all seeds for one h; keeps the results and what is left without each head."""
    X = make_batch(1000, torch.Generator().manual_seed(9))[0]
    full, ablated = [], []
    for seed in seeds:
        model = run_seed(h, seed, 5 if quick else 400)
        with torch.no_grad():
            full.append(both_right(*model(X)[:2], X))
            ablated.append([both_right(*model(X, 1 - mask)[:2], X) for mask in torch.eye(h)])
    results[h], drops[h] = full, redundancy(torch.tensor(full), torch.tensor(ablated))
    print(f"h = {h}: mean {sum(full) / len(full):.4f}, seeds {[round(x, 3) for x in full]}")


def try_experiment(h):
    """Run it when the tasks it needs are done."""
    try:
        experiment(h)
    except NotImplementedError as missing:
        print("The experiment runs once the tasks above are done. Still to do:", missing)


# %% locked one_head
try_experiment(1)

# %% locked two_heads
try_experiment(2)

# %% locked four_heads
try_experiment(4)

# %% locked eight_heads
try_experiment(8)


# %% locked summary
def draw():
    """Draw every seed, and the share of solved seeds with its interval."""
    _figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.5), layout="constrained")
    for place, h in enumerate(results):
        _solved, share, low, high = success_share(results[h])
        left.plot(results[h], [place + 0.08 * s for s in range(4)], "o")
        right.plot([low, share, high], [place] * 3, "o-", markevery=[1], color=f"C{place}")
    left.set(title="each dot is a seed", xlabel="share of positions with both answers right")
    right.set(title="solved seeds, Wilson's interval", xlabel="share of solved seeds")
    for axis in (left, right):
        axis.set(xlim=(-0.02, 1.05), yticks=range(4), yticklabels=[f"h = {h}" for h in results])
    plt.show()


if len(results) == 4 and len(seeds) > 1:
    try:
        for h in (2, 4, 8):
            mean, se, significant = paired_difference(results[1], results[h])
            print(
                f"h = {h} against h = 1: {mean:+.4f}, SE {se:.4f}, significant: {significant}"
            )
        for h in (2, 4, 8):
            mean, largest = drops[h]
            print(f"h = {h}: one head less costs {mean:.3f} on the mean, {largest:.3f} at most")
        best, split, significant = conclusion(list(results), list(results.values()))
        print("best:", best, " split:", split, " significant:", significant)
        draw()
    except NotImplementedError as missing:
        print("The summary is drawn once all tasks are done. Still to do:", missing)

# %% [markdown]
# In the lesson, taking away one head costs 0.688 on the mean with two heads, 0.205 with four and 0.041 with eight. With
# two heads each is the only one who can do its job; with eight the job is spread. That is what more heads buy here: not
# parameters, not arithmetic, but **spares**.
#
# ## What went wrong?
#
# - **SE is too small by a factor of 0.87 for four seeds.** You divided by `n`, not by `n - 1`. `numpy.std` does so
#   unless told `ddof=1`; `torch.std` and `statistics.stdev` do not.
# - **SE is too large.** Is it SE or still SD? Did you take the differences first, or add the scatter of both lists?
# - **A worse `h` is never significant.** The rule looks in both directions: take the absolute value.
# - **The share of solved seeds is 0.71.** This is the mean result. A seed counts as solved or not, nothing between.
# - **The interval has no width at four of four, or ends above 1.** This is the plain one, not Wilson's.
# - **One best `h` where there are two.** `argmax` and `max(..., key=...)` stop at the first of equals.
#
# One to think about: how many seeds would you run to tell "solves half of the time" from "solves nearly always"? Use
# your `success_share` to find out from which number on the two intervals stop to overlap.
