# %% [markdown]
# # The same layer, ready-made
#
# PyTorch has multi-head attention built in, twice: the layer `nn.MultiheadAttention` and the function
# `F.scaled_dot_product_attention`. Both compute what you have written by hand. What they do **not** share is how they
# want to be asked: where the batch stands, what `True` means in a mask, which weights come back. Most bugs with them
# live there, and none of them is announced by an error.
#
# ```
#   yours                    nn.MultiheadAttention
#
#   W_q.weight  ─────────▶  ┌ the first d_model rows ┐
#   W_k.weight  ─────────▶  │ the next d_model rows  │  in_proj_weight
#   W_v.weight  ─────────▶  └ the last d_model rows  ┘  (3 d_model, d_model)
#
#   W_q.bias, W_k.bias, W_v.bias  ──▶  one behind the other in in_proj_bias (3 d_model,)
#
#   W_o.weight, W_o.bias  ──▶  out_proj.weight (d_model, d_model), out_proj.bias (d_model,)
# ```
#
# | | `nn.MultiheadAttention` | `F.scaled_dot_product_attention` |
# |---|---|---|
# | takes | `(B, n, d_model)` with `batch_first=True`, else `(n, B, d_model)` | `(B, h, n, d_k)`, already split |
# | projections | inside | none |
# | `True` in a bool mask | **do not look** | **look** |
# | returns | output, weights | output only |
#
# The letters are those of the last notebook: `B` sentences, `n` tokens, `d_model` numbers per token, `h` heads with
# `d_k = d_model / h` numbers each.
#
# About 90 minutes, 22 points. Your functions are judged by what they return, or leave in a layer, for other parameters
# and other sizes than those here. The layers that you are given are in evaluation mode and have `batch_first=True`.

# %% locked setup
"""Imports and two small makers of layers."""

import matplotlib.pyplot as plt
import torch
import torch.nn as nn
import torch.nn.functional as F


class FourLayers(nn.Module):
    """The four linear layers of multi-head attention; keys and values may have other widths."""

    def __init__(self, d_model, kdim=None, vdim=None):
        super().__init__()
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(kdim or d_model, d_model)
        self.W_v = nn.Linear(vdim or d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)


def make_mha(d_model, h, kdim=None, vdim=None):
    """One of torch's layers, batch first and in evaluation mode."""
    return nn.MultiheadAttention(d_model, h, kdim=kdim, vdim=vdim, batch_first=True).eval()


def seeing_mha(d_model, h):
    """A layer whose queries look at all keys alike; the output is the mean of what they saw."""
    mha = make_mha(d_model, h)
    zero, one = torch.zeros(d_model, d_model), torch.eye(d_model)
    mha.load_state_dict(
        {
            "in_proj_weight": torch.cat([zero, zero, one]),
            "in_proj_bias": torch.zeros(3 * d_model),
            "out_proj.weight": one,
            "out_proj.bias": torch.zeros(d_model),
        }
    )
    return mha


# %% [markdown]
# Look at the parameters first. One layer holds all three projections in one tensor; the other was made with keys and
# values of widths of their own, and there is no such tensor.

# %% locked look
for title, mha in (
    ("make_mha(32, 4)", make_mha(32, 4)),
    ("make_mha(32, 4, kdim=20, vdim=12)", make_mha(32, 4, 20, 12)),
):
    print(title, "-", sum(parameter.numel() for parameter in mha.parameters()), "numbers")
    for name, parameter in mha.named_parameters():
        print(f"    {name:<16} {tuple(parameter.shape)}")
    print("    in_proj_weight is None:", mha.in_proj_weight is None)

# %% [markdown]
# ## 1. Copy the weights over, and back
#
# `copy_weights(ours, mha)` takes a `FourLayers` and one of torch's layers and writes all parameters of `ours` into
# `mha`, in place. It returns nothing. `copy_back(mha, ours)` goes the other way. Both must also work when keys and
# values have widths of their own: then `mha.in_proj_weight` is `None`, and `q_proj_weight`, `k_proj_weight` and
# `v_proj_weight` take its place (`in_proj_bias` stays).
#
# *Hints:* `nn.Linear` and torch's layer store weights the same way, so nothing is transposed. `tensor.copy_(other)`
# writes in place; parameters want this done inside `torch.no_grad()`. After the copy the two must be independent.


