"""A right answer in a style of its own: by hand."""

averaged_weights_symptom = "wrong shape"


def averaged_weights(x, state, h, i):
    W, b = state["in_proj_weight"], state["in_proj_bias"]
    q, k, _ = (x @ W.T + b).chunk(3, -1)
    d = q.shape[-1] // h
    s = slice(i * d, i * d + d)
    return (q[..., s] @ k[..., s].mT / d**0.5).softmax(-1)
