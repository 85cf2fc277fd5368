# %% [markdown]
# # Multi-head attention from scratch
#
# One attention head gives each token one mixture of the others. But a word has several things to look for at once:
# its verb, its article, the sentence before. One set of weights cannot look at two places without blurring both.
#
# **Several heads** can. Each of them gets a few of the columns, asks its own question and keeps its own answer; at the
# end the answers are laid side by side and mixed. That is all there is to it, and you will write all of it.
#
# ```
#   q, k, v        (B, n, d_model)
#      │  W_q, W_k, W_v           one matrix each, for all heads together
#      ▼
#   Q, K, V        (B, n, d_model)
#      │  split_heads             no arithmetic: columns are dealt out
#      ▼
#   Q, K, V        (B, h, n, d_k)         ┌ head 0 ┐ ┌ head 1 ┐ ┌ head 2 ┐
#      │  attention               in every head, by itself
#      ▼
#   context        (B, h, n, d_k)
#      │  merge_heads             columns are put back
#      ▼
#   merged         (B, n, d_model)
#      │  W_o                     the heads' answers are mixed
#      ▼
#   out            (B, n, d_model)
# ```
#
# | letter | meaning |
# |---|---|
# | `B` | sentences in the batch |
# | `n_q`, `n_k` | queries, keys (`n` when both are the same) |
# | `d_model` | numbers per token |
# | `h` | heads |
# | `d_k` | numbers per token in one head, `d_model / h` |
#
# About 90 minutes, 25 points. Write in any style you like (`view`, `reshape`, `permute`, `einsum`, loops): your
# functions are judged by the numbers they return, on fresh inputs and other sizes than those of the checks here. The
# checks below use numbers that you can follow with a pencil.

# %% locked setup
"""Imports and one small tensor that the checks use."""

import math

import matplotlib.pyplot as plt
import torch
import torch.nn as nn

# One sentence of three tokens, two heads of two columns.
# Every entry says where it comes from: 10 * token + column.
coded = torch.tensor([[[0.0, 1, 2, 3], [10, 11, 12, 13], [20, 21, 22, 23]]])  # (1, 3, 4)


# %% [markdown]
# ## 1. Deal the columns out
#
# The `d_model` numbers of a token are dealt out to the heads in blocks: columns `0` to `d_k - 1` go to head 0, the
# next `d_k` to head 1, and so on. Nothing is computed. Every head still sees **every token**, but only its own columns
# of it.
#
# `split_heads(x, h)` takes `(B, n, d_model)` and returns `(B, h, n, d_k)`. You may rely on `h` dividing `d_model`.
#
# *A hint:* cutting an axis into two is a job for `view` or `reshape`; it never moves a number. Moving an axis is a job
# for `transpose` or `permute`. You need one of each, and their order matters.


