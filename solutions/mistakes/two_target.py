"""Mistakes in the two-target task: its data, its model and its training."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from headcheck.diagnosis.bank import Mistake
from headcheck.i18n import N_

from solutions.attention import State
from solutions.experiments import TwoTargetModel

Way = Callable[..., Any]


def _model(way: Callable[[TwoTargetModel, torch.Tensor], Any]) -> Way:
    def run(X: torch.Tensor, state: State, h: int) -> Any:
        model = TwoTargetModel(h, state["token.weight"].shape[1])
        model.load_state_dict(state)
        with torch.no_grad():
            return way(model, X)

    return run


def _embedded(model: TwoTargetModel, X: torch.Tensor) -> torch.Tensor:
    return model.token(X) + model.position.weight  # (m, N, d_model)


def _answers(model: TwoTargetModel, x: torch.Tensor, residual: float = 1.0, attends: float = 1.0) -> Any:
    fetched, weights = model.attention(x)
    x = (residual * x + attends * fetched)[:, 1:]
    return model.previous(x), model.first(x), weights


def _right(model: TwoTargetModel, X: torch.Tensor) -> Any:
    return _answers(model, _embedded(model, X))


def _at(cut: slice) -> Callable[[TwoTargetModel, torch.Tensor], Any]:
    def way(model: TwoTargetModel, X: torch.Tensor) -> Any:
        x = _embedded(model, X)
        fetched, weights = model.attention(x)
        x = (x + fetched)[:, cut]
        return model.previous(x), model.first(x), weights

    return way


def _after(change: Callable[[Any, Any, Any], Any]) -> Way:
    return _model(lambda model, X: change(*_right(model, X)))


def _one_readout(model: TwoTargetModel, X: torch.Tensor) -> Any:
    previous, _first, weights = _right(model, X)
    return previous, previous, weights


FURTHER: dict[str, dict[str, tuple[Way, ...]]] = {
    "weights-averaged-over-heads": {
        "two_target_model": (_after(lambda previous, first, weights: (previous, first, weights.mean(1))),)
    },
    "weights-not-returned": {"two_target_model": (_after(lambda previous, first, weights: (previous, first)),)},
}
"""Known mistakes of other modules -> task -> ways to make them here."""

IN_MAKE_BATCH = "A hidden test cuts this out of the student's own X and compares."

MISTAKES = (
    Mistake(
        id="tokens-out-of-range",
        name=N_("tokens above K - 1 or below 0 are drawn"),
        symptom=N_("An embedding of K rows stops with an IndexError."),
        explanation=N_("K tokens are numbered from 0 to K - 1. torch.randint(low, high) leaves high out."),
        see=N_("Print X.min() and X.max()."),
        question=N_("Which is the largest number that your torch.randint can give?"),
        probe="A hidden test looks at the smallest and the largest token.",
    ),
    Mistake(
        id="tokens-left-out",
        name=N_("some of the K tokens are never drawn"),
        symptom=N_("Nothing complains; guessing is easier than it should be."),
        explanation=N_("torch.randint(low, high) leaves high out already, so K - 1 as high leaves out one token more."),
        see=N_("Count the tokens with torch.bincount(X.flatten())."),
        question=N_("How often does the token K - 1 turn up in your batch?"),
        probe="A hidden test counts the tokens.",
    ),
    Mistake(
        id="target-is-the-token-itself",
        name=N_("the target is the token of the position itself, x[i]"),
        symptom=N_("The task is learned at once and without any attention."),
        explanation=N_("For position i the target is x[i - 1]. x[i] can be read off without looking anywhere."),
        see=N_("Write x and the target below each other."),
        question=N_("What should position 1 answer, x[0] or x[1]?"),
        probe=IN_MAKE_BATCH,
    ),
    Mistake(
        id="target-is-the-next-token",
        name=N_("the target is the next token, not the one before"),
        symptom=N_("The last position asks for something that is not there."),
        explanation=N_("Shifting to the left gives x[i + 1]. What stood before is x[i - 1], a shift to the right."),
        see=N_("Write x and the target below each other."),
        question=N_("Into which direction did you shift X?"),
        probe=IN_MAKE_BATCH,
    ),
    Mistake(
        id="target-for-position-zero",
        name=N_("position 0 has a target too"),
        symptom=N_("Targets of N columns, not N - 1."),
        explanation=N_(
            "Nothing stands before position 0, and what a roll or a fill puts there is no answer. As its own first "
            "token it would give one answer away for nothing."
        ),
        see=N_("Print the shapes of the targets."),
        question=N_("What is the right answer for position 0?"),
        probe=IN_MAKE_BATCH,
    ),
    Mistake(
        id="first-is-position-one",
        name=N_("`first` is the token at position 1, not at position 0"),
        symptom=N_("Right shape, another token."),
        explanation=N_("Positions are counted from 0, so the very first token is X[:, 0]."),
        see=N_("Write x and the target below each other."),
        question=N_("Which column of X do you repeat?"),
        probe=IN_MAKE_BATCH,
    ),
    Mistake(
        id="first-of-the-batch",
        name=N_("`first` is the first sequence of the batch, not the first token of each sequence"),
        symptom=N_("All rows of the target are the same."),
        explanation=N_("X[:1] is the first row: a sequence. X[:, :1] is the first column: a token of each sequence."),
        see=N_("Print two rows of the target."),
        question=N_("Along which axis of X do the positions lie?"),
        probe=IN_MAKE_BATCH,
    ),
    Mistake(
        id="targets-swapped",
        name=N_("the two targets have changed places"),
        symptom=N_("Right shapes, the second target is what stood before."),
        explanation=N_("The order is X, previous, first."),
        see=N_("Print both targets of one sequence."),
        question=N_("Which target do you return second?"),
        probe=IN_MAKE_BATCH,
    ),
    Mistake(
        id="seed-ignored",
        name=N_("the seed has no effect on what is drawn"),
        symptom=N_("Two calls with one seed give two batches."),
        explanation=N_("A generator that was seeded has to be handed to torch.randint, as generator=..., to be used."),
        see=N_("Call your function twice with the same seed."),
        question=N_("Who uses your generator?"),
        probe="A hidden test calls it twice with one seed.",
    ),
    Mistake(
        id="seed-fixed",
        name=N_("the seed is fixed in the function"),
        symptom=N_("Every seed gives the same."),
        explanation=N_(
            "The argument seed has to reach the generator; a number written into the function makes all runs one."
        ),
        see=N_("Call your function with two seeds."),
        question=N_("Where does the argument seed go?"),
        probe="A hidden test calls it with two seeds.",
    ),
    Mistake(
        id="residual-missing",
        name=N_("the attention's output replaces what went in, it is not added to it"),
        symptom=N_("Right shapes, other answers."),
        explanation=N_("A residual connection adds: x + attention(x). Without it a position forgets its own token."),
        see=N_("Set W_o to zero: the answers should then depend on the token alone, not be constant."),
        question=N_("What goes into the two readouts?"),
        wrong={"two_target_model": _model(lambda model, X: _answers(model, _embedded(model, X), residual=0.0))},
    ),
    Mistake(
        id="attention-not-used",
        name=N_("what the attention found never reaches the answers"),
        symptom=N_("The model cannot learn; the weights are there all the same."),
        explanation=N_(
            "The attention's first result must be added to x before the readouts. Weights alone fetch nothing."
        ),
        see=N_("Change W_o: do the answers change?"),
        question=N_("Where is the first result of self.attention(x) used?"),
        wrong={"two_target_model": _model(lambda model, X: _answers(model, _embedded(model, X), attends=0.0))},
    ),
    Mistake(
        id="position-missing",
        name=N_("no position is added to the tokens"),
        symptom=N_("Right shapes; the model sees a bag of tokens."),
        explanation=N_("Attention knows no order. Without position embeddings nobody can find the place before."),
        see=N_("Exchange two tokens of a sequence: only these two rows change."),
        question=N_("How does position 5 know that it is position 5?"),
        wrong={"two_target_model": _model(lambda model, X: _answers(model, model.token(X)))},
    ),
    Mistake(
        id="wrong-position-left-out",
        name=N_("the last position is left out instead of the first"),
        symptom=N_("Right shapes; every answer stands one place too early."),
        explanation=N_(
            "Position 0 has no target. The answers belong to the positions 1 to N - 1, so the cut is [:, 1:]."
        ),
        see=N_("Ask which position the first of the N - 1 answers belongs to."),
        question=N_("Which position has nothing before it?"),
        wrong={"two_target_model": _model(_at(slice(None, -1)))},
    ),
    Mistake(
        id="no-position-left-out",
        name=N_("position 0 answers too"),
        symptom=N_("Answers of N positions, not N - 1."),
        explanation=N_("Position 0 has no target, so the logits are for positions 1 to N - 1."),
        see=N_("Print the shape of the logits."),
        question=N_("Which position has nothing before it?"),
        wrong={"two_target_model": _model(_at(slice(None)))},
    ),
    Mistake(
        id="answers-swapped",
        name=N_("the two answers have changed places"),
        symptom=N_("Right shapes, numbers of the other readout."),
        explanation=N_(
            "The order is previous, first, weights. The loss would train each readout for the other's question."
        ),
        see=N_("Compare the first result with model.previous(...)."),
        question=N_("Which readout do you return first?"),
        wrong={"two_target_model": _after(lambda previous, first, weights: (first, previous, weights))},
    ),
    Mistake(
        id="one-readout-for-both",
        name=N_("one readout gives both answers"),
        symptom=N_("Both results are the same."),
        explanation=N_(
            "What stood before and what stood first are different questions and need readouts of their own."
        ),
        see=N_("Compare both results."),
        question=N_("Where is self.first used?"),
        wrong={"two_target_model": _model(_one_readout)},
    ),
    Mistake(
        id="probabilities-not-logits",
        name=N_("softmax stands behind the readouts"),
        symptom=N_("All numbers between 0 and 1; training is slow."),
        explanation=N_("F.cross_entropy takes the log of a softmax by itself. It wants raw scores."),
        see=N_("Add up the last axis of the answers."),
        question=N_("Who applies softmax, your model or the loss?"),
        wrong={"two_target_model": _after(lambda p, f, weights: (F.softmax(p, dim=-1), F.softmax(f, dim=-1), weights))},
        also={
            "two_target_model": [
                _after(lambda p, f, weights: (F.log_softmax(p, dim=-1), F.log_softmax(f, dim=-1), weights))
            ]
        },
    ),
    Mistake(
        id="training-not-seeded",
        name=N_("the same seed gives two different models"),
        symptom=N_("Every run of the experiment gives other numbers."),
        explanation=N_("Parameters are random too: torch.manual_seed(seed) must come before the model is made."),
        see=N_("Train twice for two steps and compare the parameters."),
        question=N_("What is drawn first in your function, and was the seed set by then?"),
        probe="A hidden test trains twice with one seed.",
    ),
    Mistake(
        id="optimizer-never-steps",
        name=N_("training leaves the parameters as they are"),
        symptom=N_("The loss stays at 2 log 8 = 4.16."),
        explanation=N_(
            "backward() computes gradients, optimizer.step() uses them. It must be called in every step, by an "
            "optimizer that was given the parameters of the model that is returned."
        ),
        see=N_("Compare a parameter before and after one step."),
        question=N_("Which line changes the parameters, and of which model?"),
        probe="A hidden test compares the parameters after zero and after two steps.",
    ),
    Mistake(
        id="loss-of-one-target",
        name=N_("only one of the two answers is trained"),
        symptom=N_("One accuracy rises to 1, the other stays at guessing."),
        explanation=N_("The loss is the sum of two cross-entropies. What is missing in the sum is not learned."),
        see=N_("Print both losses on their own."),
        question=N_("What exactly do you call backward() on?"),
        probe="A hidden test asks a trained model about new data and counts right answers of both kinds.",
    ),
)
