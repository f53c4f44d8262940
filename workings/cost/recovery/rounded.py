"""Rounded quotients of a size, such as ⌈n/64⌉: what padding, strides and windows count by."""

from collections.abc import Mapping, Sequence
from itertools import product
from math import lcm
from typing import NamedTuple

from workings.cost.recovery.count_formula import Piece
from workings.formula.polynomial import Polynomial


class Rounded(NamedTuple):
    """⌊(times · symbol + shift)/divisor⌋; a shift of one less than the divisor rounds up."""

    symbol: str
    shift: int
    divisor: int
    times: int = 1

    def __call__(self, size: int) -> int:
        return (self.times * size + self.shift) // self.divisor

    @property
    def name(self) -> str:
        """As it is written: ⌊n/2⌋, ⌈n/2⌉, ⌊(3n+1)/4⌋."""
        multiple = self.symbol if self.times == 1 else f"{self.times}{self.symbol}"
        if self.shift == self.divisor - 1:
            return f"⌈{multiple}/{self.divisor}⌉"
        above = f"({multiple}+{self.shift})" if self.shift else multiple
        return f"⌊{above}/{self.divisor}⌋"

    def polynomial(self, residue: int) -> Polynomial:
        """What it is at sizes that leave this residue when divided by the divisor."""
        lost = (self.times * residue + self.shift) % self.divisor
        return (self.times * Polynomial.symbol(self.symbol) + (self.shift - lost)) / self.divisor


def pieces_of(
    polynomial: Polynomial, rounded: Sequence[Rounded], classes: tuple[tuple[str, int, int], ...]
) -> list[Piece]:
    """The polynomials that one with rounded quotients is, one for each residue of their sizes."""
    used = [each for each in rounded if each.name in polynomial.symbols]
    cycles: dict[str, int] = {}
    for each in used:
        cycles[each.symbol] = lcm(cycles.get(each.symbol, 1), each.divisor)
    pieces = []
    for residues in product(*map(range, cycles.values())):
        residue = dict(zip(cycles, residues, strict=True))
        known = {each.name: each.polynomial(residue[each.symbol]) for each in used}
        modulus = tuple((symbol, cycles[symbol], residue[symbol]) for symbol in cycles)
        pieces.append(Piece((*classes, *modulus), _replaced(polynomial, known)))
    return pieces


def _replaced(polynomial: Polynomial, known: Mapping[str, Polynomial]) -> Polynomial:
    """Names replaced by what they stand for."""
    if not known:
        return polynomial
    order = tuple(name for name in polynomial.order if name not in known)
    result = Polynomial({}, order)
    for term, coefficient in polynomial.terms.items():
        factor = Polynomial.of({tuple(p for p in term if p[0] not in known): coefficient})
        for name, power in term:
            factor = factor * known[name] ** power if name in known else factor
        result = result + factor
    return result.ordered(order)
