"""Mistakes with torch's own layer and function: copying parameters, asking for weights, masks, the check in a batch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from headcheck.diagnosis.bank import Mistake
from headcheck.i18n import N_

from solutions import torch_module
from solutions.attention import State
from solutions.mistakes.pieces import module
from solutions.torch_module import padding_of, without_padding_rows

Way = Callable[..., Any]


def _copied(order: str) -> Way:
    """Copy with the input projections in another order."""

    def way(ours: State, before: State) -> State:
        renamed = {**ours}
        for place, source in zip("qkv", order, strict=True):
            for part in ("weight", "bias"):
                renamed[f"W_{place}.{part}"] = ours[f"W_{source}.{part}"]
        return _fitting(torch_module.copy_weights(renamed, before), before)

    return way


def _fitting(after: State, before: State) -> State:
    """Refuse to copy what has another shape, in whatever words."""
    if any(tensor.shape != before[name].shape for name, tensor in after.items()):
        raise RuntimeError
    return after


def _kept(*names: str) -> Way:
    """Copy all but some parameters of torch's layer."""

    def way(ours: State, before: State) -> State:
        return torch_module.copy_weights(ours, before) | {name: before[name] for name in names if name in before}

    return way


def _transposed(*layers: str) -> Way:
    def way(ours: State, before: State) -> State:
        turned = {f"{layer}.weight": ours[f"{layer}.weight"].T for layer in layers}
        return _fitting(torch_module.copy_weights(ours | turned, before), before)

    return way


def _copied_where_packed(order: str) -> Way:
    """Mix up in_proj_weight and the biases; weights of their own find their places."""

    def way(ours: State, before: State) -> State:
        after = torch_module.copy_weights(ours, before)
        after["in_proj_bias"] = torch.cat([ours[f"W_{source}.bias"] for source in order])
        if "in_proj_weight" in after:
            after["in_proj_weight"] = torch.cat([ours[f"W_{source}.weight"] for source in order])
        return after

    return way


def _packed_only(ours: State, before: State) -> State:
    if "in_proj_weight" not in before:
        raise AttributeError("'NoneType' object has no attribute 'copy_'")
    return torch_module.copy_weights(ours, before)


def _packed_only_by_slices(ours: State, before: State) -> State:
    if "in_proj_weight" not in before:
        raise TypeError("'NoneType' object is not subscriptable")
    return torch_module.copy_weights(ours, before)


def _with_gradient(ours: State, before: State) -> State:
    raise RuntimeError("a leaf Variable that requires grad is being used in an in-place operation.")


def _with_gradient_in_a_slice(ours: State, before: State) -> State:
    raise RuntimeError("a view of a leaf Variable that requires grad is being used in an in-place operation.")


def _key_bias_kept(ours: State, before: State) -> State:
    after = torch_module.copy_weights(ours, before)
    third = len(after["out_proj.bias"])
    bias = after["in_proj_bias"].clone()
    bias[third : 2 * third] = before["in_proj_bias"][third : 2 * third]
    return after | {"in_proj_bias": bias}


def _mha(state: State, h: int) -> torch.nn.MultiheadAttention:
    return module(state, h, batch_first=True)


def _padded(mask: Callable[[torch.Tensor, torch.Tensor], torch.Tensor | None], **options: Any) -> Way:
    """Call the layer with another mask, made of the lengths and x."""

    def way(x: torch.Tensor, lengths: torch.Tensor, state: State, h: int) -> Any:
        options_here = {"average_attn_weights": False} | options
        got = _mha(state, h)(x, x, x, key_padding_mask=mask(lengths, x), **options_here)
        if got[1] is None or got[1].ndim != 4:
            return got
        return without_padding_rows(*got, lengths)

    return way


def _sdpa(mask: Callable[[torch.Tensor], torch.Tensor | None], factor: float = 1.0, **options: Any) -> Way:
    """Call the function with another mask or another scale."""

    def way(Q: torch.Tensor, K: torch.Tensor, V: torch.Tensor, pad: torch.Tensor) -> torch.Tensor:
        return F.scaled_dot_product_attention(Q * factor, K, V, attn_mask=mask(pad), **options)

    return way


