"""A right answer in a style of its own: attn mask."""

from torch import nn

inverted_mask_symptom = "silent"


def inverted_mask(x, token, state, h):
    mha = nn.MultiheadAttention(x.shape[-1], h, batch_first=True)
    mha.load_state_dict(state)
    m = (~token)[:, None, None].expand(-1, h, x.shape[1], -1).flatten(0, 1)
    return mha(x, x, x, attn_mask=m)[0]
