"""Right answers to the bug hunt that look different from the model answer."""

import math
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn


def split_loop(x, h):
    return torch.stack([x[..., i * (x.shape[-1] // h) : (i + 1) * (x.shape[-1] // h)] for i in range(h)], dim=1)


def split_double(x, h):
    return x.double().unflatten(-1, (h, -1)).movedim(2, 1)


def split_per_sentence(x, h):
    B, n, d_model = x.shape
    out = torch.empty(B, h, n, d_model // h)
    for b in range(B):
        for head in range(h):
            out[b, head] = x[b, :, head * (d_model // h) :][:, : d_model // h]
    return out


def merge_loop(weights, V):
    return torch.cat([weights[:, i] @ V[:, i] for i in range(V.shape[1])], dim=-1)


def merge_bmm(weights, V):
    B, h, n_q, n_k = weights.shape
    out = torch.bmm(weights.reshape(B * h, n_q, n_k), V.reshape(B * h, n_k, -1))
    return out.view(B, h, n_q, -1).permute(0, 2, 1, 3).contiguous().view(B, n_q, -1)


def hand_made(x, state, h, pad=None, fill=-math.inf):
    """Attention by einsum, with parameters that need a gradient."""
    B, n, d_model = x.shape
    W = nn.Parameter(state["in_proj_weight"])
    q, k, v = (x @ W.T + state["in_proj_bias"]).view(B, n, 3, h, d_model // h).unbind(2)
    scores = torch.einsum("bqhd,bkhd->bhqk", q * (d_model // h) ** -0.5, k)
    if pad is not None:
        scores = scores.masked_fill(pad[:, None, None], fill)
    weights = scores.exp() / scores.exp().sum(-1, keepdim=True) if fill == -math.inf else scores.softmax(-1)
    out = torch.einsum("bhqk,bkhd->bqhd", weights, v).flatten(2)
    return out @ state["out_proj.weight"].T + state["out_proj.bias"], weights


def module(x, state, h, **options):
    mha = nn.MultiheadAttention(x.shape[-1], h, **options)
    mha.load_state_dict(state)
    return mha


def transposed(x, state, h):
    turned = x.transpose(0, 1)
    return module(x, state, h)(turned, turned, turned)[0].transpose(0, 1)


def one_at_a_time(x, state, h):
    mha = module(x, state, h).eval()
    with torch.no_grad():
        return torch.stack([mha(s, s, s, need_weights=False)[0] for s in x])


def double_module(x, state, h):
    mha = module(x, state, h, batch_first=True).double()
    y = x.double()
    return mha(y, y, y)[0]


def functional(x, state, h):
    turned, d_model = x.transpose(0, 1), x.shape[-1]
    out, _ = F.multi_head_attention_forward(
        turned, turned, turned, d_model, h, state["in_proj_weight"], state["in_proj_bias"], None, None, False, 0.0,
        state["out_proj.weight"], state["out_proj.bias"], training=False,
    )  # fmt: skip
    return out.permute(1, 0, 2)


def transposed_mask(x, token, state, h):
    turned = x.transpose(0, 1)
    mha = module(x, state, h)
    return mha(turned, turned, turned, key_padding_mask=torch.logical_not(token))[0].transpose(0, 1)


def float_mask(x, token, state, h):
    mask = torch.zeros(token.shape).masked_fill(token == False, float("-inf"))  # noqa: E712
    return module(x, state, h, batch_first=True)(x, x, x, key_padding_mask=mask)[0]


def pair_mask(x, token, state, h):
    hidden = (1 - token.float()).bool()[:, None, :].expand(-1, x.shape[1], -1).repeat_interleave(h, 0)
    return module(x, state, h, batch_first=True)(x, x, x, attn_mask=hidden)[0]


def cut_to_length(x, token, state, h):
    mha, out = module(x, state, h, batch_first=True).eval(), torch.zeros_like(x)
    with torch.no_grad():
        for b, real in enumerate(token):
            s = x[b : b + 1, real]
            out[b, real] = mha(s, s, s)[0][0]
    return out


def sdpa_mask(x, token, state, h):
    q, k, v = F.linear(x, state["in_proj_weight"], state["in_proj_bias"]).chunk(3, -1)
    Q, K, V = (t.unflatten(-1, (h, -1)).transpose(1, 2) for t in (q, k, v))
    out = F.scaled_dot_product_attention(Q, K, V, attn_mask=token[:, None, None, :])
    return F.linear(out.transpose(1, 2).flatten(2), state["out_proj.weight"], state["out_proj.bias"])


def module_fast_path(x, token, state, h):
    mha = module(x, state, h, batch_first=True).eval()
    with torch.inference_mode():
        return mha(x, x, x, key_padding_mask=~token, need_weights=False)[0]


def renormalised_mask(x, token, state, h):
    _, weights = hand_made(x, state, h)
    weights = weights * token[:, None, None]
    weights = weights / weights.sum(-1, keepdim=True)
    v = F.linear(x, state["in_proj_weight"], state["in_proj_bias"])[..., 2 * x.shape[-1] :]
    out = torch.einsum("bhqk,bkhd->bqhd", weights, v.unflatten(-1, (h, -1))).flatten(2)
    return F.linear(out, state["out_proj.weight"], state["out_proj.bias"])


def head_by_hand(x, state, h, i):
    d_model, d_k = x.shape[-1], x.shape[-1] // h
    rows = slice(i * d_k, (i + 1) * d_k)
    W_q, W_k, _ = state["in_proj_weight"].chunk(3)
    b_q, b_k, _ = state["in_proj_bias"].view(3, d_model)
    q, k = x @ W_q[rows].T + b_q[rows], x @ W_k[rows].T + b_k[rows]
    return (q @ k.mT / d_k**0.5).softmax(-1)


def head_without_key_bias(x, state, h, i):
    """The key bias moves all scores of a query alike, so leaving it out is right."""
    bias = state["in_proj_bias"].clone()
    bias[x.shape[-1] : 2 * x.shape[-1]] = 0
    return head_by_hand(x, {**state, "in_proj_bias": bias}, h, i)


def head_of_transposed(x, state, h, i):
    turned = x.transpose(0, 1)
    return module(x, state, h)(turned, turned, turned, average_attn_weights=False)[1].unbind(1)[i]


def head_after_the_call(x, state, h, i):
    with torch.no_grad():
        return module(x, state, h, batch_first=True).eval()(x, x, x, average_attn_weights=False)[1].select(1, i)


def scale_on_both(Q, K):
    s = Q.shape[-1] ** -0.25
    return torch.softmax((Q * s) @ (K * s).mT, -1)


def scale_double(Q, K):
    return (Q.double() @ K.double().transpose(2, 3)).div(math.sqrt(K.size(3))).softmax(3)


def scale_own_softmax(Q, K):
    scores = torch.einsum("bhqd,bhkd->bhqk", Q, K) * Q.size(-1) ** -0.5
    e = (scores - scores.amax(-1, keepdim=True)).exp()
    return e / e.sum(-1, keepdim=True)


def scale_bmm(Q, K):
    B, h, n_q, d_k = Q.shape
    scores = torch.bmm(Q.flatten(0, 1), K.flatten(0, 1).transpose(1, 2)) / d_k**0.5
    return F.softmax(scores, dim=2).view(B, h, n_q, -1)


def scale_sdpa(Q, K):
    """The identity as values brings the weights out of sdpa."""
    eye = torch.eye(K.shape[2]).expand(*K.shape[:2], -1, -1)
    return F.scaled_dot_product_attention(Q, K, eye)


def assert_and_split(x, h):
    B, n, d_model = x.shape
    assert d_model % h == 0, (d_model, h)
    return x.reshape(B, n, h, -1).permute(0, 2, 1, 3)


def refuse_by_product(x, h):
    d_model = x.size(2)
    d_k = d_model // h
    if h * d_k < d_model:
        raise ValueError(f"{h} heads x {d_k} != {d_model}")
    return torch.einsum("bnhd->bhnd", x.view(*x.shape[:2], h, d_k))


def refuse_by_divmod(x, h):
    d_k, rest = divmod(x.shape[-1], h)
    if rest:
        raise ValueError("cannot split d_model=%d into h=%d heads" % (x.shape[-1], h))  # noqa: UP031
    return torch.stack(x.split(d_k, -1), 1)


def refuse_from_module(x, h):
    try:
        return x.unflatten(-1, (h, x.shape[-1] // h)).transpose(-3, -2)
    except RuntimeError as error:
        raise ValueError(f"d_model {x.shape[-1]}, h {h}") from error


VARIANTS: dict[str, list[Callable[..., Any]]] = {
    "wrong_view": [
        split_loop,
        split_double,
        split_per_sentence,
        lambda x, h: torch.einsum("bnhd->bhnd", x.reshape(*x.shape[:2], h, -1)),
        lambda x, h: torch.stack(x.chunk(h, dim=-1)).transpose(0, 1),
        lambda x, h: x.transpose(1, 2).reshape(x.shape[0], h, -1, x.shape[1]).transpose(2, 3),
    ],
    "missing_transpose": [
        merge_loop,
        merge_bmm,
        lambda weights, V: torch.einsum("bhqk,bhkd->bqhd", weights, V).flatten(2),
        lambda weights, V: (weights.double() @ V.double()).permute(0, 2, 1, 3).flatten(2).requires_grad_(),
        lambda weights, V: torch.cat((weights @ V).unbind(1), dim=2),
    ],
    "batch_first": [
        transposed,
        one_at_a_time,
        double_module,
        functional,
        lambda x, state, h: hand_made(x, state, h)[0],
    ],
    "inverted_mask": [
        transposed_mask,
        float_mask,
        pair_mask,
        cut_to_length,
        sdpa_mask,
        module_fast_path,
        renormalised_mask,
        lambda x, token, state, h: hand_made(x, state, h, pad=~token)[0],
        lambda x, token, state, h: hand_made(x, state, h, pad=~token, fill=-1e9)[0],
    ],
    "averaged_weights": [
        head_by_hand,
        head_without_key_bias,
        head_of_transposed,
        head_after_the_call,
        lambda x, state, h, i: hand_made(x, state, h)[1][:, i],
    ],
    "d_model_scaling": [scale_on_both, scale_double, scale_own_softmax, scale_bmm, scale_sdpa],
    "indivisible_heads": [assert_and_split, refuse_by_product, refuse_by_divmod, refuse_from_module],
}
