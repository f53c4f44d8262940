"""The encoder of the summariser: an LSTM over the tokens both ways, then steps along the edges."""

# B snippets, S tokens, V types, D width

import torch
from torch import Tensor, nn

from workings.nn.dropout import Dropout
from workings.nn.recurrent.lstm import LSTM
from workings.nn.summary.typed_edges import GatedSteps, TypedEdges


class BothWays(nn.Module):
    """h_s = [LSTM(x_1 … x_s); LSTM'(x_S … x_s)], each of half the width.

    A row's padding stands behind its tokens in both readings, so that it changes nothing.

    Shapes: x_BSd, lengths_B; returns B×S×D, whatever stands at the padding.
    """

    def __init__(self, inputs: int, width: int) -> None:
        super().__init__()
        self.there, self.back = LSTM(inputs, width // 2), LSTM(inputs, width // 2)

    def forward(self, x_BSd: Tensor, lengths_B: Tensor) -> Tensor:
        turn_BS = reversal(x_BSd.shape[1], lengths_B)
        rows_B1 = torch.arange(len(x_BSd), device=x_BSd.device)[:, None]
        there = self.there(x_BSd.transpose(0, 1))[0].transpose(0, 1)
        back = self.back(x_BSd[rows_B1, turn_BS].transpose(0, 1))[0].transpose(0, 1)
        return torch.cat([there, back[rows_B1, turn_BS]], 2)


def reversal(length: int, lengths_B: Tensor) -> Tensor:
    """Where each position's opposite is, B×length: a row's tokens reversed, its padding kept."""
    position = torch.arange(length, device=lengths_B.device)
    opposite = lengths_B[:, None] - 1 - position
    return torch.where(opposite >= 0, opposite, position)


class SummaryEncoder(nn.Module):
    """h⁰ = BothWays(E[tokens]); h = GatedSteps(h⁰) along the edges, or h⁰ where there are none.

    steps: 0: without the graph.

    Shapes: x_BSD embedded tokens, lengths_B, edges among the nodes b·S + s; returns B×S×D.
    """

    def __init__(self, width: int, kinds: int, steps: int, dropout: float) -> None:
        super().__init__()
        self.both_ways = BothWays(width, width)
        self.graph = GatedSteps(width, kinds, steps) if steps else None
        self.dropout = Dropout(dropout)

    def forward(self, x_BSD: Tensor, lengths_B: Tensor, edges: TypedEdges) -> Tensor:
        h_BSD = self.both_ways(self.dropout(x_BSD), lengths_B)
        if self.graph is not None:
            h_BSD = self.graph(h_BSD.flatten(0, 1), edges).view_as(h_BSD)
        return self.dropout(h_BSD)