# %% solution copy_weights
### BEGIN SOLUTION
@torch.no_grad()
def copy_weights(ours, mha):
    """Write the parameters of ours (FourLayers) into mha (nn.MultiheadAttention), in place."""
    layers = (ours.W_q, ours.W_k, ours.W_v)
    if mha.in_proj_weight is None:
        mha.q_proj_weight.copy_(ours.W_q.weight)  # (d_model, d_model)
        mha.k_proj_weight.copy_(ours.W_k.weight)  # (d_model, kdim)
        mha.v_proj_weight.copy_(ours.W_v.weight)  # (d_model, vdim)
    else:
        stacked = torch.cat([layer.weight for layer in layers])  # (3 d_model, d_model)
        mha.in_proj_weight.copy_(stacked)
    mha.in_proj_bias.copy_(torch.cat([layer.bias for layer in layers]))  # (3 d_model,)
    mha.out_proj.weight.copy_(ours.W_o.weight)
    mha.out_proj.bias.copy_(ours.W_o.bias)


@torch.no_grad()
def copy_back(mha, ours):
    """Write the parameters of mha (nn.MultiheadAttention) into ours (FourLayers), in place."""
    if mha.in_proj_weight is None:
        weights = (mha.q_proj_weight, mha.k_proj_weight, mha.v_proj_weight)
    else:
        weights = mha.in_proj_weight.chunk(3)
    layers, biases = (ours.W_q, ours.W_k, ours.W_v), mha.in_proj_bias.chunk(3)
    for layer, weight, bias in zip(layers, weights, biases, strict=True):
        layer.weight.copy_(weight)
        layer.bias.copy_(bias)
    ours.W_o.weight.copy_(mha.out_proj.weight)
    ours.W_o.bias.copy_(mha.out_proj.bias)


### STUB
# def copy_weights(ours, mha):
#     """Write the parameters of ours (FourLayers) into mha (nn.MultiheadAttention), in place."""
#     raise NotImplementedError(
#         "copy_weights: stack W_q, W_k, W_v for in_proj, then W_o; in_proj_weight may be None"
#     )
#
#
# def copy_back(mha, ours):
#     """Write the parameters of mha (nn.MultiheadAttention) into ours (FourLayers), in place."""
#     raise NotImplementedError(
#         "copy_back: cut in_proj into three parts of d_model rows and hand them out"
#     )
### END SOLUTION

# %% tests copy_weights points=5
# Layers of width 2 whose numbers say where they come from: 1 for W_q, 2 for W_k, 3 for W_v,
# 4 for W_o.
ours, mha = FourLayers(2), make_mha(2, 1)
with torch.no_grad():
    for number, layer in enumerate((ours.W_q, ours.W_k, ours.W_v, ours.W_o), start=1):
        layer.weight.copy_(number + torch.tensor([[0.1, 0.2], [0.3, 0.4]]))
        layer.bias.fill_(-number)
copy_weights(ours, mha)
print("in_proj_weight, row by row:")
for row in mha.in_proj_weight.tolist():
    print("   ", [round(number, 1) for number in row])
print("in_proj_bias:", mha.in_proj_bias.tolist())
assert [round(row[0]) for row in mha.in_proj_weight.tolist()] == [1, 1, 2, 2, 3, 3], (
    "copy_weights: in_proj_weight should hold the rows of W_q, then W_k, then W_v"
)
assert torch.allclose(mha.in_proj_weight[:2], ours.W_q.weight), (
    "copy_weights: W_q should be copied as it is"
)
assert mha.in_proj_bias.tolist() == [-1, -1, -2, -2, -3, -3], (
    "copy_weights: the biases follow the same order"
)
assert torch.equal(mha.out_proj.weight, ours.W_o.weight), (
    "copy_weights: out_proj should hold W_o"
)
assert mha.out_proj.bias.tolist() == [-4, -4], (
    "copy_weights: out_proj should hold the bias of W_o too"
)

empty = FourLayers(2)
copy_back(mha, empty)
for (name, copied), was in zip(empty.named_parameters(), ours.parameters(), strict=True):
    assert torch.equal(copied, was), (
        f"copy_back: {name} should be what it was before the two copies"
    )

