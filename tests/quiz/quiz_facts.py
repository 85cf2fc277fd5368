"""Answers about shapes, parameters and masks, found by building the thing in PyTorch, and what that needs."""

import math
import re

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from assignments.quiz.bank import BANK

FENCE = re.compile(r"```python\n(.*?)```", re.DOTALL)
SOLUTIONS = {"torch": torch, "nn": nn, "F": F}


def module(p, **settings):
    """A layer of PyTorch with random parameters, biases too."""
    layer = nn.MultiheadAttention(p["d_model"], p["h"], **{"batch_first": True, **settings})
    for parameter in layer.parameters():
        nn.init.normal_(parameter, std=parameter.shape[-1] ** -0.5)  # so that no softmax gives all to one key
    return layer.eval()


def tokens(p, length="n"):
    return torch.randn(p["B"], p[length], p["d_model"])  # (B, n, d_model)


def qkv(p, n_q="n", n_k="n"):
    """Queries, keys and values that are split already."""
    width = p["d_model"] // p["h"]
    return [torch.randn(p["B"], p["h"], p[n], width) for n in (n_q, n_k, n_k)]  # (B, h, n, d_k)


def shown_code(name, p):
    """The snippet that the prompt shows, with the drawn numbers."""
    return FENCE.search(BANK[name].prompt(p))[1]


def run(name, p, **names):
    """Run the snippet of a prompt; return what it defines."""
    names = {**SOLUTIONS, **names}
    exec(shown_code(name, p), names)
    return names


def option_codes(name, p):
    """Key of an option -> its text without backticks; the options of these questions are code."""
    (choice,) = BANK[name].choices(p)
    texts = [text.strip("`") for _letter, text in BANK[name].options(choice, p)]
    return dict(zip(choice.options, texts, strict=True))


def those_that_hold(statements):
    return frozenset(key for key, holds in statements.items() if holds)


def only_one(candidates):
    (found,) = candidates
    return found


def flops(work):
    with FlopCounterMode(display=False) as counter:
        work()
    return counter.get_total_flops()


def changed_rows(tensor):
    """First and last-but-one index of the rows that are not zero; they must be neighbours."""
    rows = tensor.reshape(len(tensor), -1).abs().amax(1).gt(1e-5).nonzero().flatten().tolist()
    assert rows == list(range(rows[0], rows[-1] + 1))
    return rows[0], rows[-1] + 1


# Shapes and sizes


def split_queries(p):
    width = module(p).head_dim
    return tokens(p).view(p["B"], p["n"], p["h"], width).transpose(1, 2)


def q03(p):
    Q = split_queries(p)
    return (Q @ Q.transpose(-2, -1)).softmax(-1).shape


def q07(p):
    """Two keys with known products and values 1 and 0: the first weight tells the divisor."""
    width = p["d_model"] // p["h"]
    Q, K, V = torch.ones(1, width), torch.zeros(2, width), torch.tensor([[1.0], [0.0]])
    K[0, 0] = 3.0  # products 3 and 0
    weight = F.scaled_dot_product_attention(Q[None], K[None], V[None]).item()
    return 3.0 / math.log(weight / (1 - weight))


def q13(p):
    Q, K, V = qkv(p, "n_q", "n_k")
    return run("q13", p, weights=(Q @ K.transpose(-2, -1)).softmax(-1), V=V)["out"].shape


def q14(p):
    W_q = nn.Linear(p["d_model"], p["d_model"])
    x = torch.randn(1, 2, p["d_model"])
    head = W_q(x).view(1, 2, p["h"], -1).transpose(1, 2)[:, p["i"]]
    head.sum().backward()
    a, b = changed_rows(W_q.weight.grad)
    assert torch.allclose(run("q14", p, x=x, W_q=W_q, a=a, b=b)["q"], head, atol=1e-5)
    return a, b


def q15(p, capsys):
    n, d_model = p["n"], p["d_model"]
    run("q15", p, x=torch.tensor([[[10 * t + c for c in range(d_model)] for t in range(n)]]))
    return int(capsys.readouterr().out)


def q48(p):
    Q, K, V = qkv(p, "n_q", "n_k")
    return run("q48", p, weights=(Q @ K.transpose(-2, -1)).softmax(-1), V=V)["joined"].shape


# Parameters


def counted(p, h):
    return sum(parameter.numel() for parameter in nn.MultiheadAttention(p["d_model"], h).parameters())


def q16(p):
    layer = eval(shown_code("q16", p), SOLUTIONS)
    return sum(parameter.numel() for name, parameter in layer.named_parameters() if name.endswith("weight"))


def q17(p):
    mha = run("q17", p)["mha"]
    tensors = {"mha." + name for name, _parameter in mha.named_parameters()}
    assert mha.in_proj_weight is None
    return those_that_hold({key: code in tensors for key, code in option_codes("q17", p).items()})


def head_gradient(p):
    """Where the parameters of all projections reach the weights of head i, and nothing else does."""
    mha, x = module(p), torch.randn(1, 3, p["d_model"])
    mha(x, x, x, average_attn_weights=False)[1][0, p["i"], 0, 0].backward()
    return mha.in_proj_weight.grad


def q18(p):
    d_model = p["d_model"]
    a, b = changed_rows(head_gradient(p)[d_model : 2 * d_model])  # keys are the second of three blocks
    queries = changed_rows(head_gradient(p)[:d_model])
    assert queries == (a, b)
    assert head_gradient(p)[2 * d_model :].abs().max() == 0
    return d_model + a, d_model + b


