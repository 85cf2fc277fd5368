"""batch-and-sequence-swapped, in a style of its own."""

from torch import nn

batch_first_symptom = "silent"


def batch_first(x, state, h):
    mha = nn.MultiheadAttention(x.shape[-1], h)
    mha.load_state_dict(state)
    t = x.transpose(0, 1)
    return mha(t, t, t)[0]
