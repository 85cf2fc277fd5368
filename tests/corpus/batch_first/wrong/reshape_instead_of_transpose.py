"""reshape-instead-of-transpose, in a style of its own."""

from torch import nn

batch_first_symptom = "silent"


def batch_first(x, state, h):
    mha = nn.MultiheadAttention(x.shape[-1], h)
    mha.load_state_dict(state)
    t = x.view(x.shape[1], x.shape[0], -1)
    return mha(t, t, t)[0].view_as(x)
