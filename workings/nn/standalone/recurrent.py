"""A recurrent language model: tokens and a state to logits and the state after; torch alone."""

# B batch, T time, d inputs, D hidden, V vocabulary

from itertools import pairwise
from typing import TypedDict

import torch
from torch import Tensor, nn

STATES = {"rnn": ("h",), "lstm": ("h", "c"), "gru": ("h",)}


class RNN(nn.Module):
    """h_t = f(h_{t-1} H + x_t I + b)."""

    def __init__(self, inputs: int, hidden: int, activation: str) -> None:
        super().__init__()
        self.activation = activation
        self.H = nn.Parameter(torch.zeros(hidden, hidden))
        self.I = nn.Parameter(torch.zeros(inputs, hidden))
        self.b = nn.Parameter(torch.zeros(hidden))

    def step(self, x_Bd: Tensor, h_BD: Tensor) -> tuple[Tensor, ...]:
        """One token further."""
        return (getattr(torch, self.activation)(h_BD @ self.H + x_Bd @ self.I + self.b),)


class LSTM(nn.LSTM):
    """c_t = f ⊙ c_{t-1} + i ⊙ g, h_t = o ⊙ tanh(c_t)."""

    weight_ih_l0: Tensor
    weight_hh_l0: Tensor
    bias_ih_l0: Tensor
    bias_hh_l0: Tensor

    def step(self, x_Bd: Tensor, h_BD: Tensor, c_BD: Tensor) -> tuple[Tensor, ...]:
        """One token further."""
        z = x_Bd @ self.weight_ih_l0.t() + self.bias_ih_l0
        i, f, g, o = (z + h_BD @ self.weight_hh_l0.t() + self.bias_hh_l0).chunk(4, 1)
        c_BD = f.sigmoid() * c_BD + i.sigmoid() * g.tanh()
        return o.sigmoid() * c_BD.tanh(), c_BD


class GRU(nn.GRU):
    """h_t = (1-u) ⊙ n + u ⊙ h_{t-1}, n = tanh(x_t W + b + r ⊙ (h_{t-1} V + c))."""

    weight_ih_l0: Tensor
    weight_hh_l0: Tensor
    bias_ih_l0: Tensor
    bias_hh_l0: Tensor

    def step(self, x_Bd: Tensor, h_BD: Tensor) -> tuple[Tensor, ...]:
        """One token further."""
        z_r, z_u, z_n = (x_Bd @ self.weight_ih_l0.t() + self.bias_ih_l0).chunk(3, 1)
        v_r, v_u, v_n = (h_BD @ self.weight_hh_l0.t() + self.bias_hh_l0).chunk(3, 1)
        r, u = (z_r + v_r).sigmoid(), (z_u + v_u).sigmoid()
        return ((1 - u) * (z_n + r * v_n).tanh() + u * h_BD,)


class Config(TypedDict):
    """The sizes of the model, as config.json has them."""

    kind: str
    vocabulary: int
    widths: list[int]
    activation: str


class Model(nn.Module):
    """Logits of the next token after each token, and the state to go on with.

    config: kind (rnn, lstm, gru), vocabulary V, widths (the embedding's, then every layer's) and
    activation (of an rnn).

    Shapes: tokens_BT; states B×D, layer by layer; returns logits B×T×V and the states after.
    """

    def __init__(self, config: Config) -> None:
        super().__init__()
        kind, self.widths = config["kind"], config["widths"]
        self.states = STATES[kind]
        self.embedding = nn.Embedding(config["vocabulary"], self.widths[0])
        if kind == "rnn":
            made: list[nn.Module] = [RNN(*p, config["activation"]) for p in pairwise(self.widths)]
        else:
            made = [LSTM(*p) if kind == "lstm" else GRU(*p) for p in pairwise(self.widths)]
        self.layers = nn.ModuleList(made)
        self.output = nn.Linear(self.widths[-1], config["vocabulary"])

    def start(self, batch: int = 1) -> tuple[Tensor, ...]:
        """The state before a text."""
        return tuple(torch.zeros(batch, width) for width in self.widths[1:] for _ in self.states)

    def forward(self, tokens_BT: Tensor, *states: Tensor) -> tuple[Tensor, ...]:
        h_TBD, after, each = self.embedding(tokens_BT.t()), [], len(self.states)
        for depth, layer in enumerate(self.layers):
            assert isinstance(layer, RNN | LSTM | GRU)
            before = states[depth * each : (depth + 1) * each]
            h_TBD, last = self.recur(layer, h_TBD, before)
            after += last
        return self.output(h_TBD).transpose(0, 1), *after

    @staticmethod
    def recur(
        layer: RNN | LSTM | GRU, x_TBd: Tensor, state: tuple[Tensor, ...]
    ) -> tuple[Tensor, list[Tensor]]:
        """All steps of one layer, one after the other."""
        outputs = []
        for x_Bd in x_TBd:
            state = layer.step(x_Bd, *state)
            outputs.append(state[0])
        return torch.stack(outputs), list(state)
