"""Mistakes that no value of an ordinary call shows: each has a probe of its own in the hidden tests."""

from __future__ import annotations

from headcheck.diagnosis.bank import Crash, Mistake
from headcheck.i18n import N_

MISTAKES = (
    Mistake(
        id="dropout-in-eval",
        name=N_("dropout also works in evaluation mode"),
        symptom=N_("Two calls with the same inputs give different outputs, also after eval()."),
        explanation=N_(
            "F.dropout drops whenever it is called, and dropout_p of F.scaled_dot_product_attention always applies. "
            "Pass training=self.training, or use an nn.Dropout layer, which eval() switches off."
        ),
        see=N_("Call eval() and then the layer twice with the same inputs."),
        question=N_("Who tells your dropout that training is over?"),
        source="https://github.com/pytorch/pytorch/issues/124464",
        probe=N_("two calls in evaluation mode are compared"),
    ),
    Mistake(
        id="layers-recreated-in-forward",
        name=N_("layers are made anew in every forward"),
        symptom=N_("Two calls with the same inputs differ, and the parameters never learn anything."),
        explanation=N_(
            "nn.Linear draws random parameters when it is made. Made in forward, it forgets everything after each "
            "call, and an optimiser never sees its parameters. Layers belong into __init__."
        ),
        see=N_("Call the layer twice with the same inputs."),
        question=N_("How often is nn.Linear called when your forward runs twice?"),
        source="https://github.com/Exorust/TorchLeet",
        probe=N_("two calls are compared, and the parameters must get gradients"),
    ),
    Mistake(
        id="gradient-detached",
        name=N_("no gradient reaches the parameters"),
        symptom=N_("Right values; the loss never falls, because weight.grad stays None."),
        explanation=N_(
            "detach(), .data, .item(), numpy() and torch.no_grad() cut the result off from the parameters. The values "
            "stay right, but nothing can be learnt."
        ),
        see=N_("Call backward on the sum of the output and print W_q.weight.grad."),
        question=N_("Which line of your forward leaves the graph?"),
        probe=N_("the output is sent backwards, and every layer must get a gradient"),
    ),
    Mistake(
        id="mask-changed-in-place",
        name=N_("the caller's mask is changed"),
        symptom=N_("The first call is right, the next one with the same mask is not."),
        explanation=N_(
            "Methods that end in an underscore change the tensor itself, and it belongs to the caller, who will use it "
            "again. Make a new tensor instead: `~pad`, `pad.logical_not()`."
        ),
        see=N_("Compare the mask before and after the call."),
        question=N_("Which of your lines writes into pad?"),
        probe=N_("the mask is compared before and after the call"),
    ),
    Mistake(
        id="input-changed-in-place",
        name=N_("the caller's inputs are changed"),
        symptom=N_("The first call is right, the next one with the same tensors is not."),
        explanation=N_(
            "Methods that end in an underscore, and operators like +=, change the tensor itself, and it belongs to the "
            "caller, who will use it again."
        ),
        see=N_("Compare the inputs before and after the call."),
        question=N_("Which of your lines writes into q, k or v?"),
        probe=N_("the inputs are compared before and after the call"),
    ),
    Mistake(
        id="mask-fp16-overflow",
        name=N_("the number that hides padding does not fit into half precision"),
        symptom=N_("Right in float32; RuntimeError as soon as the layer runs in float16 with a mask."),
        explanation=N_(
            "float16 ends at 65504, so -1e9 cannot be stored. `-math.inf` and `torch.finfo(scores.dtype).min` work in "
            "every precision. In float32 your code is right; this is advice for later."
        ),
        see=N_("Call .half() on the layer and on its inputs, and pass a mask."),
        question=N_("What is the smallest number of float16?"),
        source="https://github.com/facebookresearch/fairseq/issues/3575",
        probe=N_("the layer runs once in half precision; costs no points"),
        crashes=[Crash("RuntimeError", r"cannot be converted to type .*Half without overflow")],
    ),
)
