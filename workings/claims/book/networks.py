"""The networks that train, called with what a formula has: matrices, and rows of one-hot tokens.

Each holds the network of `workings.nn` itself and only arranges what goes in and comes out.
"""

# T steps, B batch, L tokens, S encoded frames, N nodes, F features, D width, V symbols

from typing import Literal

import torch
from torch import Tensor, nn

from workings.nn.attention import Attention, AttentionLanguageModel
from workings.nn.conv import CNN
from workings.nn.conv.cnn import Convolution, Pool
from workings.nn.graph import (
    GAT,
    GCN,
    GGNN,
    GIN,
    EdgeList,
    GraphAttention,
    GraphModel,
    RelationalConvolution,
)
from workings.nn.graph.segments import Segments
from workings.nn.recurrent import RNN, RecurrentLanguageModel
from workings.nn.speech import SpeechDecoder, SpeechEncoder


class RecurrentLanguage(nn.Module):
    """A recurrent language model with the steps first.

    Shapes: x_TB token ids; returns logits T×B×V.
    """

    def __init__(self, vocabulary: int, embed: int, hidden: int) -> None:
        super().__init__()
        self.model = RecurrentLanguageModel(vocabulary, embed, hidden, 1, RNN)

    def forward(self, x_TB: Tensor) -> Tensor:
        return self.model(x_TB.t())[0].transpose(0, 1)


class AttentionLanguage(nn.Module):
    """An attention language model of one block and one head, on one text.

    Shapes: x_L token ids; returns logits L×V.
    """

    def __init__(self, vocabulary: int, width: int, context: int) -> None:
        super().__init__()
        self.model = AttentionLanguageModel(vocabulary, width, 1, 1, context)

    def forward(self, x_L: Tensor) -> Tensor:
        return self.model(x_L[None])[0][0]


class Graph(nn.Module):
    """A graph network called with the adjacency matrix of an undirected graph.

    Shapes: a_NN of zeros and ones, x_NF; returns what the network gives for every node.
    """

    def __init__(self, model: GraphModel) -> None:
        super().__init__()
        self.model = model

    def forward(self, a_NN: Tensor, x_NF: Tensor) -> Tensor:
        return self.model(*self.model.prepare(x_NF, edges_of(a_NN)))


def edges_of(a_NN: Tensor) -> EdgeList:
    """The edges of an adjacency matrix."""
    return EdgeList.of(a_NN.nonzero().t().flip(0), len(a_NN))


def gcn(features: int, hidden: int, classes: int, normalisation: str) -> nn.Module:
    """A graph convolutional network of two layers."""
    return Graph(GCN(features, hidden, classes, normalisation=normalisation))  # type: ignore[arg-type]


def ggnn(features: int, hidden: int, classes: int) -> nn.Module:
    """A gated graph network of two steps."""
    return Graph(GGNN(features, hidden, classes))


def gin(features: int, hidden: int, classes: int) -> nn.Module:
    """A graph isomorphism network of one layer."""
    return Graph(GIN(features, hidden, classes, layers=1))


class TwoRelations(nn.Module):
    """A relational convolution called with the matrices of two relations.

    Shapes: a_NN, b_NN, x_NF; returns N×C.
    """

    def __init__(self, features: int, classes: int, bases: int) -> None:
        super().__init__()
        self.layer = RelationalConvolution(features, classes, 2, bases)

    def forward(self, a_NN: Tensor, b_NN: Tensor, x_NF: Tensor) -> Tensor:
        return self.layer.reference([a_NN, b_NN], x_NF)


def gat(features: int, hidden: int, classes: int) -> nn.Module:
    """A graph attention network of two layers with one head each."""
    return Graph(GAT(features, hidden, classes, heads=1))


class GraphAttentionLayer(nn.Module):
    """A layer of graph attention called with the adjacency matrix, to which it adds self-loops.

    Shapes: a_NN of zeros and ones, x_NF; returns N×HD.
    """

    def __init__(
        self, features: int, width: int, heads: int = 1, version: Literal[1, 2] = 1
    ) -> None:
        super().__init__()
        self.layer = GraphAttention(features, width, heads, version=version)

    def forward(self, a_NN: Tensor, x_NF: Tensor) -> Tensor:
        return self.layer(Segments(edges_of(a_NN).with_self_loops()), x_NF)


class Encoder(nn.Module):
    """The encoder of the speech model on one clip, of one block and one head.

    Shapes: x_TF; returns S×D.
    """

    def __init__(self, bands: int, width: int, inner: int) -> None:
        super().__init__()
        self.encoder = SpeechEncoder(bands, width, 1, 1, inner, 0.0)

    def forward(self, x_TF: Tensor) -> Tensor:
        return self.encoder(x_TF[None], torch.tensor([len(x_TF)]))[0][0]


class RecurrentDecoder(nn.Module):
    """The recurrent decoder of the speech model on one clip, the steps first.

    Shapes: x_T1 token ids, sound_SD; returns logits T×1×V.
    """

    def __init__(self, symbols: int, width: int) -> None:
        super().__init__()
        self.decoder = SpeechDecoder("recurrent", symbols, width, 1, 1, 0.0)

    def forward(self, x_T1: Tensor, sound_SD: Tensor) -> Tensor:
        lengths = torch.tensor([len(sound_SD)])
        return self.decoder(x_T1.t(), sound_SD[None], lengths).transpose(0, 1)


class AttentionDecoder(nn.Module):
    """The attention decoder of the speech model on one clip.

    Shapes: x_L token ids, sound_SD; returns logits L×V.
    """

    def __init__(self, symbols: int, width: int) -> None:
        super().__init__()
        self.decoder = SpeechDecoder("attention", symbols, width, 1, 1, 0.0)

    def forward(self, x_L: Tensor, sound_SD: Tensor) -> Tensor:
        return self.decoder(x_L[None], sound_SD[None], torch.tensor([len(sound_SD)]))[0]


class ImageConvolution(nn.Module):
    """A convolution of one image, its channels apart; of its outputs the first channel.

    Shapes: H×W each; returns H'×W'.
    """

    def __init__(self, channels: int, padding: int, pool: Pool) -> None:
        super().__init__()
        self.layer = Convolution(channels, 1, 3, padding, pool, batch_norm=False)

    def forward(self, *channels_HW: Tensor) -> Tensor:
        return self.layer(torch.stack(channels_HW)[None])[0, 0]


class DenseLayers(nn.Module):
    """The convolutional network without convolutions: its dense layers, on rows.

    Shapes: x_BD; returns log-probabilities B×K.
    """

    def __init__(self, width: int, first: int, second: int, classes: int) -> None:
        super().__init__()
        dense = (first, second)
        self.network = CNN(1, 1, width, classes, (), padding=(), pool=(), dense=dense)

    def forward(self, x_BD: Tensor) -> Tensor:
        return self.network(x_BD[:, None, None])


class CrossAttention(nn.Module):
    """Softmax attention of one head to a context.

    Shapes: x_TW, c_SC; returns T×W.
    """

    def __init__(self, width: int, context: int) -> None:
        super().__init__()
        self.attention = Attention(width, bias=True, context_width=context)

    def forward(self, x_TW: Tensor, c_SC: Tensor) -> Tensor:
        return self.attention(x_TW, c_SC)
