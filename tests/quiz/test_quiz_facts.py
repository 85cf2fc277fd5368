"""Every answer of the bank, found a second time: by building the thing that is asked about in PyTorch and looking."""

import math
import random
import re

import pytest
import quiz_facts
import torch
import torch.nn.functional as F
from quiz_facts import (
    SOLUTIONS,
    counted,
    flops,
    module,
    only_one,
    option_codes,
    qkv,
    run,
    shown_code,
    split_queries,
    those_that_hold,
    tokens,
)
from torch import nn

from assignments.quiz.bank import BANK
from solutions import experiments

# The module and the function


def q06(p):
    mha, x = module(p), tokens(p)
    W, heads = mha(x, x, x)[1], mha(x, x, x, average_attn_weights=False)[1]
    readings = {
        "mean-over-heads": heads.mean(1),
        "heads-summed": heads.sum(1),
        "weights-of-first-head": heads[:, 0],
    }
    return W.shape, only_one(key for key, value in readings.items() if torch.allclose(W, value, atol=1e-6))


def q10(p):
    mha, q, k = module(p), tokens(p, "n_q"), tokens(p, "n_k")
    out, averaged = mha(q, k, k)
    return out.shape, averaged.shape, mha(q, k, k, average_attn_weights=False)[1].shape


def q27(p):
    x = tokens(p)
    names = run("q27", p, x=x)
    assert names["out"].shape == x.shape
    return names["W"].shape


def q28(p):
    return run("q28", p, x=tokens(p))["W"][:, 0].shape


def q29(p):
    """Heads that exchange their weights give the same mean, so it does not tell which head has which."""
    mha, x = module(p), tokens(p)
    W, heads = mha(x, x, x)[1], mha(x, x, x, average_attn_weights=False)[1]
    V = (x @ mha.in_proj_weight[-p["d_model"] :].T + mha.in_proj_bias[-p["d_model"] :]).unflatten(-1, (p["h"], -1))
    V = V.transpose(1, 2)  # (B, h, n, d_k)
    inside, averaged = heads @ V, W[:, None] @ V
    exchanged = heads.flip(1)
    first_query = mha(x[:, :1], x, x)[1][:, 0]
    return those_that_hold(
        {
            "rows-add-up-to-one": torch.allclose(W.sum(-1), torch.ones(p["B"], p["n"]), atol=1e-5),
            "second-axis-is-the-query": torch.allclose(W[:, 0], first_query, atol=1e-5),
            "weights-averaged-over-heads": torch.allclose(W, heads[:, 0], atol=1e-3),
            "heads-can-be-recovered": not torch.allclose(exchanged.mean(1), W, atol=1e-6),
            "context-from-averaged-weights": torch.allclose(inside, averaged, atol=1e-3),
        }
    )


def q30(p):
    class Model(nn.Module):
        def forward(self, Q, K, V):
            return eval(shown_code("q30", p), {**SOLUTIONS, "Q": Q, "K": K, "V": V})

    model, (Q, K, V) = Model().eval(), qkv({"B": 4, "n": 9, "h": 2, "d_model": 16})
    assert not torch.equal(model(Q, K, V), model(Q, K, V))
    assert torch.equal(nn.Dropout(float(p["dropout"])).eval()(Q), Q)  # a module looks at its mode
    return "outputs-differ", "function-has-no-mode"


def q31(p):
    names = run("q31", p, x=torch.randn(2, 5, p["d_model"]))
    mha, x = names["mha"], torch.randn(2, 5, p["d_model"])
    before = mha(x, x, x)[0]
    nn.init.zeros_(mha.out_proj.weight)
    assert not torch.allclose(mha(x, x, x)[0], before)  # the weight is used all the same
    mha.out_proj(x)
    assert len(names["seen"]) == 1  # the hook works, in any mode, when the layer is called
    return 0 if len(names["seen"]) == 1 else None, "weight-taken-without-a-call"


def q32(p):
    mha, x = module(p).train(), torch.randn(3, 5, p["d_model"])
    out = mha(x, x, x)[0]
    (out * torch.randn_like(out)).sum().backward()
    largest = mha.in_proj_bias.grad.view(3, -1).abs().amax(1)  # one number for each projection
    idle = only_one(place for place in range(3) if largest[place] < 1e-5 * largest.max())
    return idle * p["d_model"], (idle + 1) * p["d_model"], "same-for-all-keys"