# Keys of width 3 and values of width 5: no in_proj_weight.
ours, mha = FourLayers(2, 3, 5), make_mha(2, 1, 3, 5)
copy_weights(ours, mha)
assert torch.equal(mha.k_proj_weight, ours.W_k.weight), (
    "copy_weights: with kdim = 3, k_proj_weight should hold W_k"
)
copy_back(mha, ours)
print("copy_weights: the tiny example is right")

# %% [markdown]
# ## 2. One pattern for each head
#
# `mha(x, x, x)` returns the output and weights, but look at the shape of the weights: `(B, n, n)`. That is the **mean
# over the heads**, and `weights[:, 0]` is not head 0 but the row of token 0. From the mean you cannot get back to the
# heads. A keyword of the call asks for all of them.
#
# `head_weights(mha, x)` takes `x` `(B, n, d_model)` and returns the weights of every head, `(B, h, n, n)`.


# %% solution head_weights
### BEGIN SOLUTION
def head_weights(mha, x):
    """Self-attention weights of every head for x (B, n, d_model): (B, h, n, n)."""
    _out, weights = mha(x, x, x, need_weights=True, average_attn_weights=False)
    return weights  # (B, h, n, n)


### STUB
# def head_weights(mha, x):
#     """Self-attention weights of every head for x (B, n, d_model): (B, h, n, n)."""
#     raise NotImplementedError(
#         "head_weights: call mha(x, x, x, ...) so that weights are not averaged over heads"
#     )
### END SOLUTION

# %% tests head_weights points=2
torch.manual_seed(0)
mha, x = make_mha(8, 2), 3 * torch.randn(1, 5, 8)
weights = head_weights(mha, x)
print("asked for (1, 2, 5, 5), got", tuple(weights.shape))
assert weights.shape == (1, 2, 5, 5), (
    "head_weights: the weights should have shape (B, h, n, n) = (1, 2, 5, 5)"
)
assert torch.allclose(weights.sum(-1).float(), torch.ones(1, 2, 5)), (
    "head_weights: every row should add up to 1"
)
mean = mha(x, x, x)[1]
assert torch.allclose(weights.float().mean(1), mean, atol=1e-6), (
    "head_weights: the mean over your heads should be what mha(x, x, x) returns"
)
figure, axes = plt.subplots(1, 3, figsize=(9, 3), layout="constrained")
patterns = {"head 0": weights[0, 0], "head 1": weights[0, 1], "their mean": mean[0]}
for axis, (title, pattern) in zip(axes, patterns.items(), strict=True):
    axis.imshow(pattern.detach().numpy(), vmin=0, vmax=1, cmap="Blues")
    axis.set(title=title, xlabel="key", ylabel="query")
plt.show()
print("head_weights: the tiny example is right; the mean shows the habits of neither head")

# %% [markdown]
# ## 3. Two kinds of masks
#
# **Which keys are padding?** `key_padding_mask` is a bool tensor `(B, n_k)`, `True` at padding: *do not look*. A mask
# of numbers would not be read as yes and no; it is **added** to the scores.
#
# `padding_mask(mha, x, lengths)` takes `x` `(B, n, d_model)` and the number of real tokens of each sentence, an
# integer tensor `(B,)`. It makes the mask, calls the layer and returns the output `(B, n, d_model)` and the weights of
# every head `(B, h, n, n)`. (What stands in the rows of padding queries is free.)
#
# **Which query may look at which key?** `attn_mask` says this pair by pair. When it differs from sentence to sentence
# it must come as `(B * h, n_q, n_k)`: all heads of sentence 0, then all heads of sentence 1, and so on.
#
# `masks_for_heads(blocked, h)` takes a bool tensor `(B, n_q, n_k)` and returns it for every head, `(B * h, n_q, n_k)`.


# %% solution padding_mask
### BEGIN SOLUTION
def padding_mask(mha, x, lengths):
    """Self-attention of x (B, n, d_model) that never looks at padding; lengths (B,).

    Returns the output (B, n, d_model) and the weights (B, h, n, n).
    """
    pad = torch.arange(x.shape[1])[None, :] >= lengths[:, None]  # (B, n), True = padding
    return mha(x, x, x, key_padding_mask=pad, average_attn_weights=False)


def masks_for_heads(blocked, h):
    """Repeat a mask (B, n_q, n_k) for every head, sentence by sentence: (B * h, n_q, n_k)."""
    return blocked.repeat_interleave(h, dim=0)  # (B * h, n_q, n_k)


