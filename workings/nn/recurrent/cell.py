"""What every recurrent layer offers: a step as its equation is written, and the loop over steps."""

# T time, B batch, N rows, d inputs, D hidden

from collections.abc import Iterable
from typing import Protocol, TypeVar, runtime_checkable

import torch
from torch import Tensor, nn

StateT = TypeVar("StateT")  # what a layer carries: h, or the LSTM's (h, c)


@runtime_checkable
class RecurrentLayer(Protocol[StateT]):
    """A layer called with x_TBd and a state or None, which gives h_TBD and the state after it.

    `project` and `step` together are the equation of one step: the plain reference, and what
    generation uses. `forward` is the fast path for a whole window.
    """

    def __call__(self, x_TBd: Tensor, state: StateT | None = None, /) -> tuple[Tensor, StateT]:
        """All steps of a window."""

    def project(self, x_Nd: Tensor, /) -> Tensor:
        """The part of a step that does not wait for the step before it."""

    def step(self, z: Tensor, state: StateT | None, /) -> tuple[Tensor, StateT]:
        """One step from its projected input: the output B×D, and the state."""


def recurrent_layers(layers: Iterable[nn.Module]) -> list[RecurrentLayer]:
    """The layers of a model; TypeError names one that cannot be run a step at a time."""
    checked: list[RecurrentLayer] = []
    for layer in layers:
        if not isinstance(layer, RecurrentLayer):
            raise TypeError(f"{type(layer).__name__} is no recurrent layer: no project or step")
        checked.append(layer)
    return checked


def step_by_step(
    layer: RecurrentLayer[StateT], x_TBd: Tensor, state: StateT | None = None
) -> Tensor:
    """The plain reference of `layer(x_TBd)`: one step after the other.

    Shapes: x_TBd, state as `step` takes it (without a leading 1); returns h_TBD.
    """
    outputs = []
    for x_Bd in x_TBd:
        h_BD, state = layer.step(layer.project(x_Bd), state)
        outputs.append(h_BD)
    return torch.stack(outputs)
