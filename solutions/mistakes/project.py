"""Mistakes about the input projections W_q, W_k and W_v."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from headcheck.diagnosis.bank import Choice, Context, Mistake
from headcheck.i18n import N_

from solutions.pipeline import linear

LAYERS = {"Q": "W_q", "K": "W_k", "V": "W_v"}
INPUTS = {"Q": "x_q", "K": "x_k", "V": "x_v"}


def use(q: str, k: str, v: str) -> Choice:
    """Use these layers for queries, keys and values; an empty name leaves an input as it is."""

    def project(c: Context) -> Context:
        named = {"Q": q, "K": k, "V": v}
        return {Z: linear(c, c[INPUTS[Z]], layer) if layer else c[INPUTS[Z]] for Z, layer in named.items()}

    return {"project": project}


def untransposed(c: Context, x: torch.Tensor, layer: str) -> torch.Tensor:
    """Multiply by the stored weight as it is: x W + b instead of x W^T + b."""
    return x @ c["state"][f"{layer}.weight"] + c["state"][f"{layer}.bias"]


def without_bias(c: Context, x: torch.Tensor, layer: str) -> torch.Tensor:
    """Leave the bias of a layer out."""
    return F.linear(x, c["state"][f"{layer}.weight"])


def twice(c: Context, x: torch.Tensor, layer: str) -> torch.Tensor:
    """Apply a layer twice."""
    return linear(c, linear(c, x, layer), layer)


def each(apply, only: str = "QKV") -> Choice:
    """Replace how the layers named by letters are applied."""

    def project(c: Context) -> Context:
        return {Z: (apply if Z in only else linear)(c, c[INPUTS[Z]], LAYERS[Z]) for Z in "QKV"}

    return {"project": project}


def activated(activation) -> Choice:
    """Apply an activation to all three projections."""
    return each(lambda c, x, layer: activation(linear(c, x, layer)))


def out(apply) -> Choice:
    """Replace how the output layer is applied."""
    return {"output": lambda c: {"out": apply(c, c["merged"], "W_o")}}


MISTAKES = (
    Mistake(
        id="input-projections-missing",
        name=N_("the inputs are cut into heads without being projected"),
        symptom=N_("Right shapes, wrong numbers everywhere; W_q, W_k and W_v get no gradient."),
        explanation=N_(
            "W_q, W_k and W_v exist but are never used. Without them every head compares the raw inputs, and there is "
            "nothing that training could change about where it looks."
        ),
        see=N_("Set W_q.weight to zero: the weights should become uniform, and nothing happens."),
        question=N_("Where does your forward call W_q?"),
        source="https://github.com/brandokoch/attention-is-all-you-need-paper",
        choices=[use("", "", ""), use("", "", "W_v")],
    ),
    Mistake(
        id="one-input-projection-missing",
        name=N_("one of the three inputs is not projected"),
        symptom=N_("Right shapes, wrong numbers; one layer gets no gradient."),
        explanation=N_("Queries, keys and values each have a projection of their own; one of them was left out."),
        see=N_("Call backward and look for the layer whose weight.grad is None."),
        question=N_("Which of W_q, W_k, W_v does your forward not call?"),
        choices=[use("", "W_k", "W_v"), use("W_q", "", "W_v"), use("W_q", "W_k", "")],
    ),
    Mistake(
        id="one-projection-for-all",
        name=N_("one projection is used for queries, keys and values"),
        symptom=N_("Right shapes, wrong numbers; two layers get no gradient."),
        explanation=N_(
            "The three layers play different parts: what to look for, what can be found, and what is passed on. With "
            "one layer for all, a token can only look for what it is itself."
        ),
        see=N_("Call backward and look for the layers whose weight.grad is None."),
        question=N_("Which layer makes your keys?"),
        source="https://github.com/stevezheng23/reading_comprehension_tf/pull/284",
        choices=[use(name, name, name) for name in ("W_q", "W_k", "W_v")],
    ),
    Mistake(
        id="two-inputs-share-a-projection",
        name=N_("two of the three inputs go through the same layer"),
        symptom=N_("Right shapes, wrong numbers; one layer gets no gradient."),
        explanation=N_(
            "A copied line still names the layer of the line above. Queries, keys and values each need their own."
        ),
        see=N_("Call backward and look for the layer whose weight.grad is None."),
        question=N_("Does each of W_q, W_k and W_v stand exactly once in your forward?"),
        choices=[
            use("W_q", "W_q", "W_v"),
            use("W_k", "W_k", "W_v"),
            use("W_q", "W_k", "W_k"),
            use("W_q", "W_v", "W_v"),
            use("W_q", "W_k", "W_q"),
            use("W_v", "W_k", "W_v"),
        ],
    ),
    Mistake(
        id="projections-swapped",
        name=N_("the projections have changed places"),
        symptom=N_("Right shapes, wrong numbers, and every layer is used."),
        explanation=N_(
            "The layers are applied to the wrong inputs, W_k to q for example. Trained from scratch nobody would "
            "notice, but trained parameters belong to their part."
        ),
        see=N_("Set W_v.weight and W_v.bias to zero: the output should be W_o.bias everywhere."),
        question=N_("Which layer is applied to which input?"),
        choices=[
            use("W_k", "W_q", "W_v"),
            use("W_q", "W_v", "W_k"),
            use("W_v", "W_k", "W_q"),
            use("W_k", "W_v", "W_q"),
            use("W_v", "W_q", "W_k"),
        ],
    ),
    Mistake(
        id="weight-not-transposed",
        name=N_("a weight matrix is used without its transpose"),
        symptom=N_("Right shapes, because the matrices are square, and wrong numbers."),
        explanation=N_(
            "nn.Linear stores its weight as (out, in) and computes x @ weight.T + bias. Writing x @ weight works as "
            "long as both sizes are equal and gives other numbers."
        ),
        see=N_("Compare x @ layer.weight + layer.bias with layer(x)."),
        question=N_("Which axis of layer.weight runs over the inputs?"),
        source="https://github.com/rasbt/LLMs-from-scratch/issues/857",
        choices=[
            each(untransposed),
            {**each(untransposed), **out(untransposed)},
            out(untransposed),
            *(each(untransposed, only) for only in ("Q", "K", "V", "QK", "KV")),
        ],
    ),
    Mistake(
        id="projection-bias-missing",
        name=N_("the biases of the projections are left out"),
        symptom=N_("Right with the zero biases that some modules start with, slightly off with trained ones."),
        explanation=N_(
            "x @ weight.T is only half of a linear layer. Only the bias of W_k changes nothing: softmax takes out what "
            "is added to all keys alike; the others count."
        ),
        see=N_("Set all weights to zero and the biases to one, and look at the projected tensors."),
        question=N_("What does W_v(x) give for x = 0?"),
        choices=[
            each(without_bias),
            {**each(without_bias), **out(without_bias)},
            each(without_bias, "Q"),
            each(without_bias, "V"),
        ],
    ),
    Mistake(
        id="projections-applied-twice",
        name=N_("the inputs are projected twice"),
        symptom=N_("Right shapes, wrong numbers everywhere."),
        explanation=N_(
            "A tensor that has been projected already goes through the layer again, often because it is handed to a "
            "function or module that projects by itself."
        ),
        see=N_("Count how often W_q is called in one forward, with a print in a hook."),
        question=N_("How often does a query pass W_q before the scores?"),
        choices=[each(twice), *(each(twice, only) for only in ("Q", "K", "V", "QK", "KV"))],
    ),
    Mistake(
        id="activation-on-projections",
        name=N_("an activation follows the projections"),
        symptom=N_("Right shapes, wrong numbers; with relu no projected number is negative."),
        explanation=N_(
            "Queries, keys and values are linear in the inputs; the only nonlinear part of attention is softmax. An "
            "activation throws half of the directions away."
        ),
        see=N_("Look for negative numbers in the projected tensors."),
        question=N_("What stands between W_q(q) and the scores?"),
        choices=[activated(torch.relu), activated(F.gelu), activated(torch.tanh)],
    ),
)
