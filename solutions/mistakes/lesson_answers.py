"""Turns wrong functions of the further assignments into what a notebook would define, for `headcheck selftest`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from solutions import experiments

Form = Callable[..., Any]


def on_layer(task: str) -> Callable[[Form], dict[str, Any]]:
    """Make a function of torch's layer and inputs from a form of inputs, state and h."""

    def answer(form: Form) -> dict[str, Any]:
        return {task: lambda mha, *inputs: form(*inputs, _state(mha), mha.num_heads)}

    return answer


def _state(module: torch.nn.Module) -> dict[str, torch.Tensor]:
    return {name: tensor.detach().clone() for name, tensor in module.state_dict().items()}


def copying(form: Form) -> dict[str, Any]:
    """Make a copy between two layers from a form of their parameters."""

    def copy_weights(ours: torch.nn.Module, mha: torch.nn.Module) -> None:
        mha.load_state_dict(form(_state(ours), _state(mha)))

    return {"copy_weights": copy_weights}


def ablating(form: Form) -> dict[str, Any]:
    """Make a function of an Attention layer, its input and a head from a form of input, head, state and h."""
    return {"ablate_head": lambda attention, x, i: form(x, i, _state(attention), attention.h)}


def modelling(form: Form) -> dict[str, Any]:
    """Make a model class from a form of sequences, state and h."""

    class TwoTargetModel(experiments.TwoTargetModel):
        def forward(self, X: torch.Tensor, keep: torch.Tensor | None = None) -> Any:
            return form(X, _state(self), self.attention.h)

    return {"TwoTargetModel": TwoTargetModel}


ANSWERS: dict[str, Callable[[Form], dict[str, Any]]] = {
    **{task: on_layer(task) for task in ("head_weights", "padding_mask", "cross_attention", "batch_invariance")},
    "copy_weights": copying,
    "ablate_head": ablating,
    "two_target_model": modelling,
}
"""Task -> how a form of a mistake becomes the names that its answer cell defines."""
