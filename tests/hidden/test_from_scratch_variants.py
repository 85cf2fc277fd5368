"""The three pieces of attention from scratch: right ones in any style pass, wrong ones lose points and are named."""

import functools
import math

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from from_scratch_students import ROOT, TEXT
from headcheck.course.config import load_course
from headcheck.course.markers import read_text_notebook
from headcheck.diagnosis.match import load_bank
from headcheck.grading.diagnose import diagnose
from headcheck.grading.local import LocalProcess
from headcheck.grading.session import hidden_tests

COURSE = load_course(ROOT)
BANK = load_bank(COURSE)
UNKNOWN = "unknown"
"""What nobody foresaw: the answer is wrong, and no mistake may be named."""


# split_heads


def split_by_filling(x, h):
    B, n, d_model = x.shape
    out = torch.full((B, h, n, d_model // h), torch.nan)
    for column in range(d_model):
        out[:, column // out.shape[-1], :, column % out.shape[-1]] = x[..., column]
    return out


def split_by_strides(x, h):
    x = x.contiguous()
    B, n, d_model = x.shape
    d_k = d_model // h
    return x.as_strided((B, h, n, d_k), (n * d_model, d_k, d_model, 1))


def split_by_selecting(x, h):
    eye = torch.eye(x.shape[-1]).view(h, -1, x.shape[-1])  # (h, d_k, d_model)
    return torch.einsum("bnc,hkc->bhnk", x, eye)


RIGHT_SPLITS = {
    "chunks": lambda x, h: torch.stack(x.chunk(h, dim=-1), dim=1),
    "sizes": lambda x, h: torch.cat([part[:, None] for part in torch.split(x, x.size(2) // h, 2)], 1),
    "permute": lambda x, h: x.reshape(len(x), x.size(1), h, -1).permute(0, 2, 1, 3).contiguous(),
    "unflatten": lambda x, h: x.double().unflatten(-1, (h, -1)).movedim(-2, 1),
    "columns before tokens": lambda x, h: x.mT.reshape(len(x), h, -1, x.shape[1]).mT,
    "windows": lambda x, h: x.unfold(2, x.shape[2] // h, x.shape[2] // h).swapaxes(1, 2),
    "index": lambda x, h: x[:, :, torch.arange(x.shape[-1]).view(h, -1)].transpose(-2, -3),
    "sentence by sentence": lambda x, h: torch.vmap(lambda s: torch.stack(torch.hsplit(s, h)))(x),
    "numpy": lambda x, h: torch.from_numpy(np.einsum("bnhk->bhnk", x.numpy().reshape(*x.shape[:2], h, -1))),
    "filling": split_by_filling,
    "strides": split_by_strides,
    "selecting": split_by_selecting,
    "lists": lambda x, h: torch.tensor(
        [[[t[i : i + len(t) // h] for t in s] for i in range(0, len(s[0]), len(s[0]) // h)] for s in x.tolist()]
    ),
}

WRONG_SPLITS = [
    ("split-view-no-transpose", lambda x, h: x.flatten(1).unflatten(1, (h, x.shape[1], -1))),
    (
        "split-view-no-transpose",
        lambda x, h: torch.stack([torch.stack(s.ravel().chunk(h)).view(h, len(s), -1) for s in x]),
    ),
    ("split-transpose-before-view", lambda x, h: x.permute(0, 2, 1).contiguous().view(len(x), h, x.shape[1], -1)),
    ("split-interleaved-d-h", lambda x, h: torch.stack([x[..., i::h] for i in range(h)], dim=1)),
    ("split-interleaved-d-h", lambda x, h: torch.einsum("bnkh->bhnk", x.unflatten(2, (-1, h)))),
    ("attends-over-heads", lambda x, h: torch.stack(x.chunk(h, -1), dim=2)),
    ("float-head-dim", lambda x, h: x.view(x.shape[0], -1, h, x.shape[2] / h).transpose(1, 2)),
    ("float-head-dim", lambda x, h: torch.stack(x.split(x.shape[2] / h, dim=-1), dim=1)),
    ("float-head-dim", lambda x, h: x.unflatten(-1, (h, x.shape[2] / h)).transpose(1, 2)),
    ("split-heads-reversed", lambda x, h: torch.stack(x.chunk(h, -1)[::-1], 1)),
    ("split-same-block-for-all", lambda x, h: torch.stack([x[..., : x.shape[2] // h]] * h, 1)),
    (UNKNOWN, lambda x, h: torch.stack(x.chunk(h, -1), 0)),
    (UNKNOWN, lambda x, h: torch.stack(x.chunk(h, -1), 1).mT),
    (UNKNOWN, lambda x, h: x.chunk(h, -1)),
    (UNKNOWN, lambda x, h: x),
    (UNKNOWN, lambda x, h: None),
    (UNKNOWN, lambda x, h: torch.stack(x.chunk(x.shape[2] // h, -1), 1)),
]


# merge_heads


def merge_by_selecting(heads):
    h, d_k = heads.shape[1], heads.shape[3]
    return torch.einsum("bhnk,hkc->bnc", heads, torch.eye(h * d_k).view(h, d_k, -1))


RIGHT_MERGES = {
    "permute": lambda heads: heads.permute(0, 2, 1, 3).flatten(2),
    "contiguous view": lambda heads: heads.transpose(1, 2).contiguous().view(len(heads), heads.shape[2], -1),
    "side by side": lambda heads: torch.cat([heads[:, i] for i in range(heads.shape[1])], dim=-1),
    "pairwise": lambda heads: functools.reduce(lambda a, b: torch.cat((a, b), 2), heads.unbind(1)),
    "columns before tokens": lambda heads: heads.mT.flatten(1, 2).mT,
    "token by token": lambda heads: torch.stack([heads[:, :, t].flatten(1) for t in range(heads.shape[2])], 1),
    "sentence by sentence": lambda heads: torch.stack([torch.hstack(tuple(s)) for s in heads]),
    "vmap": lambda heads: torch.vmap(lambda s: s.movedim(0, 1).reshape(s.shape[1], -1))(heads),
    "numpy": lambda heads: torch.as_tensor(np.concatenate(np.moveaxis(heads.numpy(), 1, 0), axis=2)),
    "lists": lambda heads: torch.tensor(
        [[[x for head in t for x in head] for t in zip(*s, strict=True)] for s in heads.tolist()]
    ),
    "selecting": merge_by_selecting,
}

WRONG_MERGES = [
    ("merge-no-transpose", lambda heads: heads.view(len(heads), heads.shape[2], -1)),
    ("merge-no-transpose", lambda heads: heads.flatten(1).unflatten(1, (heads.shape[2], -1))),
    ("merge-interleaves-d-h", lambda heads: torch.stack(heads.unbind(1), dim=-1).flatten(2)),
    ("merge-transposes-wrong-axes", lambda heads: heads.mT.reshape(len(heads), heads.shape[2], -1)),
    ("merge-view-without-contiguous", lambda heads: heads.movedim(1, 2).view(len(heads), heads.shape[2], -1)),
    ("heads-averaged-not-concatenated", lambda heads: torch.stack(heads.unbind(1)).sum(0)),
    ("heads-averaged-not-concatenated", lambda heads: sum(heads.unbind(1)) / heads.shape[1]),
    ("heads-not-joined", lambda heads: heads.permute(0, 2, 1, 3)),
    ("merge-heads-in-another-order", lambda heads: torch.cat(heads.unbind(1)[::-1], dim=-1)),
    ("merge-repeats-one-head", lambda heads: torch.cat([heads[:, 0] for _ in heads[0]], dim=-1)),
    ("heads-joined-along-the-sequence", lambda heads: heads.flatten(1, 2)),
    ("head-left-out", lambda heads: torch.cat([heads[:, i] for i in range(1, heads.shape[1])], dim=-1)),
    (UNKNOWN, lambda heads: torch.cat(heads.unbind(1), dim=-1).mT),
    (UNKNOWN, lambda heads: torch.cat(heads.unbind(1), dim=-1).round(decimals=1)),
    (UNKNOWN, lambda heads: torch.cat(heads.unbind(1), dim=-1).relu()),
    (UNKNOWN, lambda heads: None),
]


# attention


def hidden(pad):
    """Give what is added to the scores, (B, 1, 1, n_k) or 0."""
    return 0 if pad is None else torch.where(pad, -math.inf, 0.0)[:, None, None]


def scores_of(Q, K):
    return torch.einsum("bhqk,bhsk->bhqs", Q, K) * Q.shape[-1] ** -0.5  # (B, h, n_q, n_k)


def both(weights, V):
    return weights @ V, weights


def attend_by_torch(Q, K, V, pad=None):
    keep = None if pad is None else pad.logical_not()[:, None, None, :]
    eye = torch.eye(K.shape[2]).expand(*K.shape[:3], -1)
    return [F.scaled_dot_product_attention(Q, K, X, attn_mask=keep) for X in (V, eye)]


def attend_by_exponentials(Q, K, V, pad=None):
    weights = scores_of(Q, K).exp()
    if pad is not None:
        weights = weights * (1 - pad.float())[:, None, None, :]
    return both(weights / weights.sum(-1, keepdim=True), V)


def attend_with_large_number(Q, K, V, pad=None):
    scores = Q.matmul(K.transpose(2, 3)).div(math.sqrt(K.size(3)))
    if pad is not None:
        scores = scores.masked_fill(pad.unsqueeze(1).unsqueeze(2), torch.finfo(scores.dtype).min)
    weights = torch.nn.Softmax(dim=-1)(scores)
    return torch.matmul(weights, V), weights


def attend_head_by_head(queries, keys, values, mask=None):
    B, h, n, _ = queries.shape
    context, weights = torch.empty(B, h, n, values.shape[3]), torch.zeros(B, h, n, keys.shape[2])
    for b in range(B):
        real = torch.arange(keys.shape[2]) if mask is None else (~mask[b]).nonzero().flatten()
        for i in range(h):
            K, V = keys[b, i, real], values[b, i, real]  # only real tokens take part
            weights[b, i][:, real] = w = (queries[b, i] @ K.T / K.shape[1] ** 0.5).softmax(1)
            context[b, i] = w @ V
    return context, weights


def attend_in_one_batch(Q, K, V, pad=None):
    B, h, n_q, d_k = Q.shape
    mask = torch.zeros(B * h, n_q, K.shape[2])
    if pad is not None:
        mask[pad.repeat_interleave(h, 0)[:, None].expand_as(mask)] = -1e9
    weights = F.softmax(torch.baddbmm(mask, Q.flatten(0, 1), K.flatten(0, 1).mT, alpha=1 / math.sqrt(d_k)), -1)
    return (weights @ V.flatten(0, 1)).unflatten(0, (B, h)), weights.view(B, h, n_q, -1)


def attend_with_logsumexp(Q, K, V, pad=None):
    scores = scores_of(Q.double(), K.double()) + hidden(pad)
    return both(torch.exp(scores - scores.logsumexp(-1, keepdim=True)), V.double())


def attend_with_log_of_keep(Q, K, V, pad=None):
    root = Q.shape[-1] ** 0.25
    scores = (Q / root) @ (K / root).mT
    if pad is not None:
        scores += (~pad).float().log()[:, None, None]
    return both(scores.log_softmax(-1).exp(), V)


def attend_and_share_again(Q, K, V, pad=None):
    weights = torch.softmax(scores_of(Q, K), -1)
    if pad is not None:
        weights = weights.masked_fill(pad[:, None, None], 0)
        weights = weights / weights.sum(-1, keepdim=True)
    return both(weights, V)


def attend_key_by_key(Q, K, V, pad=None):
    top, total = torch.full((*Q.shape[:3], 1), -1e30), torch.zeros(*Q.shape[:3], 1)
    context, seen = torch.zeros(*Q.shape[:3], V.shape[3]), []
    for j in range(K.shape[2]):
        score = (Q * K[:, :, j, None]).sum(-1, keepdim=True) / Q.shape[3] ** 0.5
        if pad is not None:
            score = score.where(~pad[:, j, None, None, None], -1e30)
        higher = torch.maximum(top, score)
        old, new = (top - higher).exp(), (score - higher).exp() * (score > -1e29)
        context, total, top = context * old + new * V[:, :, j, None], total * old + new, higher
        seen.append(score)
    weights = (torch.cat(seen, -1) - top).exp() / total
    return context / total, weights


def attend_in_numpy(Q, K, V, pad=None):
    s = np.einsum("bhqk,bhsk->bhqs", Q.numpy(), K.numpy()) / np.sqrt(Q.shape[-1])
    if pad is not None:
        s[np.broadcast_to(pad.numpy()[:, None, None], s.shape)] = -np.inf
    w = np.exp(s - s.max(-1, keepdims=True))
    w /= w.sum(-1, keepdims=True)
    return torch.from_numpy(w @ V.numpy()), torch.from_numpy(w)


RIGHT_ATTENTIONS = {
    "torch": attend_by_torch,
    "exponentials": attend_by_exponentials,
    "large number": attend_with_large_number,
    "head by head": attend_head_by_head,
    "one batch": attend_in_one_batch,
    "logsumexp": attend_with_logsumexp,
    "log of keep": attend_with_log_of_keep,
    "share again": attend_and_share_again,
    "key by key": attend_key_by_key,
    "numpy": attend_in_numpy,
}


def softmax_along(dim):
    return lambda Q, K, V, pad=None: both((scores_of(Q, K) + hidden(pad)).softmax(dim), V)


def scaled_by(scale):
    return lambda Q, K, V, pad=None: both((Q @ K.mT * scale(Q) + hidden(pad)).softmax(-1), V)


def masked_by(mask):
    """Hide padding in another way: `mask(scores, pad)` gives scores."""

    def attention(Q, K, V, pad=None):
        scores = scores_of(Q, K)
        return both((scores if pad is None else mask(scores, pad)).softmax(-1), V)

    return attention


def reweighed_by(change):
    """Hide padding after softmax: `change(weights, pad)` gives weights."""

    def attention(Q, K, V, pad=None):
        weights = scores_of(Q, K).softmax(-1)
        return both(weights if pad is None else change(weights, pad), V)

    return attention


def returned_as(change):
    """Hand something else back: `change(context, weights, scores)`."""

    def attention(Q, K, V, pad=None):
        scores = scores_of(Q, K) + hidden(pad)
        return change(*both(scores.softmax(-1), V), scores)

    return attention


def attend_by_torch_with_its_own_polarity(Q, K, V, pad=None):
    weights = (scores_of(Q, K) + hidden(pad)).softmax(-1)
    return F.scaled_dot_product_attention(Q, K, V, None if pad is None else pad[:, None, None]), weights


def attend_causally(Q, K, V, pad=None):
    order = torch.full((Q.shape[2], K.shape[2]), -math.inf).triu(1)
    return both((scores_of(Q, K) + hidden(pad) + order).softmax(-1), V)


def attend_with_distances(Q, K, V, pad=None):
    far = (torch.arange(Q.shape[2])[:, None] - torch.arange(K.shape[2])).abs()
    return both((scores_of(Q, K) + hidden(pad) - far / 4).softmax(-1), V)


def attend_unscaled_to_padding(Q, K, V, pad=None):
    return both((Q @ K.mT + (0 if pad is None else hidden(~pad))).softmax(-1), V)


def attend_over_queries_and_average(Q, K, V, pad=None):
    context, weights = softmax_along(-2)(Q, K, V, pad)
    return context, weights.mean(1)


WRONG_ATTENTIONS = [
    ("scale-missing", scaled_by(lambda Q: 1)),
    ("scale-sqrt-d-model", scaled_by(lambda Q: (Q.shape[1] * Q.shape[3]) ** -0.5)),
    ("scale-inverted", scaled_by(lambda Q: Q.shape[3] ** 0.5)),
    ("scale-twice", scaled_by(lambda Q: 1 / Q.shape[3])),
    ("scale-not-the-square-root", scaled_by(lambda Q: Q.shape[3] ** -0.25)),
    ("scale-by-another-axis", scaled_by(lambda Q: Q.shape[2] ** -0.5)),
    ("softmax-over-queries", softmax_along(2)),
    ("softmax-over-heads", softmax_along(1)),
    ("softmax-over-batch", softmax_along(0)),
    ("mask-ignored mask-result-discarded", masked_by(lambda scores, pad: scores)),
    ("mask-fill-1e-9 mask-multiplied-into-scores", masked_by(lambda scores, pad: scores * ~pad[:, None, None])),
    ("pad-mask-inverted", masked_by(lambda scores, pad: torch.where(pad[:, None, None], scores, -math.inf))),
    ("mask-on-query-rows", masked_by(lambda scores, pad: scores + hidden(pad).mT)),
    ("mask-added-as-zero-one", masked_by(lambda scores, pad: scores + (~pad).float()[:, None, None])),
    ("mask-missing-axes", masked_by(lambda scores, pad: scores.masked_fill(pad, -1e9))),
    ("mask-of-one-sentence", masked_by(lambda scores, pad: scores + hidden(pad)[:1])),
    ("mask-for-one-head", masked_by(lambda scores, pad: torch.cat([scores[:, :1] + hidden(pad), scores[:, 1:]], 1))),
    ("mask-over-batch-as-heads", masked_by(lambda scores, pad: scores + torch.where(pad, -1e9, 0.0)[None, :, None])),
    ("mask-fill-too-small", masked_by(lambda scores, pad: torch.where(pad[:, None, None], -10.0, scores))),
    ("mask-fill-positive", masked_by(lambda scores, pad: torch.where(pad[:, None, None], 1e9, scores))),
    ("mask-in-float", masked_by(lambda scores, pad: scores.masked_fill(pad.float()[:, None, None], -1e9))),
    ("mask-after-softmax", reweighed_by(lambda weights, pad: weights * ~pad[:, None, None])),
    ("sdpa-mask-polarity", attend_by_torch_with_its_own_polarity),
    ("causal-mask-uninvited", attend_causally),
    ("weights-averaged-over-heads", returned_as(lambda context, weights, scores: (context, weights.mean(1)))),
    ("weights-are-logits", returned_as(lambda context, weights, scores: (context, scores))),
    ("weights-not-returned", returned_as(lambda context, weights, scores: context)),
    ("results-in-another-order", returned_as(lambda context, weights, scores: (weights, context))),
    ("size-one-axes-squeezed", returned_as(lambda context, weights, scores: (context.squeeze(), weights.squeeze()))),
    ("softmax-twice", returned_as(lambda context, weights, scores: (context, weights.softmax(-1)))),
    ("softmax-missing", lambda Q, K, V, pad=None: both(scores_of(Q, K) + hidden(pad), V)),
    ("context-from-keys", lambda Q, K, V, pad=None: both((scores_of(Q, K) + hidden(pad)).softmax(-1), K)),
    (
        "key-transpose-wrong-axes",
        lambda Q, K, V, pad=None: both((Q @ K.transpose(1, 2) / Q.shape[3] ** 0.5).softmax(-1), V),
    ),
    ("scale-missing pad-mask-inverted", attend_unscaled_to_padding),
    ("softmax-over-queries weights-averaged-over-heads", attend_over_queries_and_average),
    (UNKNOWN, attend_with_distances),
    (UNKNOWN, scaled_by(lambda Q: 0.9 * Q.shape[3] ** -0.5)),
    (UNKNOWN, returned_as(lambda context, weights, scores: (context, weights.round(decimals=2)))),
    (UNKNOWN, returned_as(lambda context, weights, scores: None)),
]


RIGHT = {"split_heads": RIGHT_SPLITS, "merge_heads": RIGHT_MERGES, "attention": RIGHT_ATTENTIONS}
WRONG = {"split_heads": WRONG_SPLITS, "merge_heads": WRONG_MERGES, "attention": WRONG_ATTENTIONS}
POINTS = {"split_heads": 2, "merge_heads": 2, "attention": 4}
RIGHT_CASES = [pytest.param(task, style, id=f"{task}-{style}") for task in RIGHT for style in RIGHT[task]]
WRONG_CASES = [
    pytest.param(task, number, id=f"{task}-{number}-{ids}")
    for task in WRONG
    for number, (ids, _answer) in enumerate(WRONG[task])
]


@pytest.fixture(scope="module")
def outcomes():
    """(task, style or number) -> outcomes of three rounds of the hidden tests; all in one session of pytest."""

    def work(tests):
        for task in POINTS:
            for key, answer in [*RIGHT[task].items(), *((i, answer) for i, (_, answer) in enumerate(WRONG[task]))]:
                found[task, key] = [tests.run(LocalProcess({task: answer}), task) for _round in range(3)]

    found = {}
    hidden_tests(COURSE, "from_scratch", work)
    return found


@pytest.mark.parametrize(("task", "style"), RIGHT_CASES)
def test_a_right_answer_in_any_style_earns_everything(outcomes, task, style):
    for tests in outcomes[task, style]:
        assert [(o.test.name, o.error) for o in tests if o.error is not None] == []
        assert sum(o.test.points for o in tests) == POINTS[task]


@pytest.mark.parametrize(("task", "style"), RIGHT_CASES)
def test_the_visible_checks_accept_any_style(task, style):
    names = {}
    for cell in read_text_notebook(TEXT):
        if (cell.kind, cell.name) in (("locked", "setup"), ("tests", task)):
            exec(cell.source, names)
            names[task] = RIGHT[task][style]


@pytest.mark.parametrize(("task", "number"), WRONG_CASES)
def test_a_wrong_answer_loses_points_and_is_named_or_honestly_not(outcomes, task, number):
    wanted = set(WRONG[task][number][0].split()) - {UNKNOWN}
    for tests in outcomes[task, number]:
        assert sum(o.test.points for o in tests if o.error is None) < POINTS[task]
        assert set(diagnose(task, tests, BANK).ids) == wanted
