"""Small graphs for the tests of graph networks, and the same mathematics written densely."""

from collections.abc import Callable

import torch
from torch import Tensor

from workings.nn.graph.adjacency import EdgeList
from workings.nn.graph.graph_model import GraphModel
from workings.nn.graph.sparse import Pattern, Sparse


def random_edges(nodes: int, directed: bool = False, weighted: bool = False) -> EdgeList:
    """A random graph with an isolated node (the last), a self-loop (node 0) and a hub (node 1)."""
    a_NN = (torch.rand(nodes, nodes) < 0.25).double()
    a_NN.fill_diagonal_(0)
    a_NN[1, 2 : nodes - 1] = 1
    a_NN[-1], a_NN[:, -1], a_NN[0, 0] = 0, 0, 1
    if not directed:
        a_NN = torch.maximum(a_NN, a_NN.t())
    weight_NN = torch.rand(nodes, nodes).double() + 0.5
    weight_NN = weight_NN if directed else (weight_NN + weight_NN.t()) / 2
    i_E, j_E = a_NN.nonzero().t()
    weight_E = weight_NN[i_E, j_E] if weighted else None
    return EdgeList(torch.stack([j_E, i_E]), weight_E, nodes, not directed)


def dense_adjacency(edges: EdgeList) -> Tensor:
    """A_ij: what i takes from j."""
    a_NN = torch.zeros(edges.nodes, edges.nodes, dtype=torch.double)
    j_E, i_E = edges.edges_2E
    a_NN[i_E, j_E] = edges.weights(torch.double)
    return a_NN


def with_loops(a_NN: Tensor) -> Tensor:
    """Ã: a 1 on the diagonal where there is no self-loop yet."""
    loops_N = (a_NN.diag() == 0).double()
    return a_NN + loops_N.diag()


def dense_propagation(a_NN: Tensor, normalisation: str) -> Tensor:
    """Â as the definition says, N×N."""
    N = len(a_NN)
    match normalisation:
        case "none":
            return a_NN
        case "self-loops":
            return with_loops(a_NN)
        case "row" | "row-self-loops":
            a_NN = with_loops(a_NN) if normalisation.endswith("loops") else a_NN
            degree_N = a_NN.sum(1)
            return torch.stack(
                [a_NN[i] / degree_N[i] if degree_N[i] else a_NN[i] for i in range(N)]
            )
        case "symmetric" | "symmetric-no-loops":
            tilde_NN = a_NN if normalisation.endswith("no-loops") else with_loops(a_NN)
            degree_N = tilde_NN.sum(1)
            root = torch.where(degree_N > 0, degree_N, torch.inf).pow(-0.5).diag()
            return root @ tilde_NN @ root
        case "softmax":
            return a_NN.softmax(1)
    raise ValueError(normalisation)


def sparse_features(nodes: int, width: int) -> Sparse:
    x_NF = torch.randn(nodes, width, dtype=torch.double) * (torch.rand(nodes, width) < 0.3)
    row_K, column_K = x_NF.nonzero().t()
    return Sparse(Pattern(row_K, column_K, (nodes, width)), x_NF[row_K, column_K])


def permuted(edges: EdgeList, order_N: Tensor) -> EdgeList:
    """The graph whose node k is this one's order_N[k]."""
    position_N = torch.argsort(order_N)
    j_E, i_E = position_N[edges.edges_2E]
    order_E = torch.argsort(i_E * edges.nodes + j_E)
    weight_E = None if edges.weight_E is None else edges.weight_E[order_E]
    return EdgeList(
        torch.stack([j_E[order_E], i_E[order_E]]), weight_E, edges.nodes, edges.symmetric
    )


def assert_like_dense(
    model: GraphModel,
    plain: Callable[[Tensor], Tensor],
    edges: EdgeList,
    x_NF: Sparse,
    sparse: bool,
) -> None:
    """The network gives what dense algebra gives, with the gradients of all of its weights.

    plain: the network written densely, of dense features. sparse: the network is given the
    features as a sparse matrix.
    """
    y_NC = model(*model.prepare(x_NF if sparse else x_NF.dense(), edges))
    expected_NC = plain(x_NF.dense())
    torch.testing.assert_close(y_NC, expected_NC, rtol=1e-10, atol=1e-12)
    weights, weight_NC = list(model.parameters()), torch.randn_like(y_NC)
    gradients = torch.autograd.grad(y_NC, weights, weight_NC)
    expected = torch.autograd.grad(expected_NC, weights, weight_NC)
    for gradient, other in zip(gradients, expected, strict=True):
        torch.testing.assert_close(gradient, other, rtol=1e-9, atol=1e-12)