### STUB
# def padding_mask(mha, x, lengths):
#     """Self-attention of x (B, n, d_model) that never looks at padding; lengths (B,).
#
#     Returns the output (B, n, d_model) and the weights (B, h, n, n).
#     """
#     raise NotImplementedError(
#         "padding_mask: compare torch.arange(n) with the lengths, then call mha with the mask"
#     )
#
#
# def masks_for_heads(blocked, h):
#     """Repeat a mask (B, n_q, n_k) for every head, sentence by sentence: (B * h, n_q, n_k)."""
#     raise NotImplementedError(
#         "masks_for_heads: sentence 0 h times, then sentence 1 h times, and so on"
#     )
### END SOLUTION

# %% tests padding_mask points=5
# Two sentences: 0 1 2, and 10 20 with one token of padding, 99. Every answer is the mean of
# what was looked at.
x = torch.tensor([[0.0, 1.0, 2.0], [10.0, 20.0, 99.0]])
x = x[:, :, None].repeat(1, 1, 2)  # (B, n, d_model)
with torch.no_grad():
    out, weights = padding_mask(seeing_mha(2, 2), x, torch.tensor([3, 2]))
for sentence in range(2):
    row = [round(weight, 3) for weight in weights[sentence, 0, 0].tolist()]
    print("tokens", x[sentence, :, 0].tolist(), "weights of token 0:", row)
assert weights.shape == (2, 2, 3, 3), (
    "padding_mask: the weights should have shape (B, h, n, n) = (2, 2, 3, 3)"
)
assert torch.allclose(out[0].float(), torch.tensor(1.0)), (
    "padding_mask: sentence 0 should answer 1, the mean of 0, 1, 2"
)
assert torch.allclose(out[1, :2].float(), torch.tensor(15.0)), (
    "padding_mask: sentence 1 should answer 15, the mean of 10 and 20; the 99 is padding"
)

# Sentence 0 hides key 1, sentence 1 hides key 0.
blocked = torch.tensor([[[False, True]], [[True, False]]])  # (B, n_q, n_k)
repeated = masks_for_heads(blocked, 3)
print("hidden keys, head by head:", repeated.int().argmax(-1).flatten().tolist())
assert repeated.shape == (6, 1, 2), (
    "masks_for_heads: 2 sentences and 3 heads should give (6, 1, 2)"
)
assert repeated.int().argmax(-1).flatten().tolist() == [1, 1, 1, 0, 0, 0], (
    "masks_for_heads: first the three heads of sentence 0, then those of sentence 1"
)
print("padding_mask: the tiny example is right")

# %% [markdown]
# ## 4. The function
#
# `F.scaled_dot_product_attention(Q, K, V, attn_mask=...)` works on tensors that are split already, and its bool mask
# says who **may** be looked at. It must fit `(B, h, n_q, n_k)`; axes of size 1 are stretched.
#
# `sdpa(Q, K, V, pad)` takes `Q` `(B, h, n_q, d_k)`, `K` and `V` `(B, h, n_k, d_k)` and `pad` `(B, n_k)`, **True at
# padding** as before, and returns the context `(B, h, n_q, d_k)`. Use the function.


# %% solution sdpa
### BEGIN SOLUTION
def sdpa(Q, K, V, pad):
    """Attention with F.scaled_dot_product_attention: (B, h, n_q, d_k).

    Q (B, h, n_q, d_k), K and V (B, h, n_k, d_k); pad (B, n_k) is True at padding.
    """
    may_look = ~pad[:, None, None, :]  # (B, 1, 1, n_k)
    return F.scaled_dot_product_attention(Q, K, V, attn_mask=may_look)  # (B, h, n_q, d_k)


### STUB
# def sdpa(Q, K, V, pad):
#     """Attention with F.scaled_dot_product_attention: (B, h, n_q, d_k).
#
#     Q (B, h, n_q, d_k), K and V (B, h, n_k, d_k); pad (B, n_k) is True at padding.
#     """
#     raise NotImplementedError(
#         "sdpa: give pad axes for heads and queries, and mind what True means here"
#     )
### END SOLUTION

