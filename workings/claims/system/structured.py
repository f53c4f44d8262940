"""What the derivative of a number by a structured matrix is: several conventions are in use."""

from enum import Enum

import torch
from torch import Tensor

from workings.claims.system.equations import System
from workings.formula import nodes as f


class ByStructure(Enum):
    """How the entries of a symmetric, diagonal or triangular matrix move in a derivative by it."""

    FREELY = "every entry moves alone"
    IN_PAIRS = "an entry of a symmetric matrix moves together with its mirror image"
    PROJECTED = "the gradient by a symmetric matrix is made symmetric"
    ON_THE_DIAGONAL = "of a diagonal matrix only the entries on the diagonal move"
    BELOW_THE_DIAGONAL = "of a lower triangular matrix only the entries that are not 0 move"
    ABOVE_THE_DIAGONAL = "of an upper triangular matrix only the entries that are not 0 move"

    def applied(self, gradient: Tensor) -> Tensor:
        """The gradient in this convention, from that by entries that move alone."""
        match self:
            case ByStructure.IN_PAIRS:
                return gradient + gradient.t() - torch.diag(torch.diagonal(gradient))
            case ByStructure.PROJECTED:
                return (gradient + gradient.t()) / 2
            case ByStructure.ON_THE_DIAGONAL:
                return torch.diag(torch.diagonal(gradient))
            case ByStructure.BELOW_THE_DIAGONAL:
                return gradient.tril()
            case ByStructure.ABOVE_THE_DIAGONAL:
                return gradient.triu()
            case _:
                return gradient


_BY_PAIRS = (ByStructure.IN_PAIRS, ByStructure.PROJECTED)
CONVENTIONS = {
    "symmetric": _BY_PAIRS,
    "definite": _BY_PAIRS,
    "adjacency": _BY_PAIRS,
    "diagonal": (ByStructure.ON_THE_DIAGONAL,),
    "lower": (ByStructure.BELOW_THE_DIAGONAL,),
    "upper": (ByStructure.ABOVE_THE_DIAGONAL,),
}


def other_conventions(left: f.Node, system: System) -> tuple[ByStructure, ...]:
    """What a derivative on the left may be, besides that by entries that move alone."""
    if not isinstance(left, f.Derivative) or not isinstance(left.wrt, f.Reference):
        return ()
    symbol = system.symbols.get(left.wrt.name)
    kinds = symbol.kinds if symbol else ()
    return next((CONVENTIONS[kind] for kind in kinds if kind in CONVENTIONS), ())
