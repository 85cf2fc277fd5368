"""Multi-head attention as a pipeline of stages, each of them one small step on what was computed before.

A step gets the context, a dictionary of everything computed so far, and returns what it adds or replaces. Replacing one
step by a wrong one gives the numbers of a student who made that mistake: see `solutions.mistakes`.

What the context holds, stage by stage:

    start      q (B, n_q, d_model), k and v (B, n_k, d_model), pad (B, n_k) or None, state, h
    inputs     x_q, x_k, x_v    what each projection is fed with
    project    Q, K, V          (B, n, d_model)
    split      Q, K, V          (B, h, n, d_k)
    scores     scores           (B, h, n_q, n_k), not scaled
    scale      scores, plain    `plain` stays as it is here, not masked
    mask       scores           padding filled up
    softmax    weights          every row adds up to 1
    reweigh    weights          nothing is left to do: where wrong code masks or drops
    rescale    weights          nothing is left to do: where wrong code scales
    weights    shown            the weights that are handed back
    context    context          (B, h, n_q, d_k)
    merge      merged           (B, n_q, d_model)
    output     out              (B, n_q, d_model)
    returned   result           (out, shown)
"""

from __future__ import annotations

import math
from typing import Any

import torch
import torch.nn.functional as F
from headcheck.diagnosis.bank import Choice, Context, Step
from headcheck.diagnosis.stages import Check, Pipeline, Right
from headcheck.diagnosis.symptoms import Part
from headcheck.i18n import N_

State = dict[str, torch.Tensor]
"""Parameters of the module: W_q.weight (d_model, d_model), W_q.bias (d_model), and so on for W_k, W_v, W_o."""


def feed_inputs(c: Context) -> Context:
    """Feed each projection with its own input."""
    return {"x_q": c["q"], "x_k": c["k"], "x_v": c["v"]}


def linear(c: Context, x: torch.Tensor, name: str) -> torch.Tensor:
    """Apply one of the linear layers, W_q, W_k, W_v or W_o."""
    return F.linear(x, c["state"][f"{name}.weight"], c["state"][f"{name}.bias"])


def project(c: Context) -> Context:
    """Apply the three input projections."""
    return {"Q": linear(c, c["x_q"], "W_q"), "K": linear(c, c["x_k"], "W_k"), "V": linear(c, c["x_v"], "W_v")}


