"""mask-always-used, in a style of its own."""

import torch


def batch_invariance(mha, x, lengths, masked):
    pad = torch.arange(x.shape[1]) >= lengths[:, None]
    y = mha(x, x, x, key_padding_mask=pad)[0]
    return torch.stack(
        [
            (y[b, :l] - mha(x[b : b + 1, :l], x[b : b + 1, :l], x[b : b + 1, :l])[0][0]).abs().max()
            for b, l in enumerate(lengths)
        ]
    )
