"""Mistakes about which input goes where."""

from __future__ import annotations

import torch.nn.functional as F
from headcheck.diagnosis.bank import Choice, Context, Mistake
from headcheck.i18n import N_


def feed(order: str) -> Choice:
    """Feed the projections of query, key and value with the inputs named by three letters ("kqv")."""

    def inputs(c: Context) -> Context:
        return {"x_q": c[order[0]], "x_k": c[order[1]], "x_v": c[order[2]]}

    return {"inputs": inputs}


def normed(only: str) -> Choice:
    """Send the inputs named by letters through a layer norm with the parameters that it starts with."""

    def inputs(c: Context) -> Context:
        return {f"x_{z}": F.layer_norm(c[z], c[z].shape[-1:]) if z in only else c[z] for z in "qkv"}

    return {"inputs": inputs}


MISTAKES = (
    Mistake(
        id="kv-from-query",
        name=N_("keys and values are made from the query input"),
        symptom=N_("Right in self-attention, wrong numbers or a crash as soon as k and v differ from q."),
        explanation=N_(
            "W_k and W_v were applied to q, so every sequence attends to itself whatever was passed as k and v. In "
            "self-attention the three inputs are the same tensor, which hides it."
        ),
        see=N_("Call the module twice with the same q and two different k and v: the output stays the same."),
        question=N_("Which of the three arguments does your result depend on?"),
        source="https://github.com/Exorust/TorchLeet",
        choices=[feed("qqq")],
    ),
    Mistake(
        id="value-from-query-input",
        name=N_("the values are made from the query input"),
        symptom=N_("Right weights and wrong output, but only when v is not q."),
        explanation=N_(
            "W_v must be applied to v. With W_v(q) the weights pick the right positions and fetch something else there."
        ),
        see=N_("Change v alone: the output should change, and does not."),
        question=N_("Which tensor does your W_v see?"),
        source="https://github.com/tensorflow/tensorflow/pull/35859",
        choices=[feed("qkq")],
    ),
    Mistake(
        id="value-from-key-input",
        name=N_("the values are made from the key input"),
        symptom=N_("Right weights and wrong output, but only when v is not k."),
        explanation=N_(
            "W_v must be applied to v. In self-attention and in most cross-attention k and v are the same tensor, so "
            "nobody notices until they differ."
        ),
        see=N_("Change v alone: the output should change, and does not."),
        question=N_("Which tensor does your W_v see?"),
        choices=[feed("qkk")],
    ),
    Mistake(
        id="key-from-another-input",
        name=N_("the keys are not made from k"),
        symptom=N_("Right in self-attention; elsewhere the weights are wrong."),
        explanation=N_("W_k must be applied to k: the keys say what can be found at each position of that sequence."),
        see=N_("Change k alone: the weights should change, and do not."),
        question=N_("Which tensor does your W_k see?"),
        choices=[feed("qqv"), feed("qvv")],
    ),
    Mistake(
        id="query-from-another-input",
        name=N_("the queries are not made from q"),
        symptom=N_("Right in self-attention; elsewhere the weights are wrong or have the shape of the keys."),
        explanation=N_("W_q must be applied to q: there is one answer for each position of that sequence."),
        see=N_("Change q alone: the weights should change, and do not."),
        question=N_("Which tensor does your W_q see?"),
        choices=[feed("kkv"), feed("vkv"), feed("kkk"), feed("vvv")],
    ),
    Mistake(
        id="arguments-key-query-value",
        name=N_("query and key have changed places"),
        symptom=N_("Right in self-attention; elsewhere the wrong sequence asks the questions."),
        explanation=N_(
            "Libraries disagree on the order of the arguments. Here it is (q, k, v); code written for (k, q, v) lets "
            "the keys ask and the queries answer."
        ),
        see=N_("Give q five positions and k seven: the output should have five."),
        question=N_("In which order does your forward take its arguments, and in which order is it called?"),
        source="https://github.com/Khaliladib11/Transformer-from-scratch",
        choices=[feed("kqv")],
    ),
    Mistake(
        id="arguments-in-another-order",
        name=N_("the three inputs have changed places"),
        symptom=N_("Right in self-attention; elsewhere nearly everything is wrong."),
        explanation=N_(
            "Libraries disagree on the order of the arguments: (v, k, q) and (k, v, q) are both common. Here it is "
            "(q, k, v)."
        ),
        see=N_("Pass three different tensors and look at what arrives in each argument."),
        question=N_("In which order does your forward take its arguments, and in which order is it called?"),
        choices=[feed("vkq"), feed("kvq"), feed("vqk"), feed("qvk")],
    ),
    Mistake(
        id="layer-norm-on-inputs",
        name=N_("a layer norm comes before the projections"),
        symptom=N_("Right shapes, wrong numbers; an input ten times as large gives the same output."),
        explanation=N_("The layer norm belongs to the block around attention, which does it before calling the layer."),
        see=N_("Multiply the inputs by ten: the output should change, and does not."),
        question=N_("What happens to q before W_q?"),
        choices=[normed("qkv"), normed("q"), normed("kv")],
    ),
)
