"""copy-shares-memory, in a style of its own."""

import torch


def copy_weights(ours, mha):
    d = mha.embed_dim
    Ws = (ours.W_q, ours.W_k, ours.W_v)
    if mha.in_proj_weight is None:
        mha.q_proj_weight.data, mha.k_proj_weight.data, mha.v_proj_weight.data = (W.weight.data for W in Ws)
    else:
        mha.in_proj_weight.data = torch.cat([W.weight.data for W in Ws])
    mha.in_proj_bias.data = torch.cat([W.bias.data for W in Ws])
    mha.out_proj.weight, mha.out_proj.bias = ours.W_o.weight, ours.W_o.bias


@torch.no_grad()
def copy_back(mha, ours):
    ws = (
        (mha.q_proj_weight, mha.k_proj_weight, mha.v_proj_weight)
        if mha.in_proj_weight is None
        else mha.in_proj_weight.chunk(3)
    )
    for L, w, b in zip((ours.W_q, ours.W_k, ours.W_v), ws, mha.in_proj_bias.chunk(3)):
        L.weight.copy_(w)
        L.bias.copy_(b)
    ours.W_o.weight.copy_(mha.out_proj.weight)
    ours.W_o.bias.copy_(mha.out_proj.bias)
