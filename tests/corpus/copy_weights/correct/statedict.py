"""A right answer in a style of its own: statedict."""

import torch


def copy_weights(ours, mha):
    sd = mha.state_dict()
    o = ours.state_dict()
    if "in_proj_weight" in sd:
        sd["in_proj_weight"] = torch.vstack([o[f"W_{c}.weight"] for c in "qkv"])
    else:
        for c in "qkv":
            sd[f"{c}_proj_weight"] = o[f"W_{c}.weight"].clone()
    sd["in_proj_bias"] = torch.hstack([o[f"W_{c}.bias"] for c in "qkv"])
    sd["out_proj.weight"], sd["out_proj.bias"] = o["W_o.weight"], o["W_o.bias"]
    mha.load_state_dict(sd)


def copy_back(mha, ours):
    m = mha.state_dict()
    d = mha.embed_dim
    new = {}
    for j, c in enumerate("qkv"):
        new[f"W_{c}.weight"] = (
            m["in_proj_weight"][j * d : (j + 1) * d] if "in_proj_weight" in m else m[f"{c}_proj_weight"]
        )
        new[f"W_{c}.bias"] = m["in_proj_bias"][j * d : (j + 1) * d]
    new["W_o.weight"], new["W_o.bias"] = m["out_proj.weight"], m["out_proj.bias"]
    ours.load_state_dict(new)