def q33(p):
    mha, dec, enc = module(p), tokens(p, "n_q"), tokens(p, "n_k")
    dec_pad, enc_pad = (torch.arange(p[n]).expand(p["B"], -1) > 1 for n in ("n_q", "n_k"))
    expected = torch.cat([mha(dec[b : b + 1], enc[b : b + 1, :2], enc[b : b + 1, :2])[0] for b in range(p["B"])])
    names = {"mha": mha, "dec": dec, "enc": enc, "dec_pad": dec_pad, "enc_pad": enc_pad}

    def right(code):
        try:
            out = eval(code, names)[0]
        except (RuntimeError, AssertionError):
            return False
        return out.shape == expected.shape and torch.allclose(out, expected, atol=1e-4)

    return only_one(key for key, code in option_codes("q33", p).items() if right(code))


# Costs


def attention_work(n, d_model, h):
    """FLOPs of the scores, of the mixing and of the four projections, and the numbers in the weights."""
    Q = torch.randn(h, n, d_model // h)
    weights = torch.randn(h, n, n)
    x, linear = torch.randn(n, d_model), nn.Linear(d_model, d_model, bias=False)
    return (
        flops(lambda: Q @ Q.transpose(-2, -1)),
        flops(lambda: weights @ Q),
        4 * flops(lambda: linear(x)),
        weights.numel(),
    )


def q08(p):
    many, one = (attention_work(p["n"], p["d_model"], h) for h in (p["h"], 1))
    return many[0] / one[0], many[3] / one[3]


def q35(p):
    longer, shorter = (attention_work(n, 8, 2) for n in (5 * p["times"], 5))
    return longer[0] / shorter[0], longer[3] / shorter[3], longer[2] / shorter[2]


def q36(p):
    n = p["d_model"]  # any length: pairs grow with its square, projections with itself
    scores, mixing, projections, _numbers = attention_work(n, p["d_model"], 2)
    return round(n * projections / (scores + mixing))


# Experiments


def q11(p):
    assert float(p["kept_accuracy"]) == 1.0
    assert abs(float(p["lost_accuracy"]) - 1 / experiments.K) < 0.06
    return "head-needed", "only-head-changed"


def q12(p):
    assert not experiments.paired_difference(p["few"], p["many"])[2]
    assert all(each < 0.5 or each > 0.95 for each in p["few"])
    return "not-shown", "two-peaks"


def q37(p):
    """Make differences with this scatter, and let the course's own rule look at their mean."""
    shape = torch.randn(p["seeds"], dtype=torch.float64)
    differences = (shape - shape.mean()) / shape.std() * p["sd"]
    error = experiments.paired_difference([0.0] * p["seeds"], differences.tolist())[1]
    limit = 2 * error
    for mean, significant in ((1.01 * limit, True), (0.99 * limit, False)):
        b = (differences + mean).tolist()
        assert experiments.paired_difference([0.0] * p["seeds"], b)[2] is significant
    return error, limit


def q38(p):
    mean, paired, _significant = experiments.paired_difference(p["few"], p["many"])
    a, b = torch.tensor(p["few"], dtype=torch.float), torch.tensor(p["many"], dtype=torch.float)
    assert paired <= ((a.var() + b.var()) / len(a)).sqrt()  # the accuracies scatter more than their differences
    return mean, "shared-part-drops-out"


def q39(p):
    return experiments.success_share([1.0] * p["seeds"])[2]


def q40(p):
    return experiments.redundancy(torch.tensor([100.0]), torch.tensor([p["ablated"]], dtype=torch.float))


def q41(p):
    looks, whole = torch.tensor([float(p["weight"]), 0.0]), torch.tensor([1.0, 1.0])
    assert experiments.role_of(looks, whole, torch.tensor([0.125, 1.0])) == "previous"
    assert experiments.role_of(looks, whole, whole) == "unclear"
    return "not-needed", "nothing-else-changed-and-no-fall"


# Bugs


def q42(p):
    Q, K, V = qkv(p)
    weights = (Q @ K.transpose(-2, -1)).softmax(-1)
    right = (weights @ V).transpose(1, 2).reshape(p["B"], p["n"], p["d_model"])
    out = run("q42", p, weights=weights, V=V)["out"]
    return "silent" if out.shape == right.shape and not torch.allclose(out, right, atol=1e-3) else "other"


def lines_that_mend(name, p, result, **names):
    """Run the listing as it is, and with the right line of the explanation in each place."""
    shown = re.search(r"```text\n(.*?)```", BANK[name].prompt(p), re.DOTALL)[1].splitlines()
    code = [line.split("  ", 1)[1] for line in shown]
    _text, right_line = BANK[name].explanation(p).split("```python\n")
    right_line = right_line.split("\n```")[0]

    def outcome(lines):
        local = {**SOLUTIONS, **names}
        try:
            exec("\n".join(lines), local)
        except (RuntimeError, NameError):
            return None
        return local.get(result)

    wrong = outcome(code)
    mended = [outcome([*code[:place], right_line, *code[place + 1 :]]) for place in range(len(code))]
    return wrong, {place + 1: value for place, value in enumerate(mended) if value is not None}


def same(value, right):
    return value.shape == right.shape and torch.allclose(value, right, atol=1e-5)


def wrong_line(name, p, result, right, **names):
    wrong, mended = lines_that_mend(name, p, result, **names)
    assert wrong.shape == right.shape  # no crash, no wrong shape
    assert not torch.allclose(wrong, right, atol=1e-3, equal_nan=True)
    return only_one(place for place, value in mended.items() if same(value, right))


def q43(p):
    sizes = {"B": 3, "n": 7, "h": 4, "d_model": 32}
    mha, x = module(sizes), tokens(sizes)
    W_q, W_k, W_v = (nn.Linear(32, 32) for _projection in range(3))
    for place, linear in enumerate((W_q, W_k, W_v)):
        rows = slice(32 * place, 32 * (place + 1))
        linear.weight.data, linear.bias.data = mha.in_proj_weight[rows].data, mha.in_proj_bias[rows].data
    names = {"x": x, "W_q": W_q, "W_k": W_k, "W_v": W_v, "W_o": mha.out_proj, "B": 3, "n": 7, "h": 4, "d_k": 8}
    return wrong_line("q43", p, "out", mha(x, x, x)[0], **names)


def q44(p):
    Q, K, V = qkv({"B": 3, "n": 7, "h": 4, "d_model": 32})
    pad = torch.arange(7)[None, :] >= torch.tensor([7, 4, 2])[:, None]
    right = F.scaled_dot_product_attention(Q, K, V, attn_mask=~pad[:, None, None, :])
    return wrong_line("q44", p, "context", right, Q=Q, K=K, V=V, pad=pad, d_k=8)


def layer(p, x, split=None, divisor=None, hidden=None, join=None, width=None):
    """A layer of attention in which one step may be another one; x (B, n, d_model)."""
    B, n, d_model, h = p["B"], p["n"], p["d_model"], p["h"]
    d_k = width or d_model // h
    split = split or (lambda y: y.view(B, n, h, d_k).transpose(1, 2))
    join = join or (lambda heads: heads.transpose(1, 2).reshape(B, n, d_model))
    Q = K = V = split(x)
    scores = Q @ K.transpose(-2, -1) / (divisor or d_k**0.5)
    weights = scores.masked_fill(hidden, -math.inf).softmax(-1)
    return nn.Linear(d_model, d_model)(join(weights @ V))


def q45(p):
    B, n, d_model, h = p["B"], p["n"], p["d_model"], p["h"]
    pad = (torch.arange(n) > n - 2).expand(B, n)[:, None, None, :]
    mistakes = {
        "scale-sqrt-d-model": {"divisor": d_model**0.5},
        "split-view-no-transpose": {"split": lambda y: y.view(B, h, n, d_model // h)},
        "pad-mask-inverted": {"hidden": ~pad},
        "heads-averaged-not-concatenated": {"join": lambda heads: heads.mean(dim=1)},
        "float-head-dim": {"width": d_model / h},
    }

    def passes(change):
        try:
            return layer(p, tokens(p), **{"hidden": pad, **change}).shape == (B, n, d_model)
        except (RuntimeError, TypeError):
            return False

    return those_that_hold({mistake: passes(change) for mistake, change in mistakes.items()})


def q46(p):
    with pytest.raises(AssertionError, match="divisible"):
        exec(shown_code("q46", p).splitlines()[0], {**SOLUTIONS})
    return "refused-when-made"


FACTS = {
    "q01": lambda p: module(p).head_dim,
    "q02": lambda p: split_queries(p).shape,
    "q04": lambda p: (counted(p, p["h"]), counted(p, p["fewer"])),
    "q05": lambda p: module(p).in_proj_weight.shape,
    "q34": lambda p: attention_work(p["n"], p["d_model"], p["h"])[0],
    **{name: value for name, value in {**vars(quiz_facts), **globals()}.items() if re.fullmatch(r"q\d\d", name)},
}


def plain(answer):
    """Shapes and pairs as tuples, several choices as a set, numbers for comparison to two decimals."""
    if isinstance(answer, (tuple, list)):
        return tuple(plain(part) for part in answer)
    return pytest.approx(answer, abs=0.005) if isinstance(answer, float) else answer


def test_every_question_is_found_a_second_time():
    assert set(FACTS) == set(BANK)


@pytest.mark.parametrize("name", BANK)
def test_the_answer_is_what_pytorch_or_the_course_finds(name, capsys):
    torch.manual_seed(0)
    question, rng = BANK[name], random.Random(name)
    for params in (question.lesson, *(question.draw(rng) for _draw in range(4))):
        found = FACTS[name](params, capsys) if name == "q15" else FACTS[name](params)
        if isinstance(found, frozenset):
            assert frozenset(question.answer(params)) == found
        else:
            assert plain(found) == question.answer(params)
