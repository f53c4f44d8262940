"""Texts read by an LSTM before a graph network: word by word, and trained together."""

import torch

from tests.nn.graph.graphs import random_edges
from workings.nn.graph import GCN, TextEncoder, TextGraph

N, T, V, D, F, C = 8, 5, 7, 4, 3, 2


def tokens() -> torch.Tensor:
    """Texts of 0 to T words."""
    made = torch.randint(1, V, (N, T))
    return made * (torch.arange(T) < torch.arange(N)[:, None] % (T + 1))


def test_the_state_is_that_after_the_last_word() -> None:
    torch.manual_seed(1)
    encoder, given = TextEncoder(V, D), tokens()
    for row, found in zip(given, encoder(given), strict=True):
        words = row[row != 0]
        if len(words):
            h_T1D, _ = encoder.lstm(encoder.embedding(words)[:, None])
            torch.testing.assert_close(found, h_T1D[-1, 0])
        else:
            assert not found.any()


def test_the_network_sees_the_states_beside_the_features_and_trains_both() -> None:
    torch.manual_seed(1)
    graph = GCN(D + F, 4, C, dropout=0.0, dropout_input=0.0)
    model, edges, x_NF = TextGraph(V, D, graph), random_edges(N), torch.randn(N, F)
    given = tokens()
    rows = model(*model.with_text(given, x_NF, edges))
    joined = torch.cat([model.text(given), x_NF], 1)
    torch.testing.assert_close(rows, graph(*graph.prepare(joined, edges)))
    rows.square().sum().backward()
    for weight in model.parameters():
        assert weight.grad is not None
        assert weight.grad.any()