def split_heads(x: torch.Tensor, h: int) -> torch.Tensor:
    """Deal the columns out to the heads: (B, n, d_model) -> (B, h, n, d_k)."""
    B, n, d_model = x.shape
    return x.reshape(B, n, h, d_model // h).transpose(1, 2)  # (B, h, n, d_k)


def split(c: Context) -> Context:
    """Split queries, keys and values into heads."""
    return {name: split_heads(c[name], c["h"]) for name in "QKV"}


def score(c: Context) -> Context:
    """Compare every query with every key."""
    return {"scores": c["Q"] @ c["K"].transpose(-2, -1)}  # (B, h, n_q, n_k)


def scaled(c: Context, factor: float) -> Context:
    """Multiply the scores, and remember them unmasked."""
    scores = c["scores"] * factor
    return {"scores": scores, "plain": scores}


def scale(c: Context) -> Context:
    """Divide by sqrt(d_k)."""
    return scaled(c, 1 / math.sqrt(c["Q"].shape[-1]))


def fill_padding(fill: float) -> Step:
    """Make the step that fills the scores of padded keys."""

    def mask(c: Context) -> Context:
        if c["pad"] is None:
            return {}
        return {"scores": c["scores"].masked_fill(c["pad"][:, None, None, :], fill)}

    return mask


def softmax(c: Context) -> Context:
    """Turn the scores of each query into weights that add up to 1."""
    return {"weights": c["scores"].softmax(dim=-1)}


def nothing(c: Context) -> Context:
    """Do nothing."""
    return {}


def no_nan(c: Context) -> Context:
    """Give rows in which every key is hidden the weight 0 instead of NaN."""
    return {"weights": c["weights"].nan_to_num(0.0)} if bool(c["weights"].isnan().any()) else {}


def show(c: Context) -> Context:
    """Hand back the weights that are used."""
    return {"shown": c["weights"]}


def attend(c: Context) -> Context:
    """Mix the values."""
    return {"context": c["weights"] @ c["V"]}  # (B, h, n_q, d_k)


def merge_heads(heads: torch.Tensor, h: int) -> torch.Tensor:
    """Lay the heads side by side: (B, h, n, d_k) -> (B, n, h * d_k)."""
    return heads.transpose(1, 2).reshape(heads.shape[0], -1, h * heads.shape[-1])  # (B, n, d_model)


def merge(c: Context) -> Context:
    """Merge the heads of the context."""
    return {"merged": merge_heads(c["context"], c["h"])}


def project_out(c: Context) -> Context:
    """Mix the heads with W_o."""
    return {"out": linear(c, c["merged"], "W_o")}


def output_of(c: Context) -> torch.Tensor:
    """Return the first of the two results: the output, or the context where there is no output projection."""
    out: torch.Tensor = c["out"] if "out" in c else c["context"]
    return out


def pack(c: Context) -> Context:
    """Hand back both results."""
    return {"result": (output_of(c), c["shown"])}


BETWEEN: dict[str, Step] = {
    "scores": score,
    "scale": scale,
    "mask": fill_padding(-math.inf),
    "softmax": softmax,
    "reweigh": nothing,
    "rescale": nothing,
}
"""From queries and keys to weights."""


def tensors(value: Any) -> list[torch.Tensor]:
    """List the tensors in a value."""
    if isinstance(value, torch.Tensor):
        return [value]
    return [tensor for part in value for tensor in tensors(part)] if isinstance(value, (tuple, list)) else []


def is_finite(got: Any) -> bool:
    """Tell whether a seen result is free of NaN and infinity."""
    return all(bool(tensor.isfinite().all()) for tensor in tensors(got))


def has_empty_rows(got: Any) -> bool:
    """Tell whether some row of the seen weights is zero."""
    return is_finite(got) and any(bool((tensor == 0).all(dim=-1).any()) for tensor in tensors(got) if tensor.ndim)


OTHERS = {
    "mask": [Right(fill_padding(-1e9), lambda got: is_finite(got) and not has_empty_rows(got))],
    "reweigh": [Right(no_nan, has_empty_rows)],
}
"""Right steps that give other numbers where nothing is left to look at. -1e9 and -inf agree everywhere else."""


def start_module(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, pad: torch.Tensor | None, state: State, h: int
) -> Context:
    """Begin with the inputs of the module.

    Args:
        q: (B, n_q, d_model).
        k: (B, n_k, d_model).
        v: (B, n_k, d_model).
        pad: bool (B, n_k), True = padding, or None.
        state: the parameters.
        h: number of heads.

    Returns:
        The first context.
    """
    return {"q": q, "k": k, "v": v, "pad": pad, "state": state, "h": h}


def start_attention(Q: torch.Tensor, K: torch.Tensor, V: torch.Tensor, pad: torch.Tensor | None = None) -> Context:
    """Begin with heads: Q (B, h, n_q, d_k), K and V (B, h, n_k, d_k), pad bool (B, n_k) or None."""
    return {"Q": Q, "K": K, "V": V, "pad": pad, "h": Q.shape[1]}


def start_weights(Q: torch.Tensor, K: torch.Tensor) -> Context:
    """Begin with heads whose weights alone are wanted: Q (B, h, n_q, d_k), K (B, h, n_k, d_k)."""
    return {"Q": Q, "K": K, "pad": None, "h": Q.shape[1]}


def start_merge(heads: torch.Tensor) -> Context:
    """Begin with heads (B, h, n, d_k) that are to be merged."""
    return {"context": heads, "h": heads.shape[1]}


def start_join(weights: torch.Tensor, V: torch.Tensor) -> Context:
    """Begin with weights (B, h, n_q, n_k) and values (B, h, n_k, d_k) whose product is to be merged."""
    return {"context": weights @ V, "V": V, "h": V.shape[1]}


def weights_of(got: Any) -> Any:
    """Take the weights out of a pair of results; None when it is no pair of tensors."""
    is_pair = isinstance(got, (tuple, list)) and len(got) == 2 and all(isinstance(part, torch.Tensor) for part in got)
    return got[1] if is_pair else None


WEIGHTS_SETTLED = Check("weights", lambda c: c["shown"], weights_of, packed_by="returned")

WITH_PREVIOUS = frozenset({"scale"})

LABELS = {
    "inputs": N_("the inputs of the projections"),
    "project": N_("the input projections"),
    "split": N_("the split into heads"),
    "scores": N_("the products of queries and keys"),
    "scale": N_("the scale of the scores"),
    "mask": N_("the mask"),
    "softmax": N_("the softmax"),
    "reweigh": N_("the weights after softmax"),
    "rescale": N_("the weights after softmax"),
    "weights": N_("the weights that are handed back"),
    "context": N_("the mixing of the values"),
    "merge": N_("the merging of the heads"),
    "output": N_("the output projection"),
    "returned": N_("what is returned"),
}
"""What a stage is called before a student."""

SENTENCES, HEADS, QUERIES = N_("sentences"), N_("heads"), N_("queries")
WEIGHTS = Part(N_("weights"), (SENTENCES, HEADS, QUERIES, N_("keys")), is_share=True)

MODULE = Pipeline(
    start_module,
    {
        "inputs": feed_inputs,
        "project": project,
        "split": split,
        **BETWEEN,
        "weights": show,
        "context": attend,
        "merge": merge,
        "output": project_out,
        "returned": pack,
    },
    lambda c: c["result"],
    [WEIGHTS_SETTLED],
    OTHERS,
    WITH_PREVIOUS,
    LABELS,
    [Part(N_("output"), (SENTENCES, QUERIES, N_("columns"))), WEIGHTS],
)

ATTENTION = Pipeline(
    start_attention,
    {**BETWEEN, "weights": show, "context": attend, "returned": pack},
    lambda c: c["result"],
    [WEIGHTS_SETTLED],
    OTHERS,
    WITH_PREVIOUS,
    LABELS,
    [Part(N_("context"), (SENTENCES, HEADS, QUERIES, N_("columns"))), WEIGHTS],
)

PIPELINES = {
    "multi_head_attention": MODULE,
    "attention": ATTENTION,
    "merge_heads": Pipeline(start_merge, {"merge": merge}, lambda c: c["merged"]),
    "missing_transpose": Pipeline(start_join, {"merge": merge}, lambda c: c["merged"]),
    "d_model_scaling": Pipeline(
        start_weights,
        {name: step for name, step in BETWEEN.items() if name != "mask"},
        lambda c: c["weights"],
    ),
}
"""Task -> the stages in which its answer is computed."""


def run(
    choices: Choice,
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    pad: torch.Tensor | None,
    parameters: State,
    h: int,
) -> Any:
    """Compute multi-head attention with some stages replaced.

    Args:
        choices: stage -> step that is taken there instead of the right one; empty for the right result.
        q: (B, n_q, d_model).
        k: (B, n_k, d_model).
        v: (B, n_k, d_model).
        pad: bool (B, n_k), True = padding, or None.
        parameters: of the module.
        h: number of heads.

    Returns:
        Output (B, n_q, d_model) and weights (B, h, n_q, n_k); whatever else the wrong steps make of them.
    """
    return MODULE.run(choices, q, k, v, pad, parameters, h)