# %% solution split_heads
### BEGIN SOLUTION
def split_heads(x, h):
    """Split (B, n, d_model) into heads: (B, h, n, d_k)."""
    B, n, d_model = x.shape
    return x.view(B, n, h, d_model // h).transpose(1, 2)  # (B, h, n, d_k)


### STUB
# def split_heads(x, h):
#     """Split (B, n, d_model) into heads: (B, h, n, d_k)."""
#     raise NotImplementedError(
#         "split_heads: cut the columns into h blocks, then bring the head axis to the front"
#     )
### END SOLUTION

# %% tests split_heads points=2
# In `coded` every entry is 10 * token + column, so you can read off where a number came from.
heads = split_heads(coded, 2)
print("asked for (1, 2, 3, 2), got", tuple(heads.shape))
print("head 0, token by token:", heads[0, 0].tolist())
print("head 1, token by token:", heads[0, 1].tolist())
assert heads.shape == (1, 2, 3, 2), (
    "split_heads: the heads should have shape (B, h, n, d_k) = (1, 2, 3, 2)"
)
assert heads[0, 0].tolist() == [[0, 1], [10, 11], [20, 21]], (
    "split_heads: head 0 should hold columns 0 and 1 of the tokens 0, 1, 2"
)
assert heads[0, 1].tolist() == [[2, 3], [12, 13], [22, 23]], (
    "split_heads: head 1 should hold columns 2 and 3 of the tokens 0, 1, 2"
)
print("split_heads: the tiny example is right")

# %% [markdown]
# ## 2. Put the columns back
#
# After attention the heads are laid side by side again: the row of a token holds what head 0 says about **this
# token**, then what head 1 says about it, and so on.
#
# `merge_heads(heads)` takes `(B, h, n, d_k)` and returns `(B, n, h * d_k)`. It undoes `split_heads`, step by step and
# from the end.


# %% solution merge_heads
### BEGIN SOLUTION
def merge_heads(heads):
    """Lay the heads (B, h, n, d_k) side by side: (B, n, h * d_k)."""
    B, h, n, d_k = heads.shape
    return heads.transpose(1, 2).reshape(B, n, h * d_k)  # (B, n, d_model)


### STUB
# def merge_heads(heads):
#     """Lay the heads (B, h, n, d_k) side by side: (B, n, h * d_k)."""
#     raise NotImplementedError("merge_heads: undo split_heads, last step first")
### END SOLUTION

# %% tests merge_heads points=2
# The heads of `coded`, written out by hand.
heads = torch.stack([coded[:, :, :2], coded[:, :, 2:]], dim=1)  # (1, 2, 3, 2)
merged = merge_heads(heads)
print("asked for (1, 3, 4), got", tuple(merged.shape))
for token, row in enumerate(merged[0].tolist()):
    print(f"token {token}: {row}")
assert merged.shape == (1, 3, 4), (
    "merge_heads: the result should have shape (B, n, h * d_k) = (1, 3, 4)"
)
assert merged[0, 0].tolist() == [0, 1, 2, 3], (
    "merge_heads: the first row should hold all numbers of token 0, in order"
)
assert torch.equal(merged, coded), (
    "merge_heads: row t should hold the numbers of token t, 10 t to 10 t + 3"
)
print("merge_heads: the tiny example is right")

# %% [markdown]
# ## 3. Attention, in every head at once
#
# In each head, every query is compared with every key; the results are **scores**. A score is a sum of `d_k` products,
# so it grows like the square root of `d_k`; dividing by that square root keeps softmax from giving everything to one
# key. Softmax turns the scores of one query into **weights** that add up to 1, and the weights mix the values.
#
# $$\text{weights} = \operatorname{softmax}\!\left(\frac{Q K^\top}{\sqrt{d_k}}\right), \qquad
#   \text{context} = \text{weights} \cdot V$$
#
# Sentences in a batch are filled up with **padding**, which nobody may look at. `pad` has shape `(B, n_k)` and is
# `True` at padding. A hidden key must have no part in softmax: its score has to be so low that its weight is 0. (Every
# sentence has at least one real token.)
#
# `attention(Q, K, V, pad)` takes `Q` `(B, h, n_q, d_k)`, `K` and `V` `(B, h, n_k, d_k)` and `pad`, which may be `None`.
# It returns **two** tensors, the context `(B, h, n_q, d_k)` and the weights `(B, h, n_q, n_k)`, in this order.


# %% solution attention
### BEGIN SOLUTION
def attention(Q, K, V, pad=None):
    """Attend in every head: context (B, h, n_q, d_k) and weights (B, h, n_q, n_k).

    Q (B, h, n_q, d_k), K and V (B, h, n_k, d_k); pad (B, n_k) is True at padding.
    """
    scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])  # (B, h, n_q, n_k)
    if pad is not None:
        scores = scores.masked_fill(pad[:, None, None, :], -math.inf)
    weights = torch.softmax(scores, dim=-1)  # (B, h, n_q, n_k)
    return weights @ V, weights


### STUB
# def attention(Q, K, V, pad=None):
#     """Attend in every head: context (B, h, n_q, d_k) and weights (B, h, n_q, n_k).
#
#     Q (B, h, n_q, d_k), K and V (B, h, n_k, d_k); pad (B, n_k) is True at padding.
#     """
#     raise NotImplementedError(
#         "attention: scores, scale, mask, softmax, and then mix the values"
#     )
### END SOLUTION

