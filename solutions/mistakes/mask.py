"""Mistakes about padding: who is hidden from whom, and how."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import torch
import torch.nn.functional as F
from headcheck.diagnosis.bank import Choice, Context, Crash, Mistake, Step
from headcheck.i18n import N_

from solutions.mistakes import torch_masks
from solutions.pipeline import fill_padding, nothing

Masking = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]

FILLS = (-math.inf, -1e9)


def on(name: str, change: Masking) -> Step:
    """Change a tensor of the context by the padding (B, n_k), where there is any."""

    def step(c: Context) -> Context:
        return {} if c["pad"] is None else {name: change(c[name], c["pad"])}

    return step


def masked(change: Masking) -> Choice:
    """Mask the scores in another way."""
    return {"mask": on("scores", change)}


def filled(where: Callable[[torch.Tensor], torch.Tensor]) -> list[Choice]:
    """Fill the scores at other places, with either of the usual fills."""
    return [masked(lambda s, pad, fill=fill: s.masked_fill(where(pad), fill)) for fill in FILLS]


def keys(pad: torch.Tensor) -> torch.Tensor:
    """Line the padding up with the keys: (B, 1, 1, n_k)."""
    return pad[:, None, None, :]


def _queries(pad: torch.Tensor) -> torch.Tensor:
    return pad[:, None, :, None]


def _first_head(s: torch.Tensor, pad: torch.Tensor, fill: float) -> torch.Tensor:
    head = torch.arange(s.shape[1], device=s.device)[None, :, None, None] == 0
    return s.masked_fill(keys(pad) & head, fill)


def _wrong_repeat(s: torch.Tensor, pad: torch.Tensor, fill: float) -> torch.Tensor:
    B, h = s.shape[:2]
    return s.masked_fill(pad.repeat(h, 1).view(B, h, 1, -1), fill)  # heads of one sentence get masks of all


def _causal(s: torch.Tensor) -> torch.Tensor:
    return torch.ones(s.shape[-2:], dtype=torch.bool, device=s.device).triu(1)


def _causal_too(fill: float) -> Step:
    def mask(c: Context) -> Context:
        s = c["scores"].masked_fill(_causal(c["scores"]), fill)
        return {"scores": s if c["pad"] is None else s.masked_fill(keys(c["pad"]), fill)}

    return mask


def _no_such_method(s: torch.Tensor, pad: torch.Tensor) -> torch.Tensor:
    return s.mask_fill(keys(pad), -math.inf)  # AttributeError


def _sdpa(c: Context) -> Context:
    """What F.scaled_dot_product_attention makes of a mask that is True at padding."""
    if c["pad"] is None:
        return {"context": F.scaled_dot_product_attention(c["Q"], c["K"], c["V"])}
    return {"context": F.scaled_dot_product_attention(c["Q"], c["K"], c["V"], attn_mask=keys(c["pad"]))}


def _sdpa_weights(c: Context) -> Context:
    """The weights of such a call: zero where every key is hidden."""
    return on("weights", lambda w, pad: c["plain"].masked_fill(~keys(pad), -math.inf).softmax(-1).nan_to_num(0.0))(c)


def _inverted_context(c: Context) -> Context:
    if c["pad"] is None:
        return {"context": c["weights"] @ c["V"]}
    return {"context": c["plain"].masked_fill(~keys(c["pad"]), -math.inf).softmax(dim=-1) @ c["V"]}


def _zero_values(c: Context) -> Context:
    V = c["V"] if c["pad"] is None else c["V"].masked_fill(c["pad"][:, None, :, None], 0.0)
    return {"context": c["weights"] @ V}


def _zero_context(c: Context) -> Context:
    context = c["weights"] @ c["V"]
    return {"context": context if c["pad"] is None else context.masked_fill(c["pad"][:, None, :, None], 0.0)}


def after_softmax(change: Masking) -> Choice:
    """Leave the scores alone and change the weights by the padding."""
    return {"mask": nothing, "reweigh": on("weights", change)}


def in_bug_hunt(mistake: Mistake) -> Mistake:
    """Add the ways to make a mistake with torch's own module, in the task `inverted_mask`."""
    forms = torch_masks.FORMS.get(mistake.id)
    if forms is None:
        return mistake
    return replace(mistake, wrong={"inverted_mask": forms[0]}, also={"inverted_mask": forms[1:]})


