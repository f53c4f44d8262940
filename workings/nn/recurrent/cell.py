"""What every recurrent layer offers: a step as its equation is written, and the loop over steps."""

# T time, B batch, N rows, d inputs, D hidden

from typing import Any, Protocol

import torch
from torch import Tensor


class RecurrentLayer(Protocol):
    """A layer called with x_TBd and a state or None, which gives h_TBD and the state after it.

    `project` and `step` together are the equation of one step: the plain reference, and what
    generation uses. `forward` is the fast path for a whole window.
    """

    def __call__(self, x_TBd: Tensor, state: Any = None) -> tuple[Tensor, Any]:
        """All steps of a window."""

    def project(self, x_Nd: Tensor) -> Tensor:
        """The part of a step that does not wait for the step before it."""

    def step(self, z: Tensor, state: Any) -> tuple[Tensor, Any]:
        """One step from its projected input: the output B×D, and the state."""


def step_by_step(layer: RecurrentLayer, x_TBd: Tensor, state: Any = None) -> Tensor:
    """The plain reference of `layer(x_TBd)`: one step after the other.

    Shapes: x_TBd, state as `step` takes it (without a leading 1); returns h_TBD.
    """
    outputs = []
    for x_Bd in x_TBd:
        h_BD, state = layer.step(layer.project(x_Bd), state)
        outputs.append(h_BD)
    return torch.stack(outputs)
