"""Right answers in the ways in which different people write them, as cells of `notebook.write_cells`."""

from __future__ import annotations

from students.notebook import pieces

PLAIN = '''\
# %% wrong_view
wrong_view_symptom = "silent"


def wrong_view(x, h):
    """Split (B, n, d_model) into heads: (B, h, n, d_k)."""
    B, n, d_model = x.shape
    d_k = d_model // h
    x = x.reshape(B, n, h, d_k)
    return x.permute(0, 2, 1, 3)
# %% missing_transpose
missing_transpose_symptom = "silent"


def missing_transpose(weights, V):
    """Attend with (B, h, n_q, n_k) weights and join the heads: (B, n_q, h * d_k)."""
    out = weights @ V  # (B, h, n_q, d_k)
    B, h, n_q, d_k = out.shape
    return out.transpose(1, 2).contiguous().view(B, n_q, h * d_k)
# %% batch_first
batch_first_symptom = "silent"


def batch_first(x, state, h):
    """Self-attention of the sentences x (B, n, d_model) with trained parameters: (B, n, d_model)."""
    mha = nn.MultiheadAttention(x.shape[-1], h, batch_first=True)
    mha.load_state_dict(state)
    out, _ = mha(x, x, x)
    return out
# %% inverted_mask
inverted_mask_symptom = "silent"


def inverted_mask(x, token, state, h):
    """Self-attention that never looks at padding; token (B, n) is True at real tokens: (B, n, d_model)."""
    mha = nn.MultiheadAttention(x.shape[-1], h, batch_first=True)
    mha.load_state_dict(state)
    out, _ = mha(x, x, x, key_padding_mask=~token)
    return out
# %% averaged_weights
averaged_weights_symptom = "wrong shape"


def averaged_weights(x, state, h, i):
    """Weights of head i in the self-attention of x (B, n, d_model): (B, n, n)."""
    mha = nn.MultiheadAttention(x.shape[-1], h, batch_first=True)
    mha.load_state_dict(state)
    _, W = mha(x, x, x, average_attn_weights=False)
    return W[:, i]
# %% d_model_scaling
d_model_scaling_symptom = "silent"


def d_model_scaling(Q, K):
    """Weights of scaled dot-product attention from Q (B, h, n_q, d_k) and K (B, h, n_k, d_k): (B, h, n_q, n_k)."""
    d_k = Q.shape[-1]
    scores = Q @ K.transpose(-2, -1) / math.sqrt(d_k)
    return torch.softmax(scores, dim=-1)
# %% indivisible_heads
indivisible_heads_symptom = "crash"


def indivisible_heads(x, h):
    """Split (B, n, d_model) into heads (B, h, n, d_k), or refuse when h does not divide d_model."""
    B, n, d_model = x.shape
    if d_model % h:
        raise ValueError(f"d_model={d_model} cannot be split into h={h} heads")
    d_k = d_model // h
    return x.view(B, n, h, d_k).transpose(1, 2)
'''

EINSUM = '''\
# %% before wrong_view
from torch import einsum
# %% wrong_view
wrong_view_symptom = "silent"  # the shape is fine, tokens and heads are shuffled

def wrong_view(x, h):
    B, n, _ = x.shape
    return einsum("bnhd->bhnd", x.reshape(B, n, h, -1))
# %% missing_transpose
missing_transpose_symptom = "silent"

def missing_transpose(weights, V):
    return einsum("bhqk,bhkd->bqhd", weights, V).flatten(start_dim=2)
# %% before batch_first
def heads_by_hand(x, state, h):
    """Q, K, V of every head, all (B, h, n, d_k)."""
    qkv = einsum("bnd,ed->bne", x, state["in_proj_weight"]) + state["in_proj_bias"]
    return [part.unflatten(-1, (h, -1)).transpose(1, 2) for part in qkv.chunk(3, dim=-1)]


def weigh(Q, K, hidden=None):
    s = einsum("bhqd,bhkd->bhqk", Q, K) * Q.size(-1) ** -0.5
    if hidden is not None:
        s = s.masked_fill(hidden[:, None, None, :], float("-inf"))
    return s.softmax(-1)


def put_together(W, V, state):
    return einsum("bhqk,bhkd->bqhd", W, V).flatten(2) @ state["out_proj.weight"].T + state["out_proj.bias"]
# %% batch_first
batch_first_symptom = "silent"

def batch_first(x, state, h):
    Q, K, V = heads_by_hand(x, state, h)
    return put_together(weigh(Q, K), V, state)
# %% inverted_mask
inverted_mask_symptom = "silent"

def inverted_mask(x, token, state, h):
    Q, K, V = heads_by_hand(x, state, h)
    return put_together(weigh(Q, K, hidden=~token), V, state)
# %% averaged_weights
averaged_weights_symptom = "wrong shape"

def averaged_weights(x, state, h, i):
    Q, K, _ = heads_by_hand(x, state, h)
    return weigh(Q, K)[:, i]
# %% d_model_scaling
d_model_scaling_symptom = "silent"

def d_model_scaling(Q, K):
    return weigh(Q, K)
# %% indivisible_heads
indivisible_heads_symptom = "crash"

def indivisible_heads(x, h):
    d_model = x.size(-1)
    d_k, rest = divmod(d_model, h)
    if rest != 0:
        raise ValueError("%d columns, %d heads: does not go" % (d_model, h))
    return wrong_view(x, h)
'''

