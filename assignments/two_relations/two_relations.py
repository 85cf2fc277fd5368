# %% [markdown]
# # One sentence, two relations
#
# > **Kedi masaya çıktı çünkü o yorulmuştu.** (The cat climbed onto the table because it was tired.)
#
# | token | gloss |
# |---|---|
# | `Kedi` | the cat |
# | `masaya` | onto the table |
# | `çıktı` | climbed |
# | `çünkü` | because |
# | `o` | it (Turkish has one word for he, she and it) |
# | `yorulmuştu` | was tired |
#
# Two questions about it have nothing to do with each other. *Who is `o`?* Answer: `Kedi`. *Where did `çıktı` lead to?*
# Answer: `masaya`. A head has one set of weights to ask with. Tuned for the first question, it is nearly blind to the
# second, and you will see by how much. Two heads ask both at once:
#
# ```
#                    columns of X
#             ┌ 0 1 2 3 ┐ ┌ 4 5 6 7 ┐
#             who is who?   where to?
#                  │            │
#             ┌────▼───┐   ┌────▼───┐              W_q = ┌ A  0 ┐    A: head 0
#             │ head 0 │   │ head 1 │                    └ 0  B ┘    B: head 1
#             └────┬───┘   └────┬───┘
#               o → Kedi     çıktı → masaya
#                  └──────┬─────┘
#                 laid side by side
# ```
#
# About 60 minutes, 10 points. The matrices here are written the way of a formula, `X @ W`: a row of `X` is a token, and
# nothing is transposed. There is one sentence only, so no batch axis.
#
# | letter | meaning |
# |---|---|
# | `n` | tokens |
# | `d_model` | numbers per token, 8 here |
# | `h` | heads, 2 here |
# | `d_k` | numbers per token in one head, 4 here |

# %% locked setup
"""The sentence, its embedding, and the projections of the two heads."""

import math

import matplotlib.pyplot as plt
import torch

# the cat, onto the table, climbed, because, it, was tired
tokens = ["Kedi", "masaya", "çıktı", "çünkü", "o", "yorulmuştu"]

