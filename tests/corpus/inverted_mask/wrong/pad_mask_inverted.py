"""pad-mask-inverted, in a style of its own."""

from torch import nn

inverted_mask_symptom = "silent"


def inverted_mask(x, token, state, h):
    mha = nn.MultiheadAttention(x.shape[-1], h, batch_first=True)
    mha.load_state_dict(state)
    return mha(x, x, x, key_padding_mask=token.bool())[0]
