"""Text and structure: a recurrent encoder reads each node's text, a graph network goes on."""

# N nodes, T tokens of the longest text, V vocabulary, D width of a word and of a text, F features

import torch
from torch import Tensor, nn

from workings.nn.graph.adjacency import EdgeList
from workings.nn.graph.graph_model import GraphModel, NodeFeatures, dense
from workings.nn.recurrent import LSTM


class TextEncoder(nn.Module):
    """The last state of an LSTM over the words of a text, h_T; of an empty text zeros.

    vocabulary: V; token 0 stands after the end of a text. width: D, of a word and of the state.

    Shapes: tokens_NT; returns N×D.
    """

    def __init__(self, vocabulary: int, width: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width, padding_idx=0)
        self.lstm = LSTM(width, width)

    def forward(self, tokens_NT: Tensor) -> Tensor:
        length_N = (tokens_NT != 0).sum(1)
        h_TND, _ = self.lstm(self.embedding(tokens_NT.t()))
        last_ND = h_TND[(length_N - 1).clamp(min=0), torch.arange(len(tokens_NT))]
        return last_ND * (length_N > 0)[:, None]


class TextGraph(GraphModel):
    """graph([h_T ‖ X]): each text's last state beside the node's features, then a graph network.

    Both are trained together, from the graph network's loss.

    vocabulary, width: of the encoder. graph: a network for D + F features. dropout: the probability
    of dropping an entry of h_T.

    Shapes: tokens_NT, x_NF; returns what the graph network gives, N×C.
    """

    def __init__(
        self, vocabulary: int, width: int, graph: GraphModel, dropout: float = 0.0
    ) -> None:
        super().__init__(dropout)
        self.text, self.graph, self.width = TextEncoder(vocabulary, width), graph, graph.width

    def with_text(
        self, tokens_NT: Tensor, x_NF: NodeFeatures | None, edges: EdgeList
    ) -> tuple[object, ...]:
        """What `forward` takes."""
        return tokens_NT, None if x_NF is None else dense(x_NF), edges

    def forward(self, tokens_NT: Tensor, x_NF: Tensor | None, edges: EdgeList) -> Tensor:
        h_ND = self.drop(self.text(tokens_NT), self.dropout)
        joined = h_ND if x_NF is None else torch.cat([h_ND, x_NF], 1)
        return self.graph(*self.graph.prepare(joined, edges))

    def first(self) -> list[nn.Parameter]:
        return self.graph.first()