# Columns 0 to 3 say who is who, columns 4 to 7 say what leads where.
X = torch.tensor(
    [
        [1.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [0.0, 1.5, 0.0, 0.0, 1.4, 0.0, 0.0, 0.0],
        [0.3, 0.3, 1.2, 0.0, 1.3, 0.2, 0.0, 0.0],
        [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.8],
        [1.3, 0.0, 0.0, 0.1, 0.0, 0.0, 0.0, 0.0],
        [0.2, 0.0, 0.9, 0.1, 0.0, 0.0, 1.0, 0.1],
    ]
)  # (n, d_model)


def three_matrices(seed):
    """W_q, W_k and W_v of one head, (4, 4) each; the seeds were searched for, not trained."""
    generator = torch.Generator().manual_seed(seed)
    return [torch.randn(4, 4, generator=generator) * 0.5 for _ in range(3)]


head_0 = three_matrices(2426)  # who is who
head_1 = three_matrices(9678)  # what leads where

# %% [markdown]
# ## 1. Two small matrices in a large one
#
# A layer has one large `W_q`, not one for each head. If it shall make head 0 from columns 0 to 3 alone, and head 1
# from columns 4 to 7 alone, everything else in it must be zero: two blocks on the diagonal.
#
# (A trained layer is not built like this. Its matrices are full, and what its heads are for comes out of training. The
# blocks make the idea visible.)
#
# `block_diagonal(A, B)` takes `(p, p)` and `(q, q)` and returns `(p + q, p + q)`.


# %% solution block_diagonal
### BEGIN SOLUTION
def block_diagonal(A, B):
    """Put A (p, p) at the upper left, B (q, q) at the lower right, zeros elsewhere.

    The result is (p + q, p + q).
    """
    p, q = A.shape[0], B.shape[0]
    whole = torch.zeros(p + q, p + q)
    whole[:p, :p] = A
    whole[p:, p:] = B
    return whole  # (p + q, p + q)


### STUB
# def block_diagonal(A, B):
#     """Put A (p, p) at the upper left, B (q, q) at the lower right, zeros elsewhere.
#
#     The result is (p + q, p + q).
#     """
#     raise NotImplementedError("block_diagonal: start from zeros and write two blocks into them")
### END SOLUTION

# %% tests block_diagonal points=3
small = block_diagonal(torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.tensor([[5.0]]))
print("blocks [[1, 2], [3, 4]] and [[5]] give")
for row in small.tolist():
    print("  ", row)
assert small.shape == (3, 3), "block_diagonal: blocks of size 2 and 1 should give (3, 3)"
assert small[:2, :2].tolist() == [[1, 2], [3, 4]], (
    "block_diagonal: the first block should stand at the upper left"
)
assert small[2, 2] == 5, "block_diagonal: the second block should stand at the lower right"
assert small[2, :2].tolist() + small[:2, 2].tolist() == [0, 0, 0, 0], (
    "block_diagonal: outside the two blocks everything should be zero"
)

# Why it works: a row of X times the matrix never mixes the two halves.
row = torch.tensor([[1.0, 1.0, 100.0]])
print("(1, 1, 100) @ blocks =", (row @ small.float()).tolist(), "- 100 stays in its column")
print("block_diagonal: the tiny example is right")

# %% [markdown]
# ## 2. Where does each head look?
#
# With the large matrices, `Q = X @ W_q` and `K = X @ W_k` are `(n, d_model)`. Deal the columns out to the heads, the
# first `d_k` to head 0 and so on, and compare queries with keys inside each head:
#
# $$\text{weights}_i = \operatorname{softmax}\!\left(\frac{Q_i K_i^\top}{\sqrt{d_k}}\right)$$
#
# `head_patterns(X, W_q, W_k, h)` takes `X` `(n, d_model)` and two matrices `(d_model, d_model)` and returns the weights
# of all heads, `(h, n, n)`: row `t` of head `i` says how much token `t` looks at each token. It adds up to 1.


# %% solution head_patterns
### BEGIN SOLUTION
def head_patterns(X, W_q, W_k, h):
    """Weights of every head for the sentence X (n, d_model): (h, n, n).

    W_q and W_k are (d_model, d_model).
    """
    n, d_model = X.shape
    d_k = d_model // h
    Q = (X @ W_q).view(n, h, d_k).transpose(0, 1)  # (h, n, d_k)
    K = (X @ W_k).view(n, h, d_k).transpose(0, 1)  # (h, n, d_k)
    return torch.softmax(Q @ K.transpose(1, 2) / math.sqrt(d_k), dim=-1)  # (h, n, n)


### STUB
# def head_patterns(X, W_q, W_k, h):
#     """Weights of every head for the sentence X (n, d_model): (h, n, n).
#
#     W_q and W_k are (d_model, d_model).
#     """
#     raise NotImplementedError(
#         "head_patterns: project, deal the columns out to heads, compare, softmax over keys"
#     )
### END SOLUTION

# %% tests head_patterns points=4
# Two tokens, two heads of one column. Head 0 sees 1 and 0, head 1 sees 0 and 2; W_q and W_k
# change nothing.
tiny = torch.tensor([[1.0, 0.0], [0.0, 2.0]])  # (n, d_model)
weights = head_patterns(tiny, torch.eye(2), torch.eye(2), 2)
print("asked for (2, 2, 2), got", tuple(weights.shape))
assert weights.shape == (2, 2, 2), (
    "head_patterns: the weights should have shape (h, n, n) = (2, 2, 2)"
)
assert torch.allclose(weights.sum(-1).float(), torch.ones(2, 2)), (
    "head_patterns: every row should add up to 1"
)
e = math.e
assert torch.allclose(weights[0, 0].float(), torch.tensor([e / (e + 1), 1 / (e + 1)])), (
    "head_patterns: in head 0 token 0 has the scores 1 and 0, "
    "so it should look at itself e times as much"
)
assert torch.allclose(weights[1, 0].float(), torch.tensor([0.5, 0.5])), (
    "head_patterns: in head 1 token 0 is zero, so it should look at both tokens alike"
)

# The sentence. First with head 0 alone, on its own four columns.
alone = head_patterns(X[:, :4], head_0[0], head_0[1], 1)[0]
print("\nhead 0 alone:  ", "  ".join(tokens))
for word in ("o", "çıktı"):
    row = alone[tokens.index(word)].tolist()
    print(
        f"  {word:<12}",
        "  ".join(f"{w:.3f}".ljust(len(t)) for t, w in zip(tokens, row, strict=True)),
    )
assert round(alone[4, 0].item(), 3) == 0.517, (
    "head_patterns: o should look at Kedi with weight 0.517"
)
assert (round(alone[2].min().item(), 3), round(alone[2].max().item(), 3)) == (0.136, 0.204), (
    "head_patterns: the row of çıktı should be nearly flat, from 0.136 to 0.204"
)

# Then both heads in one pair of large matrices.
W_q, W_k = (block_diagonal(A, B).float() for A, B in zip(head_0[:2], head_1[:2], strict=True))
both = head_patterns(X, W_q, W_k, 2)
print("\nboth heads:")
print(f"  head 0: o looks at Kedi with weight {both[0, 4, 0]:.3f}")
print(f"  head 1: çıktı looks at masaya with weight {both[1, 2, 1]:.3f}")
assert round(both[0, 4, 0].item(), 3) == 0.517, (
    "head_patterns: with both heads, o should still look at Kedi: 0.517"
)
assert round(both[1, 2, 1].item(), 3) == 0.437, (
    "head_patterns: in head 1 çıktı should look at masaya: 0.437"
)
print("head_patterns: the tiny example is right")

# %% [markdown]
# Why is the row of `çıktı` so flat in head 0? If a head knew nothing at all it would give each of the six tokens
# 1/6 = 0.167, and 0.136 to 0.204 is not far from that. The first four columns of `çıktı` are mostly its third, and with
# these matrices a query made from it gives nearly the same score for every key: softmax of nearly equal scores is
# nearly flat. Nothing in columns 0 to 3 says where `çıktı` leads to. That stands in column 4, and head 0 does not see
# it.
#
# Below, both heads as heat maps. A row is the token that looks, a column the token that is looked at.

# %% locked picture
if "both" in globals():
    figure, axes = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
    questions = ("head 0: who is who?", "head 1: what leads where?")
    marks = ((4, 0), (2, 1))  # o looks at Kedi, çıktı at masaya
    for i, axis in enumerate(axes):
        axis.imshow(both[i].detach().numpy(), vmin=0, vmax=0.6, cmap="Blues")
        axis.set_xticks(range(6), tokens, rotation=45, ha="right")
        axis.set_yticks(range(6), tokens)
        axis.set(title=questions[i], xlabel="is looked at", ylabel="looks")
        row, column = marks[i]
        weight = f"{both[i, row, column]:.3f}"
        axis.text(column, row, weight, ha="center", va="center", color="white")
    plt.show()
else:
    print("The picture is drawn once head_patterns runs.")

# %% [markdown]
# ## 3. The same, head by head
#
# If the blocks really keep the heads apart, then one can just as well run two small attentions, each with its own
# matrices and its own columns of `X`, and lay the results side by side.
#
# `heads_apart(X, heads)` takes `X` `(n, d_model)` and a list of triples `(W_q, W_k, W_v)`, `(d_k, d_k)` each, one
# triple for each head. Head `i` gets columns `i * d_k` to `(i + 1) * d_k` of `X`. It returns `(n, d_model)`: head 0's
# result in the first `d_k` columns, then head 1's, and so on. There is no `W_o`.


# %% solution heads_apart
### BEGIN SOLUTION
def heads_apart(X, heads):
    """Run each head on its own columns of X (n, d_model), results side by side: (n, d_model).

    heads is a list of (W_q, W_k, W_v), each (d_k, d_k).
    """
    results = []
    columns = X.chunk(len(heads), dim=1)  # (n, d_k) for each head
    for x, (W_q, W_k, W_v) in zip(columns, heads, strict=True):
        Q, K, V = x @ W_q, x @ W_k, x @ W_v  # (n, d_k)
        weights = torch.softmax(Q @ K.T / math.sqrt(Q.shape[1]), dim=-1)  # (n, n)
        results.append(weights @ V)  # (n, d_k)
    return torch.cat(results, dim=1)  # (n, d_model)


### STUB
# def heads_apart(X, heads):
#     """Run each head on its own columns of X (n, d_model), results side by side: (n, d_model).
#
#     heads is a list of (W_q, W_k, W_v), each (d_k, d_k).
#     """
#     raise NotImplementedError(
#         "heads_apart: for each head one small attention on its own columns, then side by side"
#     )
### END SOLUTION

# %% tests heads_apart points=3
# With zero queries everybody looks at all tokens alike: every row is the mean of the values.
zero, one = torch.zeros(1, 1), torch.ones(1, 1)
small_heads = [(zero, zero, one), (zero, zero, 2 * one)]
apart = heads_apart(torch.tensor([[1.0, 10.0], [3.0, 30.0]]), small_heads)
print("asked for (2, 2), got", tuple(apart.shape), apart.tolist())
assert apart.shape == (2, 2), (
    "heads_apart: the result should have the shape of X, (n, d_model) = (2, 2)"
)
assert torch.allclose(apart[:, 0].float(), torch.tensor([2.0, 2.0])), (
    "heads_apart: head 0 should give the mean of 1 and 3 in column 0"
)
assert torch.allclose(apart[:, 1].float(), torch.tensor([40.0, 40.0])), (
    "heads_apart: head 1 should give twice the mean of 10 and 30 in column 1"
)

# The sentence: large matrices on one side, two small heads on the other.
W_v = block_diagonal(head_0[2], head_1[2]).float()
W_q, W_k = (block_diagonal(A, B).float() for A, B in zip(head_0[:2], head_1[:2], strict=True))
V = (X @ W_v).view(6, 2, 4).transpose(0, 1)  # (h, n, d_k)
contexts = head_patterns(X, W_q, W_k, 2).float() @ V  # (h, n, d_k)
together = contexts.transpose(0, 1).reshape(6, 8)  # (n, d_model)
difference = (heads_apart(X, [head_0, head_1]) - together).abs().max().item()
print(f"largest difference between both ways: {difference:.1e}")
assert difference < 1e-5, (
    "heads_apart: with blocks on the diagonal, both ways should give the same"
)
print("heads_apart: the tiny example is right")

# %% [markdown]
# ## What went wrong?
#
# - **A row does not add up to 1, a column does.** Softmax ran along the queries. Keys are the *last* axis.
# - **The weights are a little too flat.** Look at the divisor: each head has `d_k` columns, so it is `sqrt(4)`, not
#   `sqrt(8)`. Every value is off by little, which no eye sees.
# - **The shape is right, the heads are not.** `view(h, n, d_k)` cuts the sentence into pieces and calls them heads. The
#   columns must be cut first, `view(n, h, d_k)`, and the axis moved afterwards.
# - **Head 1 looks like head 0.** Both got the same columns of `X`, or the second block was forgotten.
# - **`o` looks at the wrong token.** `X @ W.T` is what `nn.Linear` does with its weight. Here the formula is `X @ W`.
#
# One to think about: the lesson of this notebook is not that 0.517 is large. It is that one row cannot be sharp in two
# places. What would head 0 have to give up, to look at `masaya` from `çıktı` as well?
