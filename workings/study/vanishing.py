"""The norm of the gradient by distance in time: the product of the Jacobians, measured."""

# T steps, B batch, D hidden

import math
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor, nn

from workings.errors import WorkingsError
from workings.nn.recurrent.gru import GRU
from workings.nn.recurrent.lstm import LSTM
from workings.nn.recurrent.rnn import RNN
from workings.run.config import Values

SETTINGS = {
    "cell": "rnn",
    "activation": "sigmoid",
    "forget_bias": 1.0,
    "hidden": 128,
    "steps": 60,
    "batch": 32,
    "scale": 1.0,
}


def shares(settings: Values) -> tuple[list[float], int]:
    """|∂(r·h_T)/∂s_{T-k}| for k = 1, 2, …, as shares of that at k = 1; r is a random direction.

    s is all of the state that goes on: h, and for an LSTM h and c. Inputs are normal with the given
    scale, weights are the initial ones; norms are means (in the logarithm) over the batch.
    """
    cell = _cell(settings)
    T, B, D = settings["steps"], settings["batch"], settings["hidden"]
    if T < 3:
        raise WorkingsError(f"set: steps: must be at least 3 (got {T})")
    x_TBD = torch.randn(T, B, D, dtype=torch.float64) * settings["scale"]
    states: list[tuple[Tensor, ...]] = []
    state: Any = None
    for x_BD in x_TBD:
        h_BD, state = cell.step(cell.project(x_BD), state)
        parts = state if isinstance(state, tuple) else (state,)
        # Copies, so that what goes on through h is not counted again for the c it was made of.
        parts = tuple(part.clone() for part in parts)
        state = parts if isinstance(state, tuple) else parts[0]
        states.append(parts)
    flat = [part for parts in states[:-1] for part in parts]
    gradients = iter(torch.autograd.grad((h_BD * torch.randn_like(h_BD)).sum(), flat))
    norms = []
    for parts in states[:-1]:
        square = sum(next(gradients).square().sum(1) for _ in parts)
        norms.append(torch.as_tensor(square).sqrt().clamp_min(1e-300).log().mean().item())
    norms.reverse()
    parameters = sum(p.numel() for p in cell.parameters())
    return [math.exp(norm - norms[0]) for norm in norms], parameters


def half_life(by_distance: list[float]) -> float:
    """After how many steps half is left, between two steps on a straight line of logarithms.

    Where half is never lost within the steps, as many steps as there are.
    """
    for distance, (before, after) in enumerate(pairwise(by_distance), start=1):
        if after <= 0.5:
            part = math.log(before / 0.5) / math.log(before / after)
            return distance + part - 1
    return float(len(by_distance))


def _cell(settings: Values) -> Any:
    hidden = settings["hidden"]
    made: Values = {
        "rnn": lambda: RNN(hidden, hidden, settings["activation"]),
        "lstm": lambda: LSTM(hidden, hidden, settings["forget_bias"]),
        "gru": lambda: GRU(hidden, hidden),
    }
    if settings["cell"] not in made:
        raise WorkingsError(f"set: cell: no cell {settings['cell']!r}; one of {', '.join(made)}")
    cell: nn.Module = made[settings["cell"]]().double()
    return cell
