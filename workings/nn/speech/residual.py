"""The sub-block of the speech model: a module between two norms, with a way around it."""

# D width, F inner width

from collections.abc import Callable

from torch import Tensor, nn

from workings.nn.dropout import Dropout


class Residual(nn.Module):
    """y = LN(x + f(LN(x))).

    Shapes: x …×D, f keeps the shape; returns …×D.
    """

    def __init__(self, width: int, dropout: float) -> None:
        super().__init__()
        self.before, self.after = nn.LayerNorm(width), nn.LayerNorm(width)
        self.dropout = Dropout(dropout)

    def forward(self, x: Tensor, f: Callable[[Tensor], Tensor]) -> Tensor:
        return self.after(x + self.dropout(f(self.before(x))))


def feedforward(width: int, inner: int) -> nn.Sequential:
    """W_2 GELU(W_1 x + b_1) + b_2, with F = inner in between."""
    return nn.Sequential(nn.Linear(width, inner), nn.GELU(), nn.Linear(inner, width))