# %% tests attention points=4
# One query, three keys, d_k = 4. The products are 2 log 2, 0 and 0; divided by sqrt(4) they are
# log 2, 0 and 0. exp(log 2) = 2 and exp(0) = 1, so the first key should get twice as much as
# each of the others: a half, a quarter, a quarter.
Q = torch.ones(1, 1, 1, 4)  # (B, h, n_q, d_k)
K = torch.zeros(1, 1, 3, 4)  # (B, h, n_k, d_k)
K[0, 0, 0] = math.log(2) / 2
V = torch.tensor([[[[8.0], [4.0], [0.0]]]])  # (B, h, n_k, 1)
context, weights = attention(Q, K, V)
print("weights:", weights.flatten().tolist())
assert weights.shape == (1, 1, 1, 3), (
    "attention: the weights should have shape (B, h, n_q, n_k) = (1, 1, 1, 3)"
)
assert torch.allclose(weights.sum(-1).float(), torch.tensor(1.0)), (
    "attention: the weights of a query add up to 1"
)
assert torch.allclose(weights.flatten().float(), torch.tensor([0.5, 0.25, 0.25])), (
    "attention: the first key should get 1/2, the others 1/4 each"
)
assert torch.allclose(context.float(), torch.tensor(5.0)), (
    "attention: the context should be 8/2 + 4/4 + 0/4 = 5"
)

# The same with the last key hidden: two thirds and one third are left.
context, weights = attention(Q, K, V, torch.tensor([[False, False, True]]))
print("with the last key hidden:", weights.flatten().tolist())
assert weights.flatten()[2] == 0, "attention: a hidden key should get no weight at all"
assert torch.allclose(weights.flatten().float(), torch.tensor([2 / 3, 1 / 3, 0])), (
    "attention: without the last key, the first should get 2/3 and the second 1/3"
)
print("attention: the tiny example is right")

# %% [markdown]
# ## 4. The whole layer
#
# Now put it together. Four linear layers, each from `d_model` to `d_model` and with bias: `W_q`, `W_k` and `W_v` make
# queries, keys and values for **all heads at once** (head `i` owns the outputs `i * d_k` to `(i + 1) * d_k`), and `W_o`
# mixes what the heads found.
#
# `MultiHeadAttention(d_model, h)` refuses sizes that do not fit: when `h` does not divide `d_model`, the constructor
# raises a `ValueError` (an `assert` is fine too).
#
# `forward(q, k, v, pad=None)` takes `q` `(B, n_q, d_model)`, `k` and `v` `(B, n_k, d_model)` and `pad` `(B, n_k)`, True
# at padding. It returns the output `(B, n_q, d_model)` and the weights `(B, h, n_q, n_k)`.
#
# In self-attention `q`, `k` and `v` are the same tensor. In **cross-attention** the queries come from one sentence and
# the keys and values from another, so `n_q` and `n_k` differ. Your layer should not care.
#
# Use the names `W_q`, `W_k`, `W_v` and `W_o`: the graders put known parameters into them. Use your functions from
# above, or write everything in one place.


# %% solution multi_head_attention
### BEGIN SOLUTION
class MultiHeadAttention(nn.Module):
    """Multi-head attention with h heads, for self-attention and cross-attention."""

    def __init__(self, d_model, h):
        super().__init__()
        if d_model % h != 0:
            raise ValueError(f"d_model = {d_model} is not divisible by h = {h}")
        self.h = h
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)

    def forward(self, q, k, v, pad=None):
        """Output (B, n_q, d_model) and weights (B, h, n_q, n_k).

        q (B, n_q, d_model), k and v (B, n_k, d_model); pad (B, n_k) is True at padding.
        """
        Q = split_heads(self.W_q(q), self.h)  # (B, h, n_q, d_k)
        K = split_heads(self.W_k(k), self.h)  # (B, h, n_k, d_k)
        V = split_heads(self.W_v(v), self.h)  # (B, h, n_k, d_k)
        context, weights = attention(Q, K, V, pad)  # (B, h, n_q, d_k), (B, h, n_q, n_k)
        return self.W_o(merge_heads(context)), weights  # (B, n_q, d_model), (B, h, n_q, n_k)


### STUB
# class MultiHeadAttention(nn.Module):
#     """Multi-head attention with h heads, for self-attention and cross-attention."""
#
#     def __init__(self, d_model, h):
#         super().__init__()
#         raise NotImplementedError(
#             "MultiHeadAttention: check the sizes, then make W_q, W_k, W_v and W_o"
#         )
#
#     def forward(self, q, k, v, pad=None):
#         """Output (B, n_q, d_model) and weights (B, h, n_q, n_k).
#
#         q (B, n_q, d_model), k and v (B, n_k, d_model); pad (B, n_k) is True at padding.
#         """
#         raise NotImplementedError("forward: project, split, attend, merge, project")
### END SOLUTION

