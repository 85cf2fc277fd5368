"""head-index-off-by-one, in a style of its own."""

from torch import nn

averaged_weights_symptom = "wrong shape"


def averaged_weights(x, state, h, i):
    mha = nn.MultiheadAttention(x.shape[-1], h, batch_first=True)
    mha.load_state_dict(state)
    return mha(x, x, x, average_attn_weights=False)[1][:, i - 1]
