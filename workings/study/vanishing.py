"""The norm of the gradient by distance in time: the product of the Jacobians, measured."""

# T steps, B batch, d inputs, D hidden

import copy
import math
from collections.abc import Callable
from itertools import accumulate, pairwise
from typing import TypedDict

import torch
from torch import Tensor, nn

from workings.errors import WorkingsError
from workings.nn.recurrent.cell import recurrent_layers
from workings.nn.recurrent.gru import GRU
from workings.nn.recurrent.language_model import RecurrentLanguageModel
from workings.nn.recurrent.lstm import LSTM
from workings.nn.recurrent.rnn import RNN, Activation
from workings.study.trained import open_trained


class Settings(TypedDict):
    """What is measured: a cell with its initial weights on noise, or that of a trained run."""

    cell: str
    activation: Activation
    forget_bias: float
    hidden: int
    steps: int
    batch: int
    scale: float
    gain: float
    run: str


SETTINGS: Settings = {
    "cell": "rnn",
    "activation": "sigmoid",
    "forget_bias": 1.0,
    "hidden": 128,
    "steps": 60,
    "batch": 32,
    "scale": 1.0,
    "gain": 1.0,  # the recurrent weights are multiplied by it
    "run": "",  # a trained recurrent language model: its first layer, on its test text
}
Cell = RNN | LSTM | GRU
LARGEST = 690.0  # the logarithm of what a figure can hold


def prepared(settings: Settings) -> tuple[Cell, Tensor]:
    """The cell and its inputs T×B×d: initial weights and noise, or those of a trained model."""
    T, B, D = settings["steps"], settings["batch"], settings["hidden"]
    if T < 3:
        raise WorkingsError(f"set: steps: must be at least 3 (got {T})")
    if settings["run"]:
        cell, x_TBd = _of_run(settings["run"], T, B)
    else:
        cell = _cell(settings)
        x_TBd = torch.randn(T, B, D, dtype=torch.float64) * settings["scale"]
    with torch.no_grad():
        recurrent(cell).mul_(settings["gain"])
    return cell, x_TBd


def recurrent(cell: Cell) -> Tensor:
    """The weights from the state before: of an LSTM or a GRU those of all gates."""
    return cell.H if isinstance(cell, RNN) else cell.weight_hh_l0


def largest_singular_value(cell: Cell) -> float:
    """Of the recurrent weights: at most so much longer they make a vector."""
    return float(torch.linalg.matrix_norm(recurrent(cell).detach(), ord=2))


def contributions(cell: Cell, x_TBd: Tensor) -> list[float]:
    """|∂L/∂W_hh| of each step T, T-1, …, where W_hh counts there alone, as shares of their sum.

    L is the cross-entropy of a random output layer after the last step, for random classes. The
    output weights get their whole gradient at that step: only there they are used.
    """
    cells = [copy.deepcopy(cell) for _ in x_TBd]  # weights of their own for every step
    state: object = None
    for each, x_BD in zip(recurrent_layers(cells), x_TBd, strict=True):
        h_BD, state = each.step(each.project(x_BD), state)
    output_DD = torch.randn(h_BD.shape[1], h_BD.shape[1], dtype=h_BD.dtype) * h_BD.shape[1] ** -0.5
    classes_B = torch.randint(h_BD.shape[1], (len(h_BD),))
    loss = nn.functional.cross_entropy(h_BD @ output_DD, classes_B)
    # At the first step there is no state before.
    gradients = torch.autograd.grad(loss, [recurrent(each) for each in cells[1:]])
    norms = [gradient.norm().item() for gradient in reversed(gradients)]
    return [norm / sum(norms) for norm in norms]


def reach(by_distance: list[float], part: float = 0.9) -> int:
    """How many steps, from the last one back, make up this part of all."""
    return 1 + sum(total < part for total in accumulate(by_distance))


def shares(cell: Cell, x_TBd: Tensor) -> list[float]:
    """|∂(r·h_T)/∂s_{T-k}| for k = 1, 2, …, as shares of that at k = 1; r is a random direction.

    s is all of the state that goes on: h, and for an LSTM h and c. Norms are means (in the
    logarithm) over the batch.
    """
    states: list[tuple[Tensor, ...]] = []
    (layer,) = recurrent_layers([cell])
    state: Tensor | tuple[Tensor, ...] | None = None
    for x_BD in x_TBd:
        h_BD, state = layer.step(layer.project(x_BD), state)
        parts: tuple[Tensor, ...] = state if isinstance(state, tuple) else (state,)
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
    return [math.exp(min(norm - norms[0], LARGEST)) for norm in norms]


def factor_per_step(by_distance: list[float]) -> float:
    """By what the norm is multiplied in a step back, the geometric mean; above 1 it grows."""
    return by_distance[-1] ** (1 / (len(by_distance) - 1))


def half_life(by_distance: list[float]) -> float:
    """After how many steps half is left, between two steps on a straight line of logarithms.

    Where half is never lost within the steps, as many steps as there are.
    """
    for distance, (before, after) in enumerate(pairwise(by_distance), start=1):
        if after <= 0.5:
            part = math.log(before / 0.5) / math.log(before / after)
            return distance + part - 1
    return float(len(by_distance))


def _cell(settings: Settings) -> Cell:
    hidden = settings["hidden"]
    made: dict[str, Callable[[], Cell]] = {
        "rnn": lambda: RNN(hidden, hidden, settings["activation"]),
        "lstm": lambda: LSTM(hidden, hidden, settings["forget_bias"]),
        "gru": lambda: GRU(hidden, hidden),
    }
    if settings["cell"] not in made:
        raise WorkingsError(f"set: cell: no cell {settings['cell']!r}; one of {', '.join(made)}")
    return made[settings["cell"]]().double()


def _of_run(name: str, T: int, B: int) -> tuple[Cell, Tensor]:
    """A trained model's first layer, and the embeddings of B stretches of its test text."""
    task, model = open_trained(name, RecurrentLanguageModel, "a recurrent language model")
    ids = task.splits["test"].all
    if len(ids) < T * B:
        raise WorkingsError(f"set: batch: {B} stretches of {T} tokens are more than the test text")
    starts = torch.arange(B) * (len(ids) // B)
    x_TB = torch.from_numpy(ids.astype("int64"))[starts + torch.arange(T)[:, None]]
    cell = model.layers[0]
    assert isinstance(cell, Cell)
    return copy.deepcopy(cell).double(), model.embedding(x_TB).detach().double()