# %% tests multi_head_attention points=8
# With W_q and W_k at zero all scores are equal, so everybody looks at all keys alike; with W_v
# and W_o at one (the identity) the output is the plain mean of what was looked at.
layer = MultiHeadAttention(4, 2)
for name in ("W_q", "W_k", "W_v", "W_o"):
    assert isinstance(getattr(layer, name, None), nn.Linear), (
        f"MultiHeadAttention: {name} should be an nn.Linear layer"
    )
with torch.no_grad():
    for parameter in layer.parameters():
        parameter.zero_()
    layer.W_v.weight.copy_(torch.eye(4))
    layer.W_o.weight.copy_(torch.eye(4))
    out, weights = layer(coded, coded, coded)
print("asked for (1, 3, 4) and (1, 2, 3, 3), got", *(tuple(x.shape) for x in (out, weights)))
assert out.shape == (1, 3, 4), (
    "MultiHeadAttention: the output should have shape (B, n_q, d_model) = (1, 3, 4)"
)
assert weights.shape == (1, 2, 3, 3), (
    "MultiHeadAttention: the weights should have shape (1, 2, 3, 3)"
)
assert torch.allclose(weights.float(), torch.tensor(1 / 3)), (
    "MultiHeadAttention: here every key should get a third"
)
assert torch.allclose(out.float(), torch.tensor([10.0, 11.0, 12.0, 13.0])), (
    "MultiHeadAttention: every row should be the mean of the three tokens, 10, 11, 12, 13"
)

# Cross-attention: one query looks at three keys, of which the last is padding.
with torch.no_grad():
    out, weights = layer(coded[:, :1], coded, coded, torch.tensor([[False, False, True]]))
print("with padding:", out.flatten().tolist())
assert out.shape == (1, 1, 4), "MultiHeadAttention: one query should get one row of output"
assert torch.allclose(out.float(), torch.tensor([5.0, 6.0, 7.0, 8.0])), (
    "MultiHeadAttention: without the last token the mean should be 5, 6, 7, 8"
)

# Six numbers cannot be dealt out to four heads.
refused = False
try:
    MultiHeadAttention(6, 4)
except (ValueError, AssertionError) as error:
    refused = True
    print("MultiHeadAttention(6, 4) was refused:", error)
assert refused, (
    "MultiHeadAttention: h = 4 does not divide d_model = 6; the constructor should refuse"
)
print("MultiHeadAttention: the tiny example is right")

# %% [markdown]
# All the shapes on the way, for two sentences of six tokens, `d_model = 32` and four heads:


# %% locked shapes
def print_shapes():
    """Follow one input through your layer."""
    layer, X = MultiHeadAttention(32, 4), torch.randn(2, 6, 32)
    Q = layer.W_q(X)
    with torch.no_grad():
        out, weights = layer(X, X, X)
    print("X                 ", tuple(X.shape))
    print("W_q(X)            ", tuple(Q.shape))
    print("cut into columns  ", tuple(Q.view(2, 6, 4, 8).shape))
    print("heads in front    ", tuple(split_heads(Q, 4).shape))
    print("weights           ", tuple(weights.shape), " each head has its own (n, n)")
    print("out               ", tuple(out.shape), " the shape of X again")


try:
    print_shapes()
except NotImplementedError as missing:
    print("The shapes are shown once your layer runs. Still to do:", missing)

# %% [markdown]
# ## 5. How many numbers does a layer hold?
#
# `count_parameters(d_model, h)` returns how many numbers the four linear layers hold together, biases included. Work it
# out on paper first: how large is one of them? And where does `h` come in?


# %% solution count_parameters
### BEGIN SOLUTION
def count_parameters(d_model, h):
    """Numbers in W_q, W_k, W_v and W_o with their biases."""
    one = d_model * d_model + d_model  # h heads of d_k columns: d_model columns, for any h
    return 4 * one


