"""The graph convolutional network, X' = σ(Â X W)."""

# N nodes, F features, D hidden, C classes

from itertools import pairwise
from typing import Any, Literal

import torch
from torch import Tensor, nn

from workings.nn.fast_dropout import relu_dropped, relu_dropped_product
from workings.nn.graph.adjacency import Edges, Normalisation, Propagation, propagation
from workings.nn.graph.model import Features, GraphModel, GraphModelConfig, glorot
from workings.nn.graph.sparse import Pattern, Sparse
from workings.schema import Size


class GraphConvolution(nn.Module):
    """Graph convolution, X' = Â X W + b (Kipf and Welling, 2017).

    The narrower side is propagated: (Â X) W where W widens, Â (X W) where it narrows.

    Shapes: a_hat N×N, sparse; x_NF; returns N×C.
    """

    def __init__(self, features: int, classes: int, bias: bool = True) -> None:
        super().__init__()
        self.W = glorot(features, classes)
        self.b = nn.Parameter(torch.zeros(classes)) if bias else None
        self.widens = features < classes

    def forward(self, a_hat: Propagation | Tensor, x_NF: Features) -> Tensor:
        if self.widens and isinstance(x_NF, Tensor):
            return self.transform(a_hat @ x_NF)
        y_NC = a_hat @ (x_NF @ self.W)
        return y_NC if self.b is None else y_NC + self.b

    def after_relu(self, a_hat: Propagation | Tensor, x_NF: Tensor, p: float) -> Tensor:
        """forward(Â, dropout(ReLU(X))), in place in X."""
        if self.widens:
            return self.transform(a_hat @ relu_dropped(x_NF, p))
        y_NC = a_hat @ relu_dropped_product(x_NF, self.W, p)
        return y_NC if self.b is None else y_NC + self.b

    def transform(self, ax_NF: Features) -> Tensor:
        """(Â X) W + b, where Â X is there already."""
        if self.b is not None and isinstance(ax_NF, Tensor):
            return torch.addmm(self.b, ax_NF, self.W)
        y_NC = ax_NF @ self.W
        return y_NC if self.b is None else y_NC + self.b


class GCN(GraphModel):
    """Layers of graph convolution with ReLU between them, X' = ReLU(Â X W + b).

    Dropout before every layer. Residual: a layer's input is added to its output where both are
    equally wide.

    Shapes: x_NF, dense or sparse; a_hat N×N; returns N×C. Propagated: x_NF is Â X already, which is
    made once where no dropout precedes it.
    """

    def __init__(self, features: int, classes: int, config: "GCNConfig") -> None:
        super().__init__()
        self.config = config
        widths = [features] + [config.hidden] * (config.layers - 1) + [classes]
        self.layers = nn.ModuleList(
            GraphConvolution(i, o, config.bias) for i, o in pairwise(widths)
        )

    def prepare(self, x_NF: Features, edges: Edges) -> tuple[Any, ...]:
        dtype = x_NF.values_K.dtype if isinstance(x_NF, Sparse) else x_NF.dtype
        a_hat = propagation(edges, self.config.normalisation, dtype)
        needed_itself = self.config.residual and x_NF.shape[1] == self.config.hidden
        if self.config.dropout_input or needed_itself:
            return x_NF, a_hat
        ax_NF = a_hat @ x_NF if isinstance(x_NF, Tensor) else _sparse_product(a_hat, x_NF)
        return (x_NF, a_hat) if ax_NF is None else (ax_NF, a_hat, True)

    def forward(
        self, x_NF: Features, a_hat: Propagation | Tensor, propagated: bool = False
    ) -> Tensor:
        layers: list[Any] = list(self.layers)
        first, *rest = layers
        x: Any = x_NF if propagated else self.drop(x_NF, self.config.dropout_input)
        h = first.transform(x) if propagated else first(a_hat, x)
        if self.config.residual and x.shape == h.shape and isinstance(x, Tensor):
            h = h + x
        p = self.config.dropout if self.training else 0.0
        for layer in rest:
            if self.config.residual and layer.W.shape[0] == layer.W.shape[1]:
                x = relu_dropped(h, p)
                h = layer(a_hat, x) + x
            else:
                h = layer.after_relu(a_hat, h, p)
        return h

    def first(self) -> list[nn.Parameter]:
        return list(self.layers[0].parameters())


def _sparse_product(a_hat: Propagation, x_NF: Sparse) -> Sparse | None:
    """Â X, where it has fewer entries than Â and X have together: identity features, say."""
    if not isinstance(a_hat, Sparse):
        return None
    entries_N = x_NF.pattern.row_N1.diff().long()
    most = entries_N[a_hat.pattern.column_K.long()].sum()
    if most > a_hat.entries + x_NF.entries:
        return None
    product = (a_hat.csr @ x_NF.csr).to_sparse_coo().coalesce()
    row_K, column_K = product.indices()
    return Sparse(Pattern(row_K, column_K, x_NF.shape), product.values())


class GCNConfig(GraphModelConfig):
    """Graph convolutional network."""

    kind: Literal["gcn"] = "gcn"
    layers: Size = 2
    """graph convolutions; after so many updates a node knows of those that many edges away"""
    normalisation: Normalisation = "symmetric"
    """Â: none A; self-loops A + I; row D⁻¹A; symmetric D̃^-½(A + I)D̃^-½; softmax over whole rows"""
    residual: bool = False
    """add a layer's input to its output where they are equally wide"""
    bias: bool = True
    """add a learned bias in every layer"""

    def build(self, features: int, classes: int) -> GCN:
        return GCN(features, classes, self)