def q19(p):
    """Count, for the context of head 0, the outputs that reach it; each has a row of weights and a bias."""
    mha, x = module(p), torch.randn(1, 3, p["d_model"])
    nn.init.eye_(mha.out_proj.weight)
    mha(x, x, x)[0][..., : mha.head_dim].pow(2).sum().backward()
    rows = mha.in_proj_weight.grad.abs().amax(1).gt(0)
    return int(rows.sum()) * (mha.in_proj_weight.shape[1] + 1)


# Masks


def q09(p):
    mha, x = module({**p, "d_model": 8, "h": 2}), torch.randn(p["B"], p["n"], 8)
    pad = torch.zeros(p["B"], p["n"], dtype=torch.bool)
    pad[:, -1] = True
    out, weights = mha(x, x, x, key_padding_mask=pad)
    assert out[:, -1].abs().min() > 0  # the padded query still gets an answer
    return only_one(
        those_that_hold(
            {"ignored-as-key": weights[..., -1].max() == 0, "pad-mask-inverted": weights[..., 0].max() == 0}
        )
    )


def keys_seen(p, mask=None, **settings):
    """How many keys get a weight above zero, query by query; an identity for values hands the weights out."""
    Q, K = torch.randn(1, 1, p.get("n_q", 1), 8), torch.randn(1, 1, p["n_k"], 8)
    weights = F.scaled_dot_product_attention(Q, K, torch.eye(p["n_k"])[None, None], attn_mask=mask, **settings)
    return weights[0, 0].gt(0).sum(-1).tolist()


def q20(p):
    mask = eval(re.search(r"torch\.tensor\(.*\)", shown_code("q20", p))[0], SOLUTIONS)
    return keys_seen({"n_k": p["n"]}, mask)[0]


def hides_padded_keys(mask, scores, pad):
    try:
        weights = scores.masked_fill(mask, -math.inf).softmax(-1)  # (B, h, n, n)
    except RuntimeError:
        return False
    return torch.equal(weights == 0, pad[:, None, None, :].expand_as(weights))


def q21(p):
    scores, pad = torch.randn(p["B"], p["h"], p["n"], p["n"]), torch.zeros(p["B"], p["n"], dtype=torch.bool)
    pad[1:, -2:] = True
    codes = option_codes("q21", p)
    fits = {key: hides_padded_keys(eval(code, {"pad": pad}), scores, pad) for key, code in codes.items()}
    return only_one(those_that_hold(fits))


def accepts_mask(p, shape):
    try:
        module(p)(tokens(p, "n_q"), *[tokens(p, "n_k")] * 2, attn_mask=torch.zeros(shape, dtype=torch.bool))
    except (RuntimeError, AssertionError):
        return False
    return True


def q22(p):
    named = [wrong.value(p) for wrong in BANK["q22"].wrong]
    right = (p["B"] * p["h"], p["n_q"], p["n_k"])
    return only_one(shape for shape in [right, *named] if accepts_mask(p, shape))


def q23(p):
    """Put a table that hides key 0 at each place that is named, and see where it shows for sentence b, head i."""
    p = {**p, "n": 3, "d_model": 4 * p["h"]}
    mha, x, found = module(p), tokens(p), []
    sentence = torch.zeros(p["B"], 3, 3, dtype=torch.bool)
    sentence[p["b"], :, 0] = True
    every_head = sentence.repeat_interleave(p["h"], dim=0)
    for table in {BANK["q23"].answer(p), *(wrong.value(p) for wrong in BANK["q23"].wrong)}:
        mask = torch.zeros_like(every_head)
        mask[table, :, 0] = True
        weights = mha(x, x, x, attn_mask=mask, average_attn_weights=False)[1]
        found += [table] if weights[p["b"], p["i"], :, 0].max() == 0 else []
    assert every_head[found[0], 0, 0]  # as the explanation says about repeat_interleave
    return only_one(found)


def padded(p):
    return torch.arange(p["n"]) < p["padded"]


def q24(p):
    return run("q24", p, scores=torch.full((p["n"],), 0.7), pad=padded(p))["weights"].sum().item()


def q25(p):
    seen = keys_seen(p, is_causal=True)
    return seen[0], seen[-1]


def q26(p):
    p = {**p, "d_model": 8, "h": 2}
    pad = torch.zeros(p["B"], p["n"], dtype=torch.bool)
    pad[-1] = True
    module_out, function_out = [], F.scaled_dot_product_attention(*qkv(p), attn_mask=~pad[:, None, None, :])
    for mode in (True, False):
        mha, x = module(p).train(mode), tokens(p)
        module_out.append(mha(x, x, x, key_padding_mask=pad)[0])
    module_out[0][0].sum().backward()  # the loss does not even look at the padded sentence
    assert all(out[-1].isnan().all() and not out[0].isnan().any() for out in module_out)
    assert function_out[-1].abs().max() == 0
    return "nan", "zeros"


def q47(p):
    weights = run("q47", p, scores=torch.zeros(p["n"]), pad=padded(p))["weights"]
    hidden = torch.zeros(p["n"]).masked_fill(padded(p), -1e9).softmax(-1)
    assert hidden[padded(p)].max() == 0
    return weights[padded(p)].sum().item()
