"""weights-averaged-over-heads, in a style of its own."""


def cross_attention(mha, decoder, encoder, pad):
    return mha(decoder, encoder, encoder, key_padding_mask=pad)