LOOPS = """\
# %% wrong_view
wrong_view_symptom = 'Silent'

def wrong_view(x, h):
    d_k = x.shape[2] // h
    heads = []
    for i in range(h):
        heads.append(x[:, :, i*d_k:(i+1)*d_k])
    return torch.stack(heads, dim=1)
# %% missing_transpose
missing_transpose_symptom = 'silent'

def missing_transpose(weights, V):
    return torch.cat([weights[:, i].bmm(V[:, i]) for i in range(V.shape[1])], dim=-1)
# %% batch_first
batch_first_symptom = 'silent'

def batch_first(x, state, h):
    mha = nn.MultiheadAttention(x.shape[-1], h)
    mha.load_state_dict(state)
    mha.eval()
    # one sentence at a time, so that they cannot meet
    out = [mha(s, s, s)[0] for s in x]
    return torch.stack(out)
# %% inverted_mask
inverted_mask_symptom = 'silent'

def inverted_mask(x, token, state, h):
    mha = nn.MultiheadAttention(x.shape[-1], h)
    mha.load_state_dict(state)
    result = torch.zeros_like(x)
    for b in range(len(x)):
        words = x[b][token[b]]          # throw the padding away
        result[b][token[b]] = mha(words, words, words)[0].detach()
    return result
# %% averaged_weights
averaged_weights_symptom = 'wrong shape.'

def averaged_weights(x, state, h, i):
    mha = nn.MultiheadAttention(x.shape[-1], h)
    mha.load_state_dict(state)
    rows = []
    for s in x:
        w = mha(s, s, s, average_attn_weights=False)[1]   # (h, n, n)
        rows.append(w[i])
    return torch.stack(rows)
# %% d_model_scaling
d_model_scaling_symptom = 'silent'

def my_softmax(s):
    s = s - s.max(dim=-1, keepdim=True).values
    e = torch.exp(s)
    return e / e.sum(dim=-1, keepdim=True)

def d_model_scaling(Q, K):
    B, h, n_q, d_k = Q.shape
    n_k = K.shape[2]
    scores = torch.bmm(Q.reshape(B*h, n_q, d_k), K.reshape(B*h, n_k, d_k).transpose(1, 2))
    return my_softmax(scores / d_k**0.5).reshape(B, h, n_q, n_k)
# %% indivisible_heads
indivisible_heads_symptom = 'crash'

def indivisible_heads(x, h):
    d_model = x.shape[2]
    assert d_model % h == 0, f'{d_model} / {h} is not a whole number'
    return torch.stack(torch.split(x, d_model // h, dim=2), dim=1)
"""

