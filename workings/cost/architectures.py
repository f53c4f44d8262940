"""The named architectures, each with its symbols and how to build it at given sizes: one table."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import torch
from torch import Tensor, nn

from workings.cost.counts.tally import Example
from workings.nn.attention import (
    Attention,
    AttentionLanguageModel,
    attention_reference,
)
from workings.nn.attention.taylor import taylor_by_features
from workings.nn.conv import CNN, Pool
from workings.nn.graph import (
    GraphAttention,
    GraphConvolution,
    GraphIsomorphism,
    RelationalConvolution,
)
from workings.nn.recurrent import GRU, LSTM, RNN, RecurrentLanguageModel


@dataclass(frozen=True)
class Architecture:
    """`build(**symbols, **options)` gives the module and its inputs at these sizes."""

    about: str
    symbols: Mapping[str, tuple[str, int]]
    """each with what it means, and its size while it is not among the symbols asked for"""
    build: Callable[..., Example]
    shown: tuple[str, ...] = ()
    """symbols of the formulas, unless others are asked for; all of them if none are named"""
    multiples: tuple[tuple[str, str], ...] = ()
    """(d, h): d is a multiple of h"""
    where: Mapping[str, str] = field(default_factory=dict)
    """names that stand for something in the symbols"""


class Reference(nn.Module):
    """The reference of an architecture of `nn`, its equation as it is written, as a module.

    A fast path chooses its way by size, so that what it costs is no polynomial in the sizes.
    """

    def __init__(self, compute: Callable[..., Tensor], layer: nn.Module | None = None) -> None:
        super().__init__()
        self.compute, self.layer = compute, layer  # the layer's parameters are counted

    def forward(self, *inputs: object) -> Tensor:
        return self.compute(*inputs)


class LSTMOutput(nn.Module):
    """An LSTM, and a linear output layer on every h_t.

    Shapes: x_LBi, returns L×B×o.
    """

    def __init__(self, inputs: int, hidden: int, outputs: int) -> None:
        super().__init__()
        self.lstm, self.output = LSTM(inputs, hidden), nn.Linear(hidden, outputs)

    def forward(self, x_LBi: Tensor) -> Tensor:
        return self.output(self.lstm(x_LBi)[0])


def _recurrent(layer: Callable[[int, int], nn.Module]) -> Callable[..., Example]:
    def build(L: int, N_h: int, N_i: int) -> Example:
        return Example(layer(N_i, N_h), (torch.randn(L, 1, N_i),))

    return build


def _language(cell: Callable[[int, int], nn.Module]) -> Callable[..., Example]:
    def build(
        V: int, d: int, D: int, T: int, B: int, layers: int = 1, tied: bool = False
    ) -> Example:
        model = RecurrentLanguageModel(V, d, D, layers, cell, tied=tied)
        return Example(model, (torch.randint(V, (B, T)),))

    return build


def _lstm_output(L: int, N_h: int, N_i: int, N_o: int) -> Example:
    return Example(LSTMOutput(N_i, N_h, N_o), (torch.randn(L, 1, N_i),))


def _decoder(V: int, d: int, h: int, T: int, B: int, layers: int = 1) -> Example:
    model = AttentionLanguageModel(V, d, h, layers, context=T)
    return Example(model, (torch.randint(V, (B, T)),))


def _triple(rows: int, width: int) -> tuple[Tensor, Tensor, Tensor]:
    return torch.randn(rows, width), torch.randn(rows, width), torch.randn(rows, width)


def _attention(n: int, d: int, h: int, output: bool = True, scaled: bool = True) -> Example:
    module = Attention(d, h, output=output, scaled=scaled)
    return Example(module, (torch.randn(n, d),))


def _core(n: int, d: int, scaled: bool = True) -> Example:
    scale = None if scaled else 1.0
    core = Reference(lambda q, k, v: attention_reference(q, k, v, scale=scale))
    return Example(core, _triple(n, d))


def _taylor(L: int, D: int) -> Example:
    return Example(Reference(taylor_by_features), _triple(L, D))


def _conv(pool: bool) -> Callable[..., Example]:
    def build(B: int, s: int, C: int) -> Example:
        how: Pool = "max" if pool else "stride"
        module = CNN(1, s, s, C, pool=(how, how))
        return Example(module, (torch.randn(B, 1, s, s),), input_grad=False)

    return build


def _gcn(N: int, E: int, F: int, C: int) -> Example:
    at = torch.randint(N, (2, E))
    a_hat = torch.sparse_coo_tensor(at, torch.rand(E), (N, N), check_invariants=False)
    layer = GraphConvolution(F, C, bias=False)
    module = Reference(lambda a, x: layer.reference(a, x).relu(), layer)
    return Example(module, (a_hat, torch.randn(N, F)), input_grad=False)


def _gin(N: int, E: int, F: int, C: int) -> Example:
    at = torch.randint(N, (2, E))
    a = torch.sparse_coo_tensor(at, torch.ones(E), (N, N), check_invariants=False)
    layer = GraphIsomorphism(F, C).eval()
    inputs = a, torch.randn(N, F)
    return Example(Reference(layer.reference, layer), inputs, input_grad=False)


def _rgcn(N: int, E: int, F: int, C: int, R: int) -> Example:
    layer = RelationalConvolution(F, C, R)
    each = [
        torch.sparse_coo_tensor(
            torch.randint(N, (2, E)), torch.rand(E), (N, N), check_invariants=False
        )
        for _ in range(R)
    ]
    module = Reference(lambda x: layer.reference(each, x), layer)
    return Example(module, (torch.randn(N, F),), input_grad=False)


def _gat(N: int, E: int, F: int, C: int) -> Example:
    layer = GraphAttention(F, C, bias=False)
    inputs = torch.randint(N, (2, E)), torch.randn(N, F)
    return Example(Reference(layer.reference, layer), inputs, input_grad=False)


_RECURRENT = {"L": ("steps", 1), "N_h": ("hidden units", 200), "N_i": ("inputs", 200)}
_LANGUAGE = {
    "V": ("vocabulary", 10_000),
    "d": ("embedding", 200),
    "D": ("hidden units", 200),
    "T": ("steps", 35),
    "B": ("batch", 20),
}
_ATTENTION = {"n": ("tokens", 128), "d": ("width", 64), "h": ("heads", 1)}
_LINEAR = {"L": ("tokens", 128), "D": ("width", 64)}
_IMAGES = {"B": ("images", 1), "s": ("side of an image", 28), "C": ("classes", 4)}
_GRAPH = {
    "N": ("nodes", 2708),
    "E": ("entries of Â: edges, both ways, and self-loops", 13_264),
    "F": ("features", 1433),
    "C": ("classes", 7),
}
_FEATURES = {"M": "1 + D + D*(D+1)/2"}

ARCHITECTURES: dict[str, Architecture] = {
    "rnn": Architecture("simple recurrent layer", _RECURRENT, _recurrent(RNN)),
    "lstm": Architecture("LSTM layer", _RECURRENT, _recurrent(LSTM)),
    "gru": Architecture("GRU layer", _RECURRENT, _recurrent(GRU)),
    "torch-rnn": Architecture("torch.nn.RNN, one layer", _RECURRENT, _recurrent(nn.RNN)),
    "lstm-output": Architecture(
        "LSTM and a linear output layer", {**_RECURRENT, "N_o": ("outputs", 10)}, _lstm_output
    ),
    "rnn-lm": Architecture("simple recurrent language model", _LANGUAGE, _language(RNN)),
    "lstm-lm": Architecture("LSTM language model", _LANGUAGE, _language(LSTM)),
    "gru-lm": Architecture("GRU language model", _LANGUAGE, _language(GRU)),
    "attention-lm": Architecture(
        "attention language model of one block, its context T tokens",
        {
            "V": ("vocabulary", 10_000),
            "d": ("width", 256),
            "h": ("heads", 4),
            "T": ("tokens", 128),
            "B": ("batch", 16),
        },
        _decoder,
        multiples=(("d", "h"),),
    ),
    "attention": Architecture(
        "self-attention with projections; output=false: without W^O",
        _ATTENTION,
        _attention,
        multiples=(("d", "h"),),
    ),
    "attention-core": Architecture(
        "softmax(Q Kᵀ/√d) V", {s: _ATTENTION[s] for s in ("n", "d")}, _core
    ),
    "taylor": Architecture(
        "linear attention, second order: D⁻¹ Φ(Q) Φ(K)ᵀ V", _LINEAR, _taylor, where=_FEATURES
    ),
    "cnn-pool": Architecture(
        "convolutional network with pooling", _IMAGES, _conv(pool=True), shown=("B", "C")
    ),
    "cnn-stride": Architecture(
        "convolutional network with strides", _IMAGES, _conv(pool=False), shown=("B", "C")
    ),
    "gcn": Architecture("graph convolution layer", _GRAPH, _gcn),
    "gat": Architecture("graph attention layer, one head", _GRAPH, _gat),
    "rgcn": Architecture(
        "relational graph convolution layer, every relation with a matrix of its own",
        {
            **_GRAPH,
            "E": ("edges of each relation", 1_000),
            "R": ("relations, there and back", 6),
        },
        _rgcn,
    ),
    "gin": Architecture("graph isomorphism layer, its perceptron as wide as C", _GRAPH, _gin),
}
