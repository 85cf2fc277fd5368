"""Mistakes about where heads look and what they may be called."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from headcheck.diagnosis.bank import Mistake
from headcheck.i18n import N_

from solutions import experiments
from solutions.experiments import KEPT, KNOWS, LOOKS, LOST, ROLES

Way = Callable[..., Any]


def _profile(start: int = 2, back: int = 1) -> Way:
    def way(weights: torch.Tensor) -> torch.Tensor:
        i = torch.arange(start, weights.shape[-1] - max(0, -back))
        return torch.stack([weights[:, :, i, i - back].mean((0, 2)), weights[:, :, i, 0].mean((0, 2))], 1)

    return way


def _first_over_all(start: int) -> Way:
    def way(weights: torch.Tensor) -> torch.Tensor:
        back = weights.diagonal(offset=-1, dim1=-2, dim2=-1).mean((0, 2))
        return torch.stack([back, weights[:, :, start:, 0].mean((0, 2))], 1)

    return way


def _profile_of(change: Callable[[torch.Tensor], torch.Tensor]) -> Way:
    return lambda weights: experiments.attention_profile(change(weights))


def _roles(
    looks: bool = True,
    loses: bool = True,
    knew: bool = True,
    keeps: bool = True,
    lost: float = LOST,
    turned: bool = False,
) -> Way:
    """Name heads with some of the conditions left out."""

    def name(row: torch.Tensor, full: torch.Tensor, without: torch.Tensor) -> str:
        for column in range(2):
            other = 1 - column
            read = other if turned else column
            fits = (
                (not looks or row[column] > LOOKS)
                and (not loses or without[read] < lost)
                and (not knew or full[read] > KNOWS)
                and (not keeps or without[1 - read] >= full[1 - read] - KEPT)
            )
            if fits:
                return ROLES[column]
        return "unclear"

    return lambda profile, full, ablated: [name(p, full, a) for p, a in zip(profile, ablated, strict=True)]


def _names_exchanged(profile: torch.Tensor, full: torch.Tensor, ablated: torch.Tensor) -> list[str]:
    exchange = {"previous": "first", "first": "previous"}
    return [exchange.get(role, role) for role in experiments.name_roles(profile, full, ablated)]


FURTHER: dict[str, dict[str, tuple[Way, ...]]] = {
    "weights-averaged-over-heads": {
        "attention_profile": (
            _profile_of(lambda weights: weights.mean(1, keepdim=True)),
            lambda weights: experiments.attention_profile(weights.mean(1, keepdim=True))[0],
        )
    }
}
"""Known mistakes of other modules -> task -> ways to make them here."""

MISTAKES = (
    Mistake(
        id="profile-includes-position-one",
        name=N_("position 1 is in the mean, where both places are the same"),
        symptom=N_("A head that looks one place back seems to look at place 0 a little too."),
        explanation=N_("At i = 1 the place before is place 0. What a head does there says nothing about its habit."),
        see=N_("Use a head that always looks one place back: its weight on 0 should be 0."),
        question=N_("Where does your range of positions begin?"),
        wrong={"attention_profile": _profile(start=1)},
        also={"attention_profile": [_first_over_all(0)]},
    ),
    Mistake(
        id="profile-includes-position-zero",
        name=N_("position 0 is in the mean, where nothing stands before"),
        symptom=N_("Place -1 is read, which is the last one."),
        explanation=N_("At i = 0 the index i - 1 is -1, and Python takes that for the last place."),
        see=N_("Print i - 1 for all i that you use."),
        question=N_("Where does your range of positions begin?"),
        wrong={"attention_profile": _profile(start=0)},
    ),
    Mistake(
        id="profile-of-the-keys",
        name=N_("rows and columns of the weights are exchanged"),
        symptom=N_("Right shape, other numbers."),
        explanation=N_("weights[..., i, j] says how much position i looks at place j. The query comes first."),
        see=N_("Use a head that always looks at place 0."),
        question=N_("Which of the two last axes belongs to the position that looks?"),
        wrong={"attention_profile": _profile_of(lambda weights: weights.mT)},
    ),
    Mistake(
        id="profile-of-the-next-place",
        name=N_("the weight on i + 1 is read, not on i - 1"),
        symptom=N_("A head that looks one place back seems to look nowhere."),
        explanation=N_("The place before i is i - 1."),
        see=N_("Use a head that always looks one place back."),
        question=N_("Which index do you add or subtract?"),
        wrong={"attention_profile": _profile(back=-1)},
    ),
    Mistake(
        id="profile-columns-swapped",
        name=N_("the two columns of the profile have changed places"),
        symptom=N_("Right numbers in the wrong order."),
        explanation=N_("Column 0 is the weight on i - 1, column 1 the weight on 0."),
        see=N_("Use a head that always looks at place 0."),
        question=N_("Which of the two weights do you put first?"),
        wrong={"attention_profile": lambda weights: experiments.attention_profile(weights).flip(1)},
    ),
    Mistake(
        id="profile-transposed",
        name=N_("the profile has one column for each head, not one row"),
        symptom=N_("Shape (2, h)."),
        explanation=N_("One row for each head was asked for: stack along the last axis."),
        see=N_("Print the shape for three heads."),
        question=N_("Along which axis do you stack?"),
        wrong={"attention_profile": lambda weights: experiments.attention_profile(weights).T},
    ),
    Mistake(
        id="profile-summed",
        name=N_("weights are added up, not averaged"),
        symptom=N_("Numbers above 1."),
        explanation=N_("The sum grows with sequences and positions. The mean says how much one position gives."),
        see=N_("Use a head that always looks at place 0: 1 should come out."),
        question=N_("By what do you divide?"),
        wrong={"attention_profile": lambda w: experiments.attention_profile(w) * len(w) * (w.shape[-1] - 2)},
        also={
            "attention_profile": [
                lambda w: experiments.attention_profile(w) * (w.shape[-1] - 2),
                lambda w: experiments.attention_profile(w) * len(w),
            ]
        },
    ),
    Mistake(
        id="role-from-weights-alone",
        name=N_("roles are given for where a head looks, without asking whether it is missed"),
        symptom=N_("Heads have names that nobody would miss."),
        explanation=N_(
            "Weights suggest, ablation proves. A second head may do the same, or nobody may read the first."
        ),
        see=N_("Use a head that looks one place back and whose ablation changes nothing."),
        question=N_("Where is `ablated` used in your function?"),
        wrong={"name_roles": _roles(loses=False, knew=False, keeps=False)},
    ),
    Mistake(
        id="role-from-ablation-alone",
        name=N_("roles are given for what is lost, without asking where the head looks"),
        symptom=N_("A head that looks nowhere in particular has a name."),
        explanation=N_("The name says what a head does, so it must be seen doing it: its weight has to be above 0.8."),
        see=N_("Use a head with a profile of 0.5 and 0.4."),
        question=N_("Where is `profile` used in your function?"),
        wrong={"name_roles": _roles(looks=False)},
    ),
    Mistake(
        id="role-although-both-fall",
        name=N_("a head gets a role although both answers fall without it"),
        symptom=N_("A head that everything hangs on is called by one of its works."),
        explanation=N_("When both answers fall, the head does more than one thing. The other answer has to stay."),
        see=N_("Use ablated accuracies of 0.13 and 0.16."),
        question=N_("What do you ask about the other answer?"),
        wrong={"name_roles": _roles(keeps=False)},
    ),
    Mistake(
        id="role-for-a-partial-loss",
        name=N_("a fall that stops far above guessing counts as a loss"),
        symptom=N_("A head has a name though another one does half of its work."),
        explanation=N_("From 1.0 to 0.46 is a fall, but guessing gives 0.125: somebody else still knows a lot."),
        see=N_("Use an ablated accuracy of 0.46."),
        question=N_("With which number do you compare the accuracy without the head?"),
        wrong={"name_roles": _roles(lost=0.5)},
        also={"name_roles": [_roles(lost=0.9)]},
    ),
    Mistake(
        id="role-that-was-never-known",
        name=N_("a head gets a role for an answer that the whole model never knew"),
        symptom=N_("Names in a model that is stuck."),
        explanation=N_("What the whole model answers at 0.37 cannot be lost by taking a head away."),
        see=N_("Use full accuracies of 0.37 and 1.0."),
        question=N_("Where do you ask whether the whole model knew the answer?"),
        wrong={"name_roles": _roles(knew=False)},
    ),
    Mistake(
        id="role-of-the-other-answer",
        name=N_("the ablation is read the wrong way round: what stays is taken for what is lost"),
        symptom=N_("Good heads are unclear."),
        explanation=N_(
            "Without the head that looks back, `previous` falls and `first` stays. Column 0 falls for that head."
        ),
        see=N_("Use the specialised model of the visible check."),
        question=N_("Which accuracy falls when the head for `previous` is gone?"),
        wrong={"name_roles": _roles(turned=True)},
    ),
    Mistake(
        id="role-names-exchanged",
        name=N_("the two names are exchanged"),
        symptom=N_("'first' for the heads that look one place back."),
        explanation=N_("Column 0 is about the place before, column 1 about place 0."),
        see=N_("Use the specialised model of the visible check."),
        question=N_("Which word belongs to column 0?"),
        wrong={"name_roles": _names_exchanged},
    ),
)