TRANSPOSES = '''\
# %% wrong_view
wrong_view_symptom = "silent"

def wrong_view(x, h):
    """(B, n, d_model) -> (B, h, n, d_k)"""
    return x.unflatten(-1, (h, x.shape[-1] // h)).swapaxes(1, 2)
# %% missing_transpose
missing_transpose_symptom = "silent"

def missing_transpose(weights, V):
    out = torch.matmul(weights, V).permute(0, 2, 1, 3)   # (B, n_q, h, d_k)
    return out.reshape(*out.shape[:2], -1)
# %% batch_first
batch_first_symptom = "silent"

def batch_first(x, state, h):
    mha = nn.MultiheadAttention(x.shape[-1], h)
    mha.load_state_dict(state)
    xt = x.transpose(0, 1)            # (n, B, d_model)
    out, _ = mha(xt, xt, xt, need_weights=False)
    return out.transpose(0, 1)
# %% inverted_mask
inverted_mask_symptom = "silent"

def inverted_mask(x, token, state, h):
    mha = nn.MultiheadAttention(x.shape[-1], h, batch_first=True)
    mha.load_state_dict(state)
    mask = torch.zeros(token.shape)
    mask[token == False] = -torch.inf  # a float mask is added to the scores
    return mha(x, x, x, key_padding_mask=mask)[0]
# %% averaged_weights
averaged_weights_symptom = "wrong shape"

def averaged_weights(x, state, h, i):
    mha = nn.MultiheadAttention(x.shape[-1], h)
    mha.load_state_dict(state)
    xt = x.transpose(0, 1)
    W = mha(xt, xt, xt, need_weights=True, average_attn_weights=False)[1]
    return W.unbind(dim=1)[i]
# %% d_model_scaling
d_model_scaling_symptom = "silent"

def d_model_scaling(Q, K):
    d_k = torch.tensor(Q.size(-1), dtype=torch.float64)
    scores = Q.double() @ K.double().mT
    return nn.functional.softmax(scores / d_k.sqrt(), dim=-1)
# %% indivisible_heads
indivisible_heads_symptom = "crash"

def indivisible_heads(x, h):
    try:
        return wrong_view(x, h)
    except RuntimeError as e:
        raise ValueError(f"h = {h} does not divide d_model = {x.shape[-1]}") from e
'''

CAUSE = """\
Attention weights only show where a head looks. Here somebody switched one head off and changed nothing else, and one
target broke down while the other one did not. So this head causes the success on that target in this model. It says
nothing about models with another seed."""

SCATTER = """\
With four seeds the differences are 0, 0.6, 0, 0.6: two heaps and nothing between. The mean +0.29 is no typical run,
and two standard errors are 0.33, more than the difference. I would run 20 seeds each and report how many succeed."""

QUIZ = {
    "q01": "8",
    "q02": "(4, 8, 10, 8)",
    "q03": "(4, 8, 10, 10)",
    "q04": "(16640, 16640)",
    "q05": "(192, 64)",
    "q06": '((4, 10, 10), "c")',
    "q07": "2.83",
    "q08": "(1, 8)",
    "q09": '"d"',
    "q10": "((2, 5, 64), (2, 5, 9), (2, 8, 5, 9))",
    "q11": '("b", "d")',
    "q12": '("a", "c")',
}
"""Question -> the right answer, as Python."""


def quiz(q11_why: str = CAUSE, q12_why: str = SCATTER, **others: str | None) -> str:
    """Write a quiz.

    Args:
        q11_why: the first text; empty when it was not written.
        q12_why: the second text.
        others: question -> what stands there in place of the right answer; None leaves the question open.

    Returns:
        The cells.
    """
    written = {name: answer for name, answer in {**QUIZ, **others}.items() if answer is not None}
    texts = {name: text for name, text in (("q11_why", q11_why), ("q12_why", q12_why)) if text}
    return "".join(f"# %% {name}\n{name} = {answer}\n" for name, answer in written.items()) + "".join(
        f"# %% {name}\n{text}\n" for name, text in texts.items()
    )


def parts(text: str) -> dict[str, str]:
    """Take cells apart: header -> source, header included."""
    return {header[0].removeprefix("# %% "): header[0] + source for header, source in pieces(text)}


def hunt(style: str, *leave: str, **others: str) -> str:
    """Write a bug hunt.

    Args:
        style: the right answers to start from.
        leave: tasks that stay as they were released.
        others: task -> what stands in its cell in place of the right answer.

    Returns:
        The cells.
    """
    cells = {name: cell for name, cell in parts(style).items() if name not in leave}
    cells |= {name: f"# %% {name}\n{source.strip()}\n" for name, source in others.items()}
    return "".join(cells.values())