def _keep(pad: torch.Tensor) -> torch.Tensor:
    return ~pad[:, None, None, :]


def _scaled_before(Q: torch.Tensor, K: torch.Tensor, V: torch.Tensor, pad: torch.Tensor) -> torch.Tensor:
    return F.scaled_dot_product_attention(Q / Q.shape[-1] ** 0.5, K, V, attn_mask=_keep(pad))


def _crossed(roles: str = "dee", order: int = 1, **options: Any) -> Way:
    """Call the layer with d (decoder) and e (encoder) in other roles, another order of results, or other options."""

    def way(decoder: torch.Tensor, encoder: torch.Tensor, pad: torch.Tensor, state: State, h: int) -> Any:
        q, k, v = ({"d": decoder, "e": encoder}[role] for role in roles)
        asked = {"key_padding_mask": pad, "average_attn_weights": False} | options
        if callable(asked["key_padding_mask"]):
            asked["key_padding_mask"] = asked["key_padding_mask"](pad)
        return _mha(state, h)(q, k, v, **asked)[::order]

    return way


def _measured(
    x: torch.Tensor,
    lengths: torch.Tensor,
    masked: bool,
    state: State,
    h: int,
    polarity: bool = False,
    cut: bool = True,
    measure: Callable[[torch.Tensor], torch.Tensor] = lambda difference: difference.abs().max(),
    to_the_end: bool = False,
) -> torch.Tensor:
    """Measure the differences between batch and alone in another way."""
    mha, pad = _mha(state, h), padding_of(lengths, x.shape[1])
    together = mha(x, x, x, key_padding_mask=(~pad if polarity else pad) if masked else None)[0]
    found = []
    for b, length in enumerate(lengths.tolist()):
        real = x[b : b + 1, : length if cut else None]
        alone = mha(real, real, real)[0][0]
        if to_the_end:
            alone = torch.cat([alone, alone.new_zeros(x.shape[1] - len(alone), alone.shape[1])])
            length = x.shape[1]
        found.append(measure(together[b, :length] - alone[:length]))
    return torch.stack(found)


def _invariance(**other: Any) -> Way:
    return lambda x, lengths, masked, state, h: _measured(x, lengths, masked, state, h, **other)


def _over_the_batch(x: torch.Tensor, lengths: torch.Tensor, masked: bool, state: State, h: int) -> torch.Tensor:
    return _measured(x, lengths, masked, state, h).max()


def _over_the_batch_repeated(
    x: torch.Tensor, lengths: torch.Tensor, masked: bool, state: State, h: int
) -> torch.Tensor:
    return _measured(x, lengths, masked, state, h).max().expand(len(x))


