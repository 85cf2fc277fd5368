"""output-and-weights-returned, in a style of its own."""

from torch import nn

batch_first_symptom = "silent"


def batch_first(x, state, h):
    mha = nn.MultiheadAttention(x.shape[-1], h, batch_first=True)
    mha.load_state_dict(state)
    return mha(x, x, x)
