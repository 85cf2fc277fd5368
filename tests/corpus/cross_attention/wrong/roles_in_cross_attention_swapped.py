"""roles-in-cross-attention-swapped, in a style of its own."""


def cross_attention(mha, decoder, encoder, pad):
    return mha(encoder, decoder, decoder, average_attn_weights=False)
