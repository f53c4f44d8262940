"""What the derivative of a number by a symmetric matrix is: three conventions are in use."""

from enum import Enum

import torch
from torch import Tensor

from workings.claims.system.equations import System
from workings.formula import nodes as f

SYMMETRIC = frozenset({"symmetric", "definite", "adjacency"})


class BySymmetric(Enum):
    """How the entries of a symmetric matrix move when a derivative is taken by it."""

    FREELY = "every entry of a symmetric matrix moves alone"
    IN_PAIRS = "an entry of a symmetric matrix moves together with its mirror image"
    PROJECTED = "the gradient by a symmetric matrix is made symmetric"

    def applied(self, gradient: Tensor) -> Tensor:
        """The gradient in this convention, from that by entries that move alone."""
        if self is BySymmetric.IN_PAIRS:
            return gradient + gradient.t() - torch.diag(torch.diagonal(gradient))
        if self is BySymmetric.PROJECTED:
            return (gradient + gradient.t()) / 2
        return gradient


def is_by_symmetric(left: f.Node, system: System) -> bool:
    """Whether it is a derivative by a matrix that was declared symmetric."""
    if not isinstance(left, f.Derivative) or not isinstance(left.wrt, f.Reference):
        return False
    symbol = system.symbols.get(left.wrt.name)
    return symbol is not None and bool(SYMMETRIC & set(symbol.kinds))