_MISTAKES = (
    Mistake(
        id="pad-mask-inverted",
        name=N_("the mask is the wrong way round: the real tokens are hidden and the padding is seen"),
        symptom=N_("Right without padding; with it the weights lie on the padding, and full sentences may give NaN."),
        explanation=N_(
            "Libraries disagree on what True means in a mask. Here, as in `key_padding_mask` of nn.MultiheadAttention, "
            "True means hidden. The other way round everybody looks at the padding only, and a sentence without "
            "padding has nothing left to look at."
        ),
        see=N_("Print the weights of a sentence with one padded key: that key has all of them."),
        question=N_("What does True mean in your mask, and what does it mean to the function that you hand it to?"),
        source="https://github.com/lucidrains/halonet-pytorch/issues/4",
        choices=[
            *filled(lambda pad: ~keys(pad)),
            {"mask": nothing, "reweigh": _sdpa_weights},
            masked(lambda s, pad: s + pad[:, None, None, :].logical_not() * -1e4),
        ],
    ),
    Mistake(
        id="sdpa-mask-polarity",
        name=N_("F.scaled_dot_product_attention got a mask that is True at padding"),
        symptom=N_("Right weights are handed back; with padding the output comes from the padding alone."),
        explanation=N_(
            "The two functions of PyTorch disagree: True hides in nn.MultiheadAttention's masks, and True lets "
            "through in F.scaled_dot_product_attention's boolean mask."
        ),
        see=N_("Compare the function's output with weights @ V for your own weights."),
        question=N_("What does True mean in attn_mask of F.scaled_dot_product_attention?"),
        source="https://github.com/rasbt/LLMs-from-scratch/issues/1061",
        choices=[
            {"context": _sdpa},
            {"context": _inverted_context},
        ],
    ),
    Mistake(
        id="mask-ignored",
        name=N_("the mask has no effect: padding is looked at like any other token"),
        symptom=N_("Right without padding; with it every row gives some weight to padded keys."),
        explanation=N_(
            "Either no mask is used, or its result is thrown away: `scores.masked_fill(...)` returns a new tensor and "
            "leaves `scores` as it was."
        ),
        see=N_("Print the weights of a padded key: they should be zero."),
        question=N_("Does your result change when every key is padding but one?"),
        source="https://github.com/facebookresearch/xformers/issues/103",
        choices=[{"mask": nothing}],
    ),
    Mistake(
        id="mask-result-discarded",
        name=N_("`masked_fill` was called and its result thrown away"),
        symptom=N_("Right without padding; with it every row gives some weight to padded keys."),
        explanation=N_(
            "`scores.masked_fill(...)` returns a new tensor and leaves `scores` as it was. Assign the result, or use "
            "`masked_fill_`, which changes the tensor itself."
        ),
        see=N_("Print the scores of a padded key right after the line with the mask."),
        question=N_("What happens to the tensor that masked_fill returns?"),
        source="https://github.com/lucidrains/flamingo-pytorch/issues/10",
        choices=[{"mask": nothing}],
        tasks=("multi_head_attention", "attention"),
    ),
    Mistake(
        id="mask-after-softmax",
        name=N_("the mask comes after softmax, and the rest was not scaled up again"),
        symptom=N_("Padded keys may have weight 0, but the rows do not add up to 1."),
        explanation=N_(
            "Softmax has already given part of the attention to the padding. Taking that part away afterwards leaves "
            "rows that do not add up to 1. Hide the keys before softmax: fill their scores, not their weights."
        ),
        see=N_("Add up a row of the weights in a padded sentence."),
        question=N_("What do the weights of a query add up to after your mask?"),
        source="https://github.com/huggingface/pytorch-image-models/pull/2236",
        choices=[
            after_softmax(lambda w, pad: w.masked_fill(keys(pad), 0.0)),
            after_softmax(lambda w, pad: w.masked_fill(keys(pad), -1e9)),
            after_softmax(lambda w, pad: w.masked_fill(keys(pad), -math.inf)),
            after_softmax(lambda w, pad: w.masked_fill(keys(pad), 1e-9)),
        ],
    ),
    Mistake(
        id="mask-on-query-rows",
        name=N_("the mask hides the padding as a query, not as a key"),
        symptom=N_("Rows of padded queries are uniform or NaN, and real tokens look at padding."),
        explanation=N_(
            "In scores (B, h, n_q, n_k) keys are the last axis. A mask of shape (B, 1, n, 1) changes the rows of "
            "padded queries, and real tokens still look at the padding."
        ),
        see=N_("Print the columns of padded keys in the weights: they should be zero."),
        question=N_("Which axis of the scores must your (B, n) mask line up with?"),
        source="https://github.com/hyunwoongko/transformer/pull/40",
        choices=[
            *filled(_queries),
            after_softmax(lambda w, pad: w.masked_fill(_queries(pad), 0.0)),
            masked(lambda s, pad: s.masked_fill(_queries(pad), -math.inf).softmax(-1).nan_to_num(0.0).log()),
        ],
    ),
    Mistake(
        id="mask-on-queries-too",
        name=N_("the mask hides padded positions as keys and as queries"),
        symptom=N_("Real rows are right; rows of padded positions are uniform or NaN. A crash in cross-attention."),
        explanation=N_(
            "The padding says which keys are empty. In cross-attention the queries are another sequence with a length "
            "of its own, and hiding whole rows only brings NaN in."
        ),
        see=N_("Call the module with five queries and seven keys."),
        question=N_("Does your mask need to know how many queries there are?"),
        choices=filled(lambda pad: keys(pad) | _queries(pad)),
    ),
    Mistake(
        id="mask-only-pairs-of-padding",
        name=N_("only pairs of two padded positions are hidden"),
        symptom=N_("Real tokens still look at padding."),
        explanation=N_(
            "A padded key must be hidden from every query. Joining the masks of keys and queries with `and` hides it "
            "from padded queries only."
        ),
        see=N_("Print the weights of the first token on a padded key."),
        question=N_("Which queries may look at a padded key?"),
        choices=filled(lambda pad: keys(pad) & _queries(pad)),
    ),
    Mistake(
        id="mask-fill-1e-9",
        name=N_("padding gets a score of about zero (1e-9) instead of a very negative one (-1e9)"),
        symptom=N_("Right without padding; padded keys keep some weight, the same in all samples with like scores."),
        explanation=N_(
            "Softmax turns a score of 0 into a weight like any other. Only a score far below all others, minus "
            "infinity at best, gives a weight of 0."
        ),
        see=N_("Print torch.tensor([1e-9, 2.0]).softmax(0)."),
        question=N_("What is exp(1e-9)?"),
        source="https://github.com/awslabs/gluonts/pull/1401",
        choices=[{"mask": fill_padding(1e-9)}],
    ),
    Mistake(
        id="mask-fill-too-small",
        name=N_("padding gets a score that is only a little negative"),
        symptom=N_("Padded keys keep a little weight."),
        explanation=N_(
            "Scores of -1 or -10 are possible for real keys too. Only a score far below all others gives a weight of 0."
        ),
        see=N_("Print the weights of a padded key with ten digits."),
        question=N_("Which weight does a score of -10 get beside a score of 0?"),
        choices=[
            *({"mask": fill_padding(fill)} for fill in (-1.0, -10.0, -5.0, -0.1)),
            *(masked(lambda s, pad, fill=fill: s + fill * keys(pad)) for fill in (-10.0, -5.0)),
        ],
    ),
    Mistake(
        id="mask-fill-positive",
        name=N_("padding gets a very large score instead of a very negative one"),
        symptom=N_("With padding all weight lies on the padding, or NaN appears."),
        explanation=N_("A sign is missing: plus infinity takes all attention, minus infinity none."),
        see=N_("Print the weights of a padded key."),
        question=N_("Which sign has the number that you fill in?"),
        choices=[
            {"mask": fill_padding(1e9)},
            {"mask": fill_padding(math.inf)},
            masked(lambda s, pad: s + 1e9 * keys(pad)),
            masked(lambda s, pad: s - 1e9 * ~keys(pad) * -1),
        ],
    ),
    Mistake(
        id="mask-multiplied-into-scores",
        name=N_("the scores of padding are multiplied by zero"),
        symptom=N_("Right without padding; padded keys keep some weight."),
        explanation=N_(
            "A score of 0 is not a weight of 0: softmax sees exp(0) = 1. Fill the scores of padding with minus "
            "infinity."
        ),
        see=N_("Print torch.tensor([0.0, -2.0]).softmax(0)."),
        question=N_("Which weight does softmax give to a score of 0 beside a score of -2?"),
        source="https://github.com/georg-wolflein/good-features/pull/1",
        choices=[masked(lambda s, pad: s * ~keys(pad))],
    ),
    Mistake(
        id="mask-inverted-and-multiplied",
        name=N_("the scores of the real tokens are multiplied by zero"),
        symptom=N_("Right without a mask; with one the real tokens all get the same weight."),
        explanation=N_(
            "Two slips in one: the mask is the wrong way round, and a score of 0 is not a weight of 0. Fill the scores "
            "of padding with minus infinity."
        ),
        see=N_("Print the scores right after the line with the mask."),
        question=N_("Which scores does your mask change?"),
        choices=[
            masked(lambda s, pad: s * keys(pad)),
            masked(lambda s, pad: s.masked_fill(~keys(pad), 1e-9)),
            after_softmax(lambda w, pad: w.masked_fill(~keys(pad), 0.0)),
        ],
    ),
    Mistake(
        id="mask-added-as-zero-one",
        name=N_("a mask of zeros and ones is added to the scores"),
        symptom=N_("Right without padding; padded keys get more or less weight, but not none."),
        explanation=N_(
            "A mask of floats is not a switch, it is added to the scores. Adding 0 or 1 only shifts some attention; "
            "to hide a key its score must become minus infinity, or the mask must be of type bool."
        ),
        see=N_("Print the dtype of the mask right before it is used."),
        question=N_("What is the dtype of the mask that you pass?"),
        source="https://github.com/pytorch/pytorch/issues/92554",
        choices=[
            masked(lambda s, pad: s + keys(pad).to(s.dtype)),
            masked(lambda s, pad: s + (~keys(pad)).to(s.dtype)),
        ],
    ),
    Mistake(
        id="mask-missing-axes",
        name=N_("the mask (B, n_k) is used without new axes, so sentences line up with queries"),
        symptom=N_("Mostly a crash; silent when there are as many sentences as queries."),
        explanation=N_(
            "Broadcasting lines shapes up from the right: (B, n_k) beside (B, h, n_q, n_k) puts sentences where the "
            "queries are. `pad[:, None, None, :]` keeps both in their places."
        ),
        see=N_("Use two sentences of five tokens: it crashes. Use five sentences: it does not."),
        question=N_("Which axis of the scores does each axis of your mask meet?"),
        source="https://github.com/hyunwoongko/transformer/issues/32",
        choices=filled(lambda pad: pad),
    ),
    Mistake(
        id="mask-over-batch-as-heads",
        name=N_("the sentences of the mask line up with the heads"),
        symptom=N_("Mostly a crash; silent when there are as many sentences as heads."),
        explanation=N_(
            "`pad[None, :, None, :]` or `pad[:, None, :]` puts the sentences on axis 1, where the heads are. The mask "
            "needs the shape (B, 1, 1, n_k)."
        ),
        see=N_("Use two sentences and four heads: it crashes. Use four sentences: it does not."),
        question=N_("Which axis of the scores does each axis of your mask meet?"),
        source="https://github.com/hyunwoongko/transformer/issues/32",
        choices=filled(lambda pad: pad[:, None, :]),
    ),
    Mistake(
        id="mask-repeated-in-wrong-order",
        name=N_("the mask was repeated for the heads in the wrong order"),
        symptom=N_("Right for one sentence or equal lengths; in a ragged batch heads use other sentences' masks."),
        explanation=N_(
            "With heads folded into the batch the rows come sentence by sentence, each h times: repeat_interleave. "
            "`repeat` gives all sentences once, h times over."
        ),
        see=N_("Print the repeated mask for two sentences and two heads."),
        question=N_("In which order do sentences and heads come in your folded batch?"),
        source="https://github.com/ArrowLuo/CLIP4Clip/issues/22",
        choices=[masked(lambda s, pad, fill=fill: _wrong_repeat(s, pad, fill)) for fill in FILLS],
    ),
    Mistake(
        id="mask-of-one-sentence",
        name=N_("the mask of one sentence is used for all"),
        symptom=N_("Right when all lengths are equal; in a ragged batch one sentence is right."),
        explanation=N_("Every sentence has padding of its own, so the mask must keep its batch axis."),
        see=N_("Put the same sentence twice into a batch, with different padding."),
        question=N_("Where is the batch axis of your mask?"),
        choices=[
            *filled(lambda pad: keys(pad[:1])),
            *filled(lambda pad: keys(pad[-1:])),
            *filled(lambda pad: keys(pad.any(0, keepdim=True))),
            *filled(lambda pad: keys(pad.flip(0))),
        ],
    ),
    Mistake(
        id="mask-for-one-head",
        name=N_("only one head is masked"),
        symptom=N_("With padding one head is right and the others look at the padding."),
        explanation=N_("Padding is padding for every head; the mask must be broadcast over the head axis."),
        see=N_("Print the weights of a padded key for all heads."),
        question=N_("Which heads does your mask reach?"),
        choices=[masked(lambda s, pad, fill=fill: _first_head(s, pad, fill)) for fill in FILLS],
    ),
    Mistake(
        id="mask-only-on-values",
        name=N_("the values of padding are set to zero, but the padding keeps its weight"),
        symptom=N_("The weights give something to padding, and real tokens get too little."),
        explanation=N_(
            "Softmax has already given part of the attention to the padding. With its values at zero that part is "
            "lost, and the rest is too small."
        ),
        see=N_("Add up the weights of the real keys of one row: it should be 1."),
        question=N_("How much attention do the real tokens get in your weights?"),
        choices=[{"mask": nothing, "context": _zero_values}],
    ),
    Mistake(
        id="mask-on-the-output",
        name=N_("the answers of padded positions are set to zero, but padding is still looked at"),
        symptom=N_("Rows of padding are zero; real tokens still look at padding."),
        explanation=N_("What a padded position answers is of no interest. What matters is that nobody looks at it."),
        see=N_("Put large numbers into the padding: the output of real tokens should not change."),
        question=N_("Does the answer of the first token depend on the padding?"),
        choices=[{"mask": nothing, "context": _zero_context}],
    ),
    Mistake(
        id="causal-mask-uninvited",
        name=N_("later tokens are hidden, though nobody asked for a causal mask"),
        symptom=N_("The weights above the diagonal are zero."),
        explanation=N_(
            "A causal mask belongs to a decoder that predicts the next token. Here every query may look at every key "
            "that is not padding."
        ),
        see=N_("Print the weights of the first token: it looks only at itself."),
        question=N_("May the first token look at the last one?"),
        choices=[{"mask": _causal_too(fill)} for fill in FILLS],
    ),
    Mistake(
        id="mask-method-does-not-exist",
        name=N_("a method is called that tensors do not have"),
        symptom=N_("AttributeError, but only when a mask is passed."),
        explanation=N_("The method is called `masked_fill`. Python finds out only when the line runs, with a mask."),
        see=N_("Run your module once with a mask before you hand it in."),
        question=N_("Which of your tests passes a mask?"),
        source="https://github.com/FrancescoSaverioZuppichini/ViT/blob/main/README.md",
        choices=[masked(_no_such_method)],
        crashes=[Crash("AttributeError", r"'Tensor' object has no attribute '\w*(mask|fill)\w*'")],
    ),
    Mistake(
        id="mask-inverted-with-wrong-operator",
        name=N_("the mask was turned round with an operator that does not work on bool tensors"),
        symptom=N_("RuntimeError, but only when a mask is passed."),
        explanation=N_(
            "`not` asks for one truth value of the whole tensor, and PyTorch refuses `1 - mask` and `-mask` for bool. "
            "`~` turns each entry round."
        ),
        see=N_("Run the line with a mask of two entries and read the exception to its end."),
        question=N_("Which operator does the text of the exception recommend?"),
        source="https://github.com/deepspeedai/DeepSpeed/issues/3319",
        choices=[
            masked(lambda s, pad: s + (1 - keys(pad)) * -1e9),
            masked(lambda s, pad: s.masked_fill(not keys(pad), -1e9)),
            masked(lambda s, pad: s.masked_fill(-keys(pad), -1e9)),
        ],
        crashes=[
            Crash("RuntimeError", r"with a bool tensor is not supported"),
            Crash("RuntimeError", r"Boolean value of Tensor with more than one value is ambiguous"),
            Crash("RuntimeError", r"on a bool tensor is not supported"),
        ],
    ),
    Mistake(
        id="mask-in-float",
        name=N_("the mask is not of type bool when masked_fill gets it"),
        symptom=N_("RuntimeError, but only when a mask is passed."),
        explanation=N_("masked_fill and boolean indexing take masks of type bool only; leave the mask as it is."),
        see=N_("Print the dtype of the mask right before it is used."),
        question=N_("What is the dtype of the mask that you pass?"),
        choices=[masked(lambda s, pad: s.masked_fill(keys(pad).float(), -1e9))],
        crashes=[Crash("RuntimeError", r"masked_fill.*bool|only supports boolean masks")],
    ),
)

MISTAKES = tuple(map(in_bug_hunt, _MISTAKES))