# %% tests sdpa points=3
# Zero queries: everybody looks at all keys alike. The values are 2, 4 and 90, and the last key
# is padding.
Q, K = torch.zeros(1, 1, 2, 4), torch.ones(1, 1, 3, 4)  # (B, h, n_q, d_k), (B, h, n_k, d_k)
V = torch.tensor([2.0, 4.0, 90.0])[None, None, :, None].repeat(1, 1, 1, 4)
context = sdpa(Q, K, V, torch.tensor([[False, False, True]]))
print("asked for (1, 1, 2, 4), got", tuple(context.shape), "holding", context.unique().tolist())
assert context.shape == (1, 1, 2, 4), (
    "sdpa: the context should have shape (B, h, n_q, d_k) = (1, 1, 2, 4)"
)
assert torch.allclose(context.float(), torch.tensor(3.0)), (
    "sdpa: every number should be 3, the mean of 2 and 4"
)
print("sdpa: the tiny example is right")

# %% [markdown]
# ## 5. Queries from one sentence, keys from another
#
# In **cross-attention** a decoder asks and an encoder answers: the queries come from one sequence, keys and values from
# another. `n_q` and `n_k` differ, the output has one row for each **query**, and the padding that must be hidden is
# that of the **keys**. (Attention in a sequence-to-sequence network with one head and no projections is the same
# thing.) A Transformer's decoder layer has both kinds: self-attention that may only look back (a *causal* mask), then
# cross-attention to the encoder, then a small network that works on each token by itself.
#
# ```
#   decoder (B, n_q, d_model) ── W_q ──▶ who asks         out     (B, n_q, d_model)
#   encoder (B, n_k, d_model) ── W_k ──▶ who is asked     weights (B, h, n_q, n_k)
#                             └─ W_v ──▶ what is fetched  pad     (B, n_k)
# ```
#
# `cross_attention(mha, decoder, encoder, pad)` returns the output `(B, n_q, d_model)` and the weights of every head
# `(B, h, n_q, n_k)`; `pad` `(B, n_k)` is True at the encoder's padding.


# %% solution cross_attention
### BEGIN SOLUTION
def cross_attention(mha, decoder, encoder, pad):
    """The decoder looks at the encoder: output (B, n_q, d_model), weights (B, h, n_q, n_k).

    decoder (B, n_q, d_model), encoder (B, n_k, d_model); pad (B, n_k) is True at padding.
    """
    return mha(decoder, encoder, encoder, key_padding_mask=pad, average_attn_weights=False)


### STUB
# def cross_attention(mha, decoder, encoder, pad):
#     """The decoder looks at the encoder: output (B, n_q, d_model), weights (B, h, n_q, n_k).
#
#     decoder (B, n_q, d_model), encoder (B, n_k, d_model); pad (B, n_k) is True at padding.
#     """
#     raise NotImplementedError(
#         "cross_attention: first who asks, then twice who is asked, then whose padding it is"
#     )
### END SOLUTION

# %% tests cross_attention points=3
decoder = torch.tensor([[[-5.0, -5.0], [-7.0, -7.0]]])  # (B, n_q, d_model)
encoder = torch.tensor([[[1.0, 1.0], [3.0, 3.0], [80.0, 80.0]]])  # (B, n_k, d_model)
with torch.no_grad():
    pad = torch.tensor([[False, False, True]])
    out, weights = cross_attention(seeing_mha(2, 2), decoder, encoder, pad)
print("asked for (1, 2, 2) and (1, 2, 2, 3), got", *(tuple(x.shape) for x in (out, weights)))
print("token 0 answers", out[0, 0].tolist())
assert out.shape == (1, 2, 2), (
    "cross_attention: one row for each query, (B, n_q, d_model) = (1, 2, 2)"
)
assert weights.shape == (1, 2, 2, 3), (
    "cross_attention: the weights should have shape (B, h, n_q, n_k) = (1, 2, 2, 3)"
)
assert torch.allclose(out.float(), torch.tensor(2.0)), (
    "cross_attention: every answer should be 2, the mean of the encoder's real tokens 1 and 3"
)
print("cross_attention: the tiny example is right")

# %% [markdown]
# ## 6. Alone and in a batch
#
# Padding is there for the computer, not for the sentence. So a sentence must get the same answer in a padded batch as
# alone. This is the best check of a mask that there is, and you can use it on any model.
#
# `batch_invariance(mha, x, lengths, masked)` measures it. It runs the whole batch `x` `(B, n, d_model)` at once, with
# the padding mask when `masked` is True and without any mask when it is False. Then it runs every sentence **alone**,
# cut to its real tokens. It returns, for each sentence, the largest absolute difference between the two outputs over
# its real tokens and all columns: `(B,)`.


