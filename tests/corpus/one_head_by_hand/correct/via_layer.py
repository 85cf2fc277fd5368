"""A right answer in a style of its own: via layer."""


def one_head_by_hand(x, state, h, i):
    layer = MultiHeadAttention(x.shape[-1], h)
    layer.load_state_dict(state)
    Q, K, V = (split_heads(f(x), h)[:, i : i + 1] for f in (layer.W_q, layer.W_k, layer.W_v))
    c, w = attention(Q, K, V)
    return c.squeeze(1).detach(), w.squeeze(1).detach()
