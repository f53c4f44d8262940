"""The graph convolutional network, X' = σ(Â X W)."""

# N nodes, F features, D hidden, C classes

from itertools import pairwise

import torch
from torch import Tensor, nn

from workings.nn.dropout import relu_dropped, relu_dropped_product
from workings.nn.graph.adjacency import EdgeList, Normalisation, Propagation, propagation
from workings.nn.graph.graph_model import GraphModel, NodeFeatures, dense, dtype_of, glorot
from workings.nn.graph.sparse import Pattern, Sparse
from workings.nn.layer_list import layers_of


class GraphConvolution(nn.Module):
    """Graph convolution, X' = Â X W + b (Kipf and Welling, 2017).

    `reference` is the equation as it is written. `forward` propagates the narrower side: (Â X) W
    where W widens, Â (X W) where it narrows.

    features, classes: the widths F and C; bias: there is a b.

    Shapes: a_hat N×N, sparse; x_NF; returns N×C.
    """

    def __init__(self, features: int, classes: int, bias: bool = True) -> None:
        super().__init__()
        self.W = glorot(features, classes)
        self.b = nn.Parameter(torch.zeros(classes)) if bias else None
        self.widens = features < classes

    def reference(self, a_hat: Propagation | Tensor, x_NF: NodeFeatures) -> Tensor:
        """Â (X W) + b, always in this order."""
        y_NC = a_hat @ (x_NF @ self.W)
        return y_NC if self.b is None else y_NC + self.b

    def forward(self, a_hat: Propagation | Tensor, x_NF: NodeFeatures) -> Tensor:
        if self.widens and isinstance(x_NF, Tensor):
            return self.transform(a_hat @ x_NF)
        return self.reference(a_hat, x_NF)

    def after_relu(self, a_hat: Propagation | Tensor, x_NF: Tensor, p: float) -> Tensor:
        """forward(Â, dropout(ReLU(X))), in place in X."""
        if self.widens:
            return self.transform(a_hat @ relu_dropped(x_NF, p))
        y_NC = a_hat @ relu_dropped_product(x_NF, self.W, p)
        return y_NC if self.b is None else y_NC + self.b

    def transform(self, ax_NF: NodeFeatures) -> Tensor:
        """(Â X) W + b from Â X."""
        if self.b is not None and isinstance(ax_NF, Tensor):
            return torch.addmm(self.b, ax_NF, self.W)
        y_NC = ax_NF @ self.W
        return y_NC if self.b is None else y_NC + self.b


class GCN(GraphModel):
    """Layers of graph convolution with ReLU between them, X' = ReLU(Â X W + b).

    `reference` is the network as it is written; `forward` fuses ReLU, dropout and products.

    features, hidden, classes: the widths F, D and C; without classes the last layer is as wide as
    the others and has its ReLU, for a readout. layers: the number of convolutions.
    dropout, dropout_input: probabilities of dropping a unit before every layer but the first, and
    a feature before the first. normalisation: of Â, see `propagation`.
    residual: a layer's input is added to its output where both are equally wide. bias: every
    layer has a b.

    Shapes: x_NF, dense or sparse; a_hat N×N; returns N×C. propagated: x_NF is already Â X, which
    `prepare` makes once where no dropout precedes it.
    """

    def __init__(
        self,
        features: int,
        hidden: int,
        classes: int | None,
        layers: int = 2,
        dropout: float = 0.5,
        dropout_input: float = 0.5,
        normalisation: Normalisation = "symmetric",
        residual: bool = False,
        bias: bool = True,
    ) -> None:
        super().__init__(dropout, dropout_input, hidden, classes)
        self.normalisation, self.residual = normalisation, residual
        widths = [features] + [hidden] * (layers - 1) + [self.width]
        self.layers = nn.ModuleList(GraphConvolution(i, o, bias) for i, o in pairwise(widths))

    def reference(self, x_NF: Tensor, a_hat: Propagation | Tensor) -> Tensor:
        """The network without dropout, one layer after the other."""
        h = x_NF
        layers = layers_of(GraphConvolution, self.layers)
        for depth, layer in enumerate(layers):
            before = h.relu() if depth else h
            h = layer.reference(a_hat, before)
            if self.residual and before.shape == h.shape:
                h = h + before
        return h.relu() if self.is_encoder else h

    def prepare(self, x_NF: NodeFeatures, edges: EdgeList) -> tuple[object, ...]:
        a_hat = propagation(edges, self.normalisation, dtype_of(x_NF))
        first = layers_of(GraphConvolution, self.layers)[0]
        needed_itself = self.residual and first.W.shape[0] == first.W.shape[1]
        if self.dropout_input or needed_itself:
            return x_NF, a_hat
        ax_NF = a_hat @ x_NF if isinstance(x_NF, Tensor) else _sparse_product(a_hat, x_NF)
        return (x_NF, a_hat) if ax_NF is None else (ax_NF, a_hat, True)

    def forward(
        self, x_NF: NodeFeatures, a_hat: Propagation | Tensor, propagated: bool = False
    ) -> Tensor:
        layers = layers_of(GraphConvolution, self.layers)
        first, *rest = layers
        x: NodeFeatures = x_NF if propagated else self.drop(x_NF, self.dropout_input)
        h = first.transform(x) if propagated else first(a_hat, x)
        if self.residual and x.shape == h.shape:
            h = h + dense(x)
        p = self.dropout if self.training else 0.0
        for layer in rest:
            if self.residual and layer.W.shape[0] == layer.W.shape[1]:
                x = relu_dropped(h, p)
                h = layer(a_hat, x) + x
            else:
                h = layer.after_relu(a_hat, h, p)
        return h.relu() if self.is_encoder else h

    def first(self) -> list[nn.Parameter]:
        return list(self.layers[0].parameters())


def _sparse_product(a_hat: Propagation, x_NF: Sparse) -> Sparse | None:
    """Â X if it has fewer entries than Â and X together, as with identity features; else None."""
    if not isinstance(a_hat, Sparse):
        return None
    entries_N = x_NF.pattern.row_N1.diff().long()
    most = entries_N[a_hat.pattern.column_K.long()].sum()
    if most > a_hat.entries + x_NF.entries:
        return None
    product = (a_hat.csr @ x_NF.csr).to_sparse_coo().coalesce()
    row_K, column_K = product.indices()
    return Sparse(Pattern(row_K, column_K, x_NF.shape), product.values())