FURTHER: dict[str, dict[str, tuple[Way, ...]]] = {
    "weights-averaged-over-heads": {
        "head_weights": (lambda x, state, h: _mha(state, h)(x, x, x)[1],),
        "padding_mask": (_padded(lambda lengths, x: padding_of(lengths, x.shape[1]), average_attn_weights=True),),
        "cross_attention": (_crossed(average_attn_weights=True),),
    },
    "weights-not-returned": {
        "head_weights": (lambda x, state, h: None,),
        "cross_attention": (_crossed(need_weights=False),),
        "padding_mask": (_padded(lambda lengths, x: padding_of(lengths, x.shape[1]), need_weights=False),),
    },
    "output-and-weights-returned": {
        "head_weights": (lambda x, state, h: _mha(state, h)(x, x, x, average_attn_weights=False),)
    },
    "batch-and-sequence-swapped": {
        "head_weights": (lambda x, state, h: _mha(state, h)(*[x.transpose(0, 1)] * 3, average_attn_weights=False)[1],)
    },
    "pad-mask-inverted": {
        "padding_mask": (_padded(lambda lengths, x: ~padding_of(lengths, x.shape[1])),),
        "cross_attention": (_crossed(key_padding_mask=torch.logical_not),),
        "batch_invariance": (_invariance(polarity=True),),
    },
    "mask-ignored": {
        "padding_mask": (_padded(lambda lengths, x: None),),
        "cross_attention": (_crossed(key_padding_mask=None),),
        "sdpa": (_sdpa(lambda pad: None),),
        "batch_invariance": (lambda x, lengths, masked, state, h: _measured(x, lengths, False, state, h),),
    },
    "mask-added-as-zero-one": {
        "padding_mask": (
            _padded(lambda lengths, x: padding_of(lengths, x.shape[1]).float()),
            _padded(lambda lengths, x: (~padding_of(lengths, x.shape[1])).float()),
        ),
        "cross_attention": (_crossed(key_padding_mask=lambda pad: pad.float()),),
        "sdpa": (_sdpa(lambda pad: _keep(pad).float()), _sdpa(lambda pad: pad[:, None, None, :].float())),
    },
    "mask-on-query-rows": {"sdpa": (_sdpa(lambda pad: ~pad[:, None, :, None]),)},
    "sdpa-mask-polarity": {"sdpa": (_sdpa(lambda pad: pad[:, None, None, :]),)},
    "mask-missing-axes": {"sdpa": (_sdpa(lambda pad: ~pad), _sdpa(lambda pad: ~pad[:, None, :]))},
    "scale-missing": {"sdpa": (_sdpa(_keep, scale=1.0),)},
    "scale-twice": {"sdpa": (_scaled_before,)},
    "value-from-query-input": {"cross_attention": (_crossed("ded"),)},
    "kv-from-query": {"cross_attention": (_crossed("ddd"),)},
    "query-from-another-input": {"cross_attention": (_crossed("eee"),)},
    "results-in-another-order": {"cross_attention": (_crossed(order=-1),)},
}
"""Known mistakes of other modules -> task -> ways to make them here."""