# %% solution batch_invariance
### BEGIN SOLUTION
def batch_invariance(mha, x, lengths, masked):
    """Largest difference of each sentence of x (B, n, d_model) in the batch and alone: (B,).

    lengths (B,) are the numbers of real tokens; masked is True or False.
    """
    pad = torch.arange(x.shape[1])[None, :] >= lengths[:, None]  # (B, n)
    together, _ = mha(x, x, x, key_padding_mask=pad if masked else None)
    differences = []
    for sentence, answer, length in zip(x, together, lengths.tolist(), strict=True):
        real = sentence[None, :length]  # (1, length, d_model)
        alone, _ = mha(real, real, real)
        differences.append((answer[:length] - alone[0]).abs().max())
    return torch.stack(differences)  # (B,)


### STUB
# def batch_invariance(mha, x, lengths, masked):
#     """Largest difference of each sentence of x (B, n, d_model) in the batch and alone: (B,).
#
#     lengths (B,) are the numbers of real tokens; masked is True or False.
#     """
#     raise NotImplementedError(
#         "batch_invariance: the batch at once, each sentence cut to its length, then compare"
#     )
### END SOLUTION

# %% tests batch_invariance points=4
# The sentences of task 3. Without a mask sentence 1 answers 43, the mean of 10, 20 and 99, and
# not 15.
x = torch.tensor([[0.0, 1.0, 2.0], [10.0, 20.0, 99.0]])
x = x[:, :, None].repeat(1, 1, 2)  # (B, n, d_model)
lengths = torch.tensor([3, 2])
with torch.no_grad():
    without = batch_invariance(seeing_mha(2, 2), x, lengths, False)
    with_mask = batch_invariance(seeing_mha(2, 2), x, lengths, True)
print("differences without a mask:", without.tolist())
print("differences with the mask: ", with_mask.tolist())
assert without.shape == (2,), "batch_invariance: one number for each sentence, (B,) = (2,)"
assert torch.allclose(without.float(), torch.tensor([0.0, 28.0]), atol=1e-4), (
    "batch_invariance: without a mask, sentence 0 (no padding) should differ by 0 "
    "and sentence 1 by 43 - 15 = 28"
)
assert torch.allclose(with_mask.float(), torch.zeros(2), atol=1e-4), (
    "batch_invariance: with the mask, no sentence should notice the batch"
)
print("batch_invariance: the tiny example is right")

# %% [markdown]
# ## And `batch_first`?
#
# All layers here were made with `batch_first=True`. Without it, the default, the first axis is read as the sequence.
# Nothing complains: the shape comes back unchanged. But tokens with the same number in **different sentences** have
# then looked at each other. The same check as above shows it: change sentence 1 and see whether sentence 0 notices.

# %% locked batch_first
torch.manual_seed(0)
x = torch.randn(2, 3, 4)  # (B, n, d_model)
changed = torch.stack([x[0], x[1] + 1])
for batch_first in (True, False):
    mha = nn.MultiheadAttention(4, 2, batch_first=batch_first).eval()
    with torch.no_grad():
        moved = (mha(x, x, x)[0][0] - mha(changed, changed, changed)[0][0]).abs().max()
    print(f"batch_first={batch_first}: sentence 0 changes by {moved:.3f} when sentence 1 does")

# %% [markdown]
# ## What went wrong?
#
# - **NaN.** Some sentence had nothing left to look at. Is the mask the wrong way round? A sentence without padding then
#   hides all of its keys.
# - **The numbers are nearly right, and padding gets a little weight.** A mask of 0.0 and 1.0 was *added* to the scores.
#   Make it bool.
# - **Right for one sentence, wrong for two.** `repeat` lays the batch out again and again; `repeat_interleave` repeats
#   each sentence.
# - **`a leaf Variable that requires grad is being used in an in-place operation`.** Copy inside `torch.no_grad()`.
# - **Training one layer changes the other.** The two share their memory. `copy_` copies; assigning to `.data` does not.
# - **`'NoneType' object has no attribute ...`.** This layer has no `in_proj_weight`.
# - **The weights have one axis too few.** You have the mean of the heads.
#
# One to take along: `F.scaled_dot_product_attention` has no evaluation mode. Whatever you pass as `dropout_p` is
# dropped, always.
