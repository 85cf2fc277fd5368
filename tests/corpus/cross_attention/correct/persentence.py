"""A right answer in a style of its own: persentence."""

import torch


def cross_attention(mha, decoder, encoder, pad):
    outs, ws = [], []
    for d, e, p in zip(decoder, encoder, pad):
        o, w = mha(d, e, e, key_padding_mask=p, average_attn_weights=False)
        outs.append(o)
        ws.append(w)
    return torch.stack(outs), torch.stack(ws)
