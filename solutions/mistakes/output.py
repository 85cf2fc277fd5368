"""Mistakes made at the output projection W_o and after it."""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.nn.functional as F
from headcheck.diagnosis.bank import Choice, Context, Mistake
from headcheck.i18n import N_

from solutions.pipeline import linear


def end(make: Callable[[Context, torch.Tensor], torch.Tensor]) -> Choice:
    """Make the output in another way from the context and the merged heads (B, n_q, d_model)."""
    return {"output": lambda c: {"out": make(c, c["merged"])}}


def project(c: Context, x: torch.Tensor) -> torch.Tensor:
    """Apply W_o."""
    return linear(c, x, "W_o")


def norm(x: torch.Tensor) -> torch.Tensor:
    """Layer norm with the parameters that it starts with."""
    return F.layer_norm(x, x.shape[-1:])


MISTAKES = (
    Mistake(
        id="output-projection-missing",
        name=N_("the merged heads are returned without W_o"),
        symptom=N_("Right weights, wrong output; W_o gets no gradient."),
        explanation=N_(
            "Side by side the heads do not know of one another. W_o mixes what they found, and it is part of the layer."
        ),
        see=N_("Set W_o.weight to zero: the output should be W_o.bias everywhere."),
        question=N_("Where does your forward call W_o?"),
        source="https://github.com/Kyubyong/transformer/issues/117",
        choices=[end(lambda c, merged: merged)],
    ),
    Mistake(
        id="double-output-projection",
        name=N_("W_o is applied twice"),
        symptom=N_("Right weights, wrong output."),
        explanation=N_(
            "The merged heads pass W_o once in a helper or a built-in function and once more at the end of forward."
        ),
        see=N_("Count how often W_o is called in one forward, with a print in a hook."),
        question=N_("How often do the merged heads pass W_o?"),
        source="https://github.com/rasbt/LLMs-from-scratch",
        choices=[end(lambda c, merged: project(c, project(c, merged)))],
    ),
    Mistake(
        id="output-bias-missing",
        name=N_("the bias of W_o is left out"),
        symptom=N_("Right weights; the output is off by the same vector at every position."),
        explanation=N_("merged @ W_o.weight.T is only half of a linear layer; W_o.bias is added to every position."),
        see=N_("Subtract your output from the right one: all rows are the same."),
        question=N_("What should the output be when all values are zero?"),
        choices=[end(lambda c, merged: F.linear(merged, c["state"]["W_o.weight"]))],
    ),
    Mistake(
        id="output-bias-per-head",
        name=N_("the bias of W_o is added once for every head"),
        symptom=N_("Right weights; the output is off by the same vector at every position."),
        explanation=N_(
            "Adding up W_o's slices head by head is fine, but the bias belongs to the sum and not to each of its parts."
        ),
        see=N_("Subtract your output from the right one: all rows are the same multiple of W_o.bias."),
        question=N_("How many times is W_o.bias added to one position?"),
        choices=[
            end(lambda c, merged: project(c, merged) + (c["h"] - 1) * c["state"]["W_o.bias"]),
            end(lambda c, merged: project(c, merged) + c["state"]["W_o.bias"]),
        ],
    ),
    Mistake(
        id="another-layer-for-the-output",
        name=N_("the output goes through W_q, W_k or W_v instead of W_o"),
        symptom=N_("Right weights, wrong output; W_o gets no gradient."),
        explanation=N_("The four layers have the same shape, so a copied name raises no error."),
        see=N_("Set W_o.weight to zero: the output should be W_o.bias everywhere."),
        question=N_("Which layer stands in the last line of your forward?"),
        choices=[end(lambda c, merged, name=name: linear(c, merged, name)) for name in ("W_v", "W_q", "W_k")],
    ),
    Mistake(
        id="residual-inside",
        name=N_("the input is added to the output"),
        symptom=N_("Right weights; output minus query input is right."),
        explanation=N_(
            "The residual connection, and the layer norm that goes with it, belong to the block around attention. A "
            "block that adds the input as well would count it twice."
        ),
        see=N_("Set all parameters to zero: the output should be zero."),
        question=N_("What is added to the result of W_o?"),
        source="https://github.com/jadore801120/attention-is-all-you-need-pytorch",
        choices=[
            end(lambda c, merged: project(c, merged) + c["x_q"]),
            end(lambda c, merged: project(c, merged) + c["q"]),
            end(lambda c, merged: norm(project(c, merged) + c["q"])),
            end(lambda c, merged: project(c, merged + c["x_q"])),
            end(lambda c, merged: project(c, merged) + merged),
            end(lambda c, merged: project(c, merged) + c["v"]),
            end(lambda c, merged: project(c, merged) + linear(c, c["x_q"], "W_q")),
        ],
    ),
    Mistake(
        id="layer-norm-inside",
        name=N_("a layer norm follows the output projection"),
        symptom=N_("Right weights; every row of the output has mean 0 and variance 1."),
        explanation=N_("The layer norm belongs to the block around attention."),
        see=N_("Print the mean and the variance of a row of the output."),
        question=N_("What comes after W_o in your forward?"),
        choices=[
            end(lambda c, merged: norm(project(c, merged))),
            end(lambda c, merged: project(c, norm(merged))),
        ],
    ),
    Mistake(
        id="activation-on-output",
        name=N_("an activation follows the output projection"),
        symptom=N_("Right weights; with relu no number of the output is negative."),
        explanation=N_(
            "The output of attention is linear in the merged heads. The activation belongs to the next layer."
        ),
        see=N_("Look for negative numbers in the output."),
        question=N_("What comes after W_o in your forward?"),
        choices=[
            end(lambda c, merged: project(c, merged).relu()),
            end(lambda c, merged: F.gelu(project(c, merged))),
            end(lambda c, merged: project(c, merged).tanh()),
            end(lambda c, merged: project(c, merged.relu())),
        ],
    ),
)
