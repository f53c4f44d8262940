"""Small modules that statements of the book are about."""

from collections.abc import Callable

import torch
from torch import Tensor, nn

from workings.claims.book import networks
from workings.nn.attention import Attention
from workings.nn.attention.taylor.layer import TaylorAttention
from workings.nn.graph import MLP
from workings.nn.recurrent import RNN


class Concatenate(nn.Module):
    """The outputs of h heads side by side: n × d/h each, n × d together."""

    def __init__(self, heads: int) -> None:
        super().__init__()
        self.heads = heads

    def forward(self, x_nd: Tensor) -> Tensor:
        return torch.cat(x_nd.chunk(self.heads, 1), 1)


class Product(nn.Module):
    """The product of two matrices."""

    def forward(self, a_mn: Tensor, b_np: Tensor) -> Tensor:
        return a_mn @ b_np


class Softmax(nn.Module):
    """The softmax of every row."""

    def forward(self, x_nn: Tensor) -> Tensor:
        return x_nn.softmax(1)


class DivideRows(nn.Module):
    """Every row divided by a number of its own."""

    def forward(self, x_ld: Tensor, sums_l1: Tensor) -> Tensor:
        return x_ld / sums_l1


class Head(nn.Module):
    """The projections of one of h heads, d × d/h each."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        if width % heads:
            raise ValueError("the heads must divide the width")
        self.query, self.key, self.value = (
            nn.Linear(width, width // heads, bias=False) for _ in range(3)
        )

    def forward(self, x_nd: Tensor) -> Tensor:
        return (self.query(x_nd) @ self.key(x_nd).t()).softmax(1) @ self.value(x_nd)


class LSTMEquations(nn.Module):
    """An LSTM by the equations of a textbook, one bias a gate, and an output layer p = W_ph h + b.

    Gates g = tanh(·) and i, f, o = σ(·) of W_x x + W_h h + b, c = g ⊙ i + c ⊙ f, h = tanh(c) ⊙ o.

    Shapes: x_LBi, returns L×B×o.
    """

    def __init__(self, inputs: int, hidden: int, outputs: int) -> None:
        super().__init__()
        self.from_input = nn.ModuleDict({gate: nn.Linear(inputs, hidden) for gate in "gifo"})
        self.from_state = nn.ModuleDict(
            {gate: nn.Linear(hidden, hidden, bias=False) for gate in "gifo"}
        )
        self.output = nn.Linear(hidden, outputs)
        self.hidden = hidden

    def forward(self, x_LBi: Tensor) -> Tensor:
        h = c = x_LBi.new_zeros(x_LBi.shape[1], self.hidden)
        outputs = []
        for x in x_LBi:
            z = {gate: self.from_input[gate](x) + self.from_state[gate](h) for gate in "gifo"}
            c = z["g"].tanh() * z["i"].sigmoid() + c * z["f"].sigmoid()
            h = c.tanh() * z["o"].sigmoid()
            outputs.append(self.output(h))
        return torch.stack(outputs)


# The names by which claims call them: a file may name these without being trusted.
MODULES: dict[str, Callable[..., nn.Module]] = {
    "book:concatenate": Concatenate,
    "book:product": Product,
    "book:softmax": Softmax,
    "book:divide-rows": DivideRows,
    "book:head": Head,
    "book:lstm-equations": LSTMEquations,
    "book:rnn": RNN,
    "book:rnn-lm": networks.RecurrentLanguage,
    "book:attention": Attention,
    "book:cross-attention": networks.CrossAttention,
    "book:taylor-attention": TaylorAttention,
    "book:attention-lm": networks.AttentionLanguage,
    "book:mlp": MLP,
    "book:gcn": networks.gcn,
    "book:gat": networks.gat,
    "book:gat-layer": networks.GraphAttentionLayer,
    "book:ggnn": networks.ggnn,
    "book:gin": networks.gin,
    "book:two-relations": networks.TwoRelations,
    "book:speech-encoder": networks.Encoder,
    "book:recurrent-decoder": networks.RecurrentDecoder,
    "book:attention-decoder": networks.AttentionDecoder,
    "book:convolution": networks.ImageConvolution,
    "book:dense-layers": networks.DenseLayers,
}