### STUB
# def count_parameters(d_model, h):
#     """Numbers in W_q, W_k, W_v and W_o with their biases."""
#     raise NotImplementedError(
#         "count_parameters: four layers; how large are weight and bias of one?"
#     )
### END SOLUTION

# %% tests count_parameters points=2
for h in (1, 2, 4, 8, 16):
    yours = count_parameters(32, h)
    counted = sum(parameter.numel() for parameter in nn.MultiheadAttention(32, h).parameters())
    print(f"d_model = 32, h = {h:>2}: torch's layer holds {counted} numbers, you say {yours}")
    assert yours == counted, f"count_parameters: torch's own layer holds {counted} numbers"
print("count_parameters: the tiny example is right; h only says how the columns are shared out")

# %% [markdown]
# ## 6. What does it cost?
#
# A product of matrices `(a, b)` and `(b, c)` takes `a * c` sums of `b` products: about `2 * a * b * c` operations. For
# one sentence of `n` tokens, `attention_cost(n, d_model, h)` returns four whole numbers, **for all heads together**:
#
# 1. operations for the scores `Q @ K.T`,
# 2. operations for `weights @ V`,
# 3. operations for the four projections (without biases),
# 4. how many weights there are to keep in memory.


# %% solution attention_cost
### BEGIN SOLUTION
def attention_cost(n, d_model, h):
    """Operations for scores, for weights @ V, for projections; number of weights.

    All for one sentence of n tokens.
    """
    d_k = d_model // h
    scores = h * 2 * n * d_k * n
    mixing = h * 2 * n * n * d_k
    projections = 4 * 2 * n * d_model * d_model
    return scores, mixing, projections, h * n * n


### STUB
# def attention_cost(n, d_model, h):
#     """Operations for scores, for weights @ V, for projections; number of weights.
#
#     All for one sentence of n tokens.
#     """
#     raise NotImplementedError(
#         "attention_cost: 2 a b c for each product (a, b) @ (b, c), then all heads together"
#     )
### END SOLUTION

# %% tests attention_cost points=3
print("for n = 128 and d_model = 32:")
print(f"{'h':>3} {'d_k':>4} {'scores':>9} {'mixing':>9} {'projections':>12} {'weights':>8}")
for h in (1, 2, 4, 8, 16):
    scores, mixing, projections, weights = attention_cost(128, 32, h)
    print(f"{h:>3} {32 // h:>4} {scores:>9} {mixing:>9} {projections:>12} {weights:>8}")
    assert scores == 1048576, (
        "attention_cost: here the scores should take 1048576 operations, for any h"
    )
    assert weights == h * 16384, (
        "attention_cost: every head keeps weights of its own, 128 * 128 of them"
    )
# One token, one column, one head: each product is one multiplication and one addition.
assert tuple(attention_cost(1, 1, 1)) == (2, 2, 8, 1), (
    "attention_cost: for one token, one column and one head: 2, 2, 8, 1"
)
print("attention_cost: the tiny example is right; more heads cost memory, not arithmetic")

# %% [markdown]
# ## 7. One head by hand
#
# `W_q.weight` has shape (out, in), and head `i` owns the outputs `i * d_k` to `(i + 1) * d_k`: rows of the weight,
# entries of the bias. So one head needs nothing of the others.
#
# `one_head_by_hand(x, state, h, i)` takes `x` `(B, n, d_model)` and the parameters of a layer, `state["W_q.weight"]`,
# `state["W_q.bias"]` and so on for `W_k`, `W_v`. It returns what head `i` finds before `W_o`, `(B, n, d_k)`, and its
# weights `(B, n, n)`, without splitting anything into heads.


# %% solution one_head_by_hand
### BEGIN SOLUTION
def one_head_by_hand(x, state, h, i):
    """Context (B, n, d_k) and weights (B, n, n) of head i, from its rows of W_q, W_k, W_v.

    x (B, n, d_model); state holds "W_q.weight" (d_model, d_model), "W_q.bias" (d_model,), ...
    """
    d_k = x.shape[-1] // h
    rows = slice(i * d_k, (i + 1) * d_k)
    Q = x @ state["W_q.weight"][rows].T + state["W_q.bias"][rows]  # (B, n, d_k)
    K = x @ state["W_k.weight"][rows].T + state["W_k.bias"][rows]  # (B, n, d_k)
    V = x @ state["W_v.weight"][rows].T + state["W_v.bias"][rows]  # (B, n, d_k)
    weights = torch.softmax(Q @ K.transpose(1, 2) / math.sqrt(d_k), dim=-1)  # (B, n, n)
    return weights @ V, weights