MISTAKES = (
    Mistake(
        id="copy-order-mixed-up",
        name=N_("the projections stand in in_proj in another order than query, key, value"),
        symptom=N_("Nothing complains; the output is another one."),
        explanation=N_(
            "All three parts have the same shape, so any order fits. The layer takes the first d_model rows for "
            "queries, the next for keys and the last for values."
        ),
        see=N_("Fill W_q with ones, W_k with twos, W_v with threes and print in_proj_weight."),
        question=N_("In which order do you put W_q, W_k and W_v together?"),
        wrong={"copy_weights": _copied("kqv")},
        also={
            "copy_weights": [
                *(_copied(order) for order in ("qvk", "vkq", "kvq", "vqk")),
                *(_copied_where_packed(order) for order in ("kqv", "qvk", "vkq", "kvq", "vqk")),
            ]
        },
        source="https://github.com/pytorch/pytorch/issues/27623",
    ),
    Mistake(
        id="copy-transposed",
        name=N_("a weight is copied transposed"),
        symptom=N_("Nothing complains as long as both widths are equal; the output is another one."),
        explanation=N_(
            "nn.Linear and nn.MultiheadAttention both keep weights as (out, in). A transpose on the way makes "
            "another matrix."
        ),
        see=N_("Compare in_proj_weight[0] with W_q.weight[0]."),
        question=N_("What is the transpose in your copy for?"),
        wrong={"copy_weights": _transposed("W_q", "W_k", "W_v", "W_o")},
        also={"copy_weights": [_transposed("W_q", "W_k", "W_v"), _transposed("W_o")]},
    ),
    Mistake(
        id="copy-bias-missing",
        name=N_("a bias is not copied"),
        symptom=N_("The weights agree; the output is off by a little, or by nothing as long as all biases are zero."),
        explanation=N_(
            "A layer is its weights and its biases. nn.MultiheadAttention starts with zero biases, so a fresh layer "
            "hides a bias that was forgotten; a trained one does not."
        ),
        see=N_("Fill the biases of W_q, W_k, W_v and W_o with numbers of their own and look for them in mha."),
        question=N_("Where do the four biases go in your copy?"),
        wrong={"copy_weights": _kept("in_proj_bias", "out_proj.bias")},
        also={"copy_weights": [_kept("in_proj_bias"), _kept("out_proj.bias"), _key_bias_kept]},
    ),
    Mistake(
        id="copy-without-output",
        name=N_("W_o is not copied"),
        symptom=N_("The attention weights agree, the output does not."),
        explanation=N_("out_proj is the fourth layer: it mixes what the heads found and has to come along."),
        see=N_("Compare mha.out_proj.weight with W_o.weight."),
        question=N_("Where does out_proj appear in your copy?"),
        wrong={"copy_weights": _kept("out_proj.weight", "out_proj.bias")},
        also={"copy_weights": [_kept("out_proj.weight")]},
    ),
    Mistake(
        id="copy-into-nothing",
        name=N_("nothing arrives in the layer"),
        symptom=N_("No error, and mha is what it was before."),
        explanation=N_(
            "A name was bound to another tensor, or a state_dict with other names was loaded with strict=False. "
            "Neither writes into the parameters of the layer."
        ),
        see=N_("Print mha.in_proj_weight before and after."),
        question=N_("Which line of yours writes into mha's own tensors?"),
        wrong={"copy_weights": lambda ours, before: dict(before)},
        source="https://github.com/Baijiong-Lin/LoRA-Torch/issues/3",
    ),
    Mistake(
        id="copy-needs-in-proj-weight",
        name=N_("the copy relies on in_proj_weight, which this layer does not have"),
        symptom=N_("An error about None as soon as keys or values have widths of their own."),
        explanation=N_(
            "With kdim or vdim different from d_model the three matrices have different shapes and cannot be stacked. "
            "Then in_proj_weight is None, and q_proj_weight, k_proj_weight and v_proj_weight hold them."
        ),
        see=N_("Print the named_parameters of such a layer."),
        question=N_("What does your function do when mha.in_proj_weight is None?"),
        wrong={"copy_weights": _packed_only},
        also={"copy_weights": [_packed_only_by_slices]},
        source="https://github.com/pytorch/pytorch/issues/27623",
    ),
    Mistake(
        id="copy-without-no-grad",
        name=N_("parameters are written to while gradients are recorded"),
        symptom=N_("RuntimeError: a leaf Variable that requires grad is being used in an in-place operation."),
        explanation=N_(
            "torch refuses to change a parameter in place inside a computation that it could have to go back through. "
            "Copying is no part of any computation: say so with torch.no_grad()."
        ),
        see=N_("Read the last line of the error."),
        question=N_("What should stand around your copy_ lines?"),
        wrong={"copy_weights": _with_gradient},
        also={"copy_weights": [_with_gradient_in_a_slice]},
    ),
    Mistake(
        id="copy-shares-memory",
        name=N_("both layers share one memory"),
        symptom=N_("All numbers agree, and stay equal when only one of the layers is trained."),
        explanation=N_(
            "Assigning a tensor to .data, or making a parameter of a view, gives the layer the other layer's memory. "
            "copy_ copies the numbers."
        ),
        see=N_("Change a weight of ours and look at mha."),
        question=N_("Do you copy numbers, or do you hand over a tensor?"),
        probe="A hidden test changes the source after the copy and looks whether the copy changes too.",
    ),
    Mistake(
        id="output-instead-of-weights",
        name=N_("this is the output of the layer, not its weights"),
        symptom=N_("A tensor of the shape of x."),
        explanation=N_("The layer returns a pair: the output first, then the weights."),
        see=N_("Print the shapes of both parts of what mha returns."),
        question=N_("Which of the two values that mha returns do you hand back?"),
        wrong={"head_weights": lambda x, state, h: _mha(state, h)(x, x, x)[0]},
    ),
    Mistake(
        id="padding-off-by-one",
        name=N_("the padding mask begins one position too late or too early"),
        symptom=N_("Each sentence sees one token of padding, or misses its last real token."),
        explanation=N_(
            "A sentence of length 3 has its tokens at positions 0, 1 and 2; position 3 is padding already. So it is "
            "position >= length, not > length."
        ),
        see=N_("Print the mask for length 1: exactly one False should stand in it."),
        question=N_("Which position is the first padding of a sentence of length 3?"),
        wrong={"padding_mask": _padded(lambda lengths, x: padding_of(lengths + 1, x.shape[1]))},
        also={"padding_mask": [_padded(lambda lengths, x: padding_of(lengths - 1, x.shape[1]))]},
    ),
    Mistake(
        id="roles-in-cross-attention-swapped",
        name=N_("the encoder asks and the decoder answers"),
        symptom=N_("One row for each key instead of each query, or an error about the mask."),
        explanation=N_(
            "The first argument is who asks: its tokens get one row of output each. The decoder asks, the encoder is "
            "asked, and the mask is about who is asked."
        ),
        see=N_("Use decoder and encoder of different lengths and print the shape of the output."),
        question=N_("For whose tokens do you want an answer?"),
        wrong={"cross_attention": _crossed("edd")},
        also={"cross_attention": [_crossed("edd", key_padding_mask=None)]},
    ),
    Mistake(
        id="padding-rows-compared",
        name=N_("rows of padding are compared too"),
        symptom=N_("Large differences even with the right mask."),
        explanation=N_(
            "What stands in the output where a sentence has ended means nothing, and alone there is no such row."
        ),
        see=N_("Print which position the largest difference comes from."),
        question=N_("Up to which position do you compare a sentence of length 3?"),
        wrong={"batch_invariance": _invariance(to_the_end=True)},
    ),
    Mistake(
        id="alone-with-its-padding",
        name=N_("the sentence runs alone with its padding still on"),
        symptom=N_("No difference without a mask, a difference with it: the wrong way round."),
        explanation=N_(
            "A batch of one that still holds padding is not the sentence alone. Cut it to its real tokens, then there "
            "is nothing left to hide."
        ),
        see=N_("Print the shape of what you call 'alone'."),
        question=N_("How many tokens does a sentence of length 3 have when it is alone?"),
        wrong={"batch_invariance": _invariance(cut=False)},
    ),
    Mistake(
        id="one-difference-for-all",
        name=N_("one difference was taken over the whole batch"),
        symptom=N_("One number, or the same number for every sentence."),
        explanation=N_(
            "One bad sentence then hides which ones are fine. The difference is asked for sentence by sentence."
        ),
        see=N_("Use one full sentence: its own difference is 0."),
        question=N_("Over which axes does your maximum run?"),
        wrong={"batch_invariance": _over_the_batch},
        also={"batch_invariance": [_over_the_batch_repeated]},
    ),
    Mistake(
        id="difference-with-its-sign",
        name=N_("the largest difference is taken with its sign"),
        symptom=N_("Too small wherever the furthest number lies below."),
        explanation=N_("-3 is further off than 2, but 2 is larger. Take absolute values before the maximum."),
        see=N_("Compare max() and abs().max() of the differences."),
        question=N_("What would your function return if every difference were -1?"),
        wrong={"batch_invariance": _invariance(measure=torch.max)},
        also={"batch_invariance": [_invariance(measure=lambda difference: difference.max().abs())]},
    ),
    Mistake(
        id="mean-instead-of-largest-difference",
        name=N_("the differences are averaged"),
        symptom=N_("Right order of sentences, too small numbers."),
        explanation=N_(
            "A mean lets one wrong token disappear among many right ones. The largest difference was asked for."
        ),
        see=N_("Print the largest of the differences beside their mean."),
        question=N_("Can a mean be small while one number is far off?"),
        wrong={"batch_invariance": _invariance(measure=lambda difference: difference.abs().mean())},
    ),
    Mistake(
        id="mask-always-used",
        name=N_("the mask is used whether it was asked for or not"),
        symptom=N_("No differences at all."),
        explanation=N_("With masked=False the batch should run without a mask; the point is to see what that does."),
        see=N_("Call your function with False and with True and compare."),
        question=N_("Where is the argument masked used in your function?"),
        wrong={"batch_invariance": lambda x, lengths, masked, state, h: _measured(x, lengths, True, state, h)},
    ),
)
