"""The gates of an LSTM along a text: what each unit takes in, keeps and gives out."""

# T tokens, D hidden

from typing import TYPE_CHECKING, NamedTuple

import torch
from torch import Tensor, nn

from workings.errors import WorkingsError
from workings.nn.recurrent.language_model import RecurrentLanguageModel
from workings.nn.recurrent.lstm import LSTM, State
from workings.tasks.language.vocabulary import Vocabulary

if TYPE_CHECKING:
    from workings.tasks.abilities import Chart

UNITS = 8  # that are shown: those whose cell varies most along the text
LONGEST = 60  # tokens that are shown


class GateValues(NamedTuple):
    """By gate, unit and token; a gate is from 0, closed, to 1, open."""

    tokens: list[str]
    units: list[int]  # numbers of the units, from 1
    values: dict[str, list[list[float]]]  # input, forget, output and cell

    def chart(self) -> "Chart":
        """A panel for each gate: units from top to bottom, tokens from left to right."""
        from workings.charts import gates

        return gates(self.tokens, self.units, self.values)


def has_gates(model: nn.Module) -> bool:
    """Whether the first layer is an LSTM."""
    return isinstance(model, RecurrentLanguageModel) and isinstance(model.layers[0], LSTM)


@torch.no_grad()
def gates_of(model: nn.Module, vocabulary: Vocabulary, ids: list[int]) -> GateValues:
    """The first layer's gates after each token; the context of the first is a line's end."""
    if not isinstance(model, RecurrentLanguageModel) or not isinstance(model.layers[0], LSTM):
        raise WorkingsError('--gates: the model has none of an LSTM (model.kind = "lstm" has)')
    if not ids:
        raise WorkingsError("--gates: there is no text to follow")
    ids = ids[:LONGEST]
    cell, device = model.layers[0], model.embedding.weight.device
    D = cell.hidden_size
    x_Td = model.embedding(torch.tensor([vocabulary.start, *ids], device=device))
    gates: list[Tensor] = []
    cells: list[Tensor] = []
    state: State | None = None
    for z_14D in cell.project(x_Td).split(1):
        whole_14D = z_14D if state is None else z_14D + state[0] @ cell.weight_hh_l0.t()
        _, state = cell.step(z_14D, state)
        gates.append(whole_14D[0].sigmoid())
        cells.append(state[1][0])
    by_gate = torch.stack(gates)[1:].unflatten(1, (4, D))  # i, f, g, o; less the line's end
    cells_TD = torch.stack(cells)[1:]
    spread_D = cells_TD.var(0, correction=0)
    chosen = spread_D.topk(min(UNITS, D)).indices
    kept = {"input": by_gate[:, 0], "forget": by_gate[:, 1], "output": by_gate[:, 3]}
    kept["cell"] = cells_TD
    return GateValues(
        [vocabulary.types[number] for number in ids],
        [unit + 1 for unit in chosen.tolist()],
        {name: each_TD[:, chosen].t().tolist() for name, each_TD in kept.items()},
    )
