"""Which draws (seeds, sizes, scales) a claim is judged at, and its left side's value at one."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from torch import Tensor

from workings.claims.system.equations import EVEN, FROM_ONE, Style
from workings.claims.system.gradient import Point
from workings.claims.system.noise import Rounding

Plan = Sequence[tuple[int, Style]]
PLAIN: Plan = (
    (0, Style()),
    (0, Style(flip=True)),
    (1, Style()),
    (2, Style(EVEN)),
    (2, Style(EVEN, flip=True)),
)
UNUSUAL: Plan = (
    (3, Style(decades=3)),
    (4, Style(EVEN, decades=1.5)),
    (5, Style(FROM_ONE)),
    (6, Style(scale=5.0)),
)
"""very large and very small values, and a size of 1: what holds at plain draws must hold here"""
SMALL = FROM_ONE[1:]
"""sizes of further draws of a claim that takes long"""
MORE: Plan = tuple((50 + number, style) for number, (_, style) in enumerate(PLAIN))
"""where the first draws leave it open"""
FRESH: Plan = tuple((1000 + number, style) for number, style in (*PLAIN, *UNUSUAL[:1]))
"""for a repair: draws that no search has seen"""


@dataclass
class Drawn:
    """A draw, and what the left side is worth there."""

    point: Point
    right: Tensor
    roundings: dict[int, Rounding] = field(default_factory=dict)
    """how far rounding may have moved the entries of each side, by its id, once it was asked for"""

    @property
    def is_plain(self) -> bool:
        """Whether nothing about the draw is out of the ordinary."""
        return self.point.draw.style.is_plain