### STUB
# def one_head_by_hand(x, state, h, i):
#     """Context (B, n, d_k) and weights (B, n, n) of head i, from its rows of W_q, W_k, W_v.
#
#     x (B, n, d_model); state holds "W_q.weight" (d_model, d_model), "W_q.bias" (d_model,), ...
#     """
#     raise NotImplementedError(
#         "one_head_by_hand: take rows i * d_k to (i + 1) * d_k, then attend"
#     )
### END SOLUTION

# %% tests one_head_by_hand points=4
torch.manual_seed(0)
layer, x = MultiHeadAttention(8, 4), torch.randn(2, 5, 8)
with torch.no_grad():
    _out, weights = layer(x, x, x)
    for i in range(4):
        context, by_hand = one_head_by_hand(x, layer.state_dict(), 4, i)
        assert context.shape == (2, 5, 2), (
            "one_head_by_hand: the context should have shape (B, n, d_k) = (2, 5, 2)"
        )
        assert by_hand.shape == (2, 5, 5), (
            "one_head_by_hand: the weights should have shape (B, n, n) = (2, 5, 5)"
        )
        difference = (by_hand - weights[:, i]).abs().max().item()
        print(f"head {i}: by hand and in the layer differ by {difference:.1e}")
        assert difference < 1e-5, (
            "one_head_by_hand: the weights should be those of this head in your layer"
        )

    # With one head there is nothing to share out: the layer is plain attention.
    single = MultiHeadAttention(8, 1)
    out, _weights = single(x, x, x)
    plain = single.W_o(one_head_by_hand(x, single.state_dict(), 1, 0)[0].float())
assert torch.allclose(out.float(), plain.float(), atol=1e-5), (
    "one_head_by_hand: with h = 1 the one head is the whole layer"
)
print("one_head_by_hand: the tiny example is right")

# %% [markdown]
# ## Look at it
#
# Three tokens, two heads: head 0 is asked to find tokens like the query, head 1 to find tokens unlike it. Run the
# cell; each row shows where one query looks. One head could not do both at once.


# %% locked picture
def picture():
    """Draw where two heads of your layer look that ask opposite questions."""
    layer = MultiHeadAttention(4, 2)
    # Tokens 0 and 2 are alike, token 1 is their opposite.
    tokens = torch.tensor([[[1.0, 0, 1, 0], [0, 1, 0, 1], [1, 0, 1, 0]]])  # (B, n, d_model)
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.zero_()
        layer.W_q.weight.copy_(3 * torch.eye(4))
        layer.W_k.weight.copy_(torch.diag(torch.tensor([1.0, 1, -1, -1])))
        _out, weights = layer(tokens, tokens, tokens)
    _figure, axes = plt.subplots(1, 2, figsize=(6, 3), layout="constrained")
    for i, axis in enumerate(axes):
        axis.imshow(weights[0, i].numpy(), vmin=0, vmax=1, cmap="Blues")
        axis.set(
            title=f"head {i}", xlabel="key", ylabel="query", xticks=range(3), yticks=range(3)
        )
    plt.show()


try:
    picture()
except NotImplementedError as missing:
    print("The picture is drawn once your layer runs. Still to do:", missing)

# %% [markdown]
# ## What went wrong?
#
# - **The shapes are right and the numbers are not.** A `view` has mixed tokens and heads. Cut the columns first, move
#   the axis afterwards, and undo it in the opposite order.
# - **The weights are a little too flat, or too sharp.** Look at the divisor: `sqrt(d_k)`, once.
# - **The weights of a query do not add up to 1.** Softmax runs over the keys, the last axis.
# - **NaN.** Is a sentence left with nothing to look at? Then the mask is the wrong way round.
# - **Right for self-attention, an error for cross-attention.** Some length was taken from the queries that belongs to
#   the keys, or the other way round.
# - **One head by hand is nearly right.** Is the bias in it? Are these rows of the weight, and not columns?
#
# One to think about: with `d_model = 32` and `h = 16`, each head has `d_k = 2`. What can a question of two numbers ask?
