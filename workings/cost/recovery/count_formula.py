"""A count as a formula: one polynomial, one for each residue of a size, or numbers alone."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from workings.cost.format import sizes_text
from workings.errors import WorkingsError
from workings.formula.polynomial import Polynomial, Sizes


@dataclass(frozen=True)
class Piece:
    """A polynomial where every named symbol has its residue: (symbol, modulus, residue)."""

    residues: tuple[tuple[str, int, int], ...]
    polynomial: Polynomial

    def holds_at(self, sizes: Sizes) -> bool:
        """Whether sizes have the residues that the piece is for."""
        return all(sizes[symbol] % modulus == r for symbol, modulus, r in self.residues)

    @property
    def condition(self) -> str:
        """`s = 4k + 1`, or nothing; with another letter where k is a size."""
        sizes = {*self.polynomial.order, *(symbol for symbol, _, _ in self.residues)}
        k = next(letter for letter in ("k", "j", "m", "i", "z", "·") if letter not in sizes)
        return ", ".join(f"{s} = {m}{k}" + (f" + {r}" if r else "") for s, m, r in self.residues)


class Uncounted(WorkingsError):
    """A quantity that was not counted, or has no formula: nothing can be said about it."""


@dataclass(frozen=True)
class CountFormula:
    """One piece: exact; several: one for each residue; none: only numbers, with the reason."""

    pieces: tuple[Piece, ...]
    fitted: int = 0
    """sizes it was fitted on"""
    proven: tuple[Sizes, ...] = ()
    """sizes it was not fitted on, at which it holds"""
    fails: tuple[Sizes, ...] = ()
    """small sizes (a size of one) at which it does not hold"""
    departs: Mapping[str, int] = field(default_factory=dict)
    """by symbol: the first large size at which it does not hold; from there on it is not claimed"""
    departs_together: Mapping[str, int] = field(default_factory=dict)
    """large sizes at which it does not hold, though at each alone; it is claimed below each"""
    departs_with: Mapping[str, Sizes] = field(default_factory=dict)
    """by symbol: sizes of others, with which it departs at that size"""
    alike: tuple[tuple[str, str], ...] = ()
    """pairs of symbols for which it fails where both have the same size"""
    since: Mapping[str, int] = field(default_factory=dict)
    """by symbol: the size from which on it holds; below, `smaller` does"""
    smaller: "CountFormula | None" = None
    closed: Polynomial | None = None
    """all pieces as one, in rounded quotients such as ⌈n/64⌉"""
    reason: str = ""
    values: tuple[tuple[Sizes, int | Fraction], ...] = ()

    @property
    def kind(self) -> str:
        """`exact`, `piecewise`, or `numeric` where there is no formula."""
        return ("numeric", "exact")[len(self.pieces)] if len(self.pieces) < 2 else "piecewise"

    @property
    def polynomial(self) -> Polynomial | None:
        """The formula, where there is one for all sizes from some on."""
        return self.pieces[0].polynomial if self.kind == "exact" else None

    @property
    def departures(self) -> list[str]:
        """`n = 129`, one text for each way in which it was seen to fail at large sizes."""
        alone = [
            sizes_text({symbol: size, **self.departs_with.get(symbol, {})})
            for symbol, size in self.departs.items()
        ]
        return [*alone, *([sizes_text(self.departs_together)] if self.departs_together else [])]

    @property
    def is_zero(self) -> bool:
        """Whether nothing is counted at any size."""
        return self.kind == "exact" and not self.polynomial and not self.since

    def __call__(self, sizes: Sizes) -> Fraction | None:
        """Its value; None where there is no formula, or where it is known to fail."""
        if any(sizes[symbol] < size for symbol, size in self.since.items()):
            return None if self.smaller is None else self.smaller(sizes)
        if any(sizes[first] == sizes[second] for first, second in self.alike):
            return None
        if any(all(sizes[s] == v for s, v in case.items()) for case in self.fails):
            return None
        limits = [*self.departs.items(), *self.departs_together.items()]
        if any(sizes[symbol] >= size for symbol, size in limits):
            return None
        for piece in self.pieces:
            if piece.holds_at(sizes):
                return piece.polynomial(sizes)
        return None

    def __str__(self) -> str:
        return "; ".join(self.lines())

    def lines(self) -> list[str]:
        """The formula, a line for each piece."""
        since = " and ".join(f"{symbol} ≥ {size:,}" for symbol, size in self.since.items())
        whole = self.closed if self.closed is not None else self.polynomial
        if whole is not None:
            lines = [str(whole) + (f" for {since}" if since else "")]
        else:
            with_since = f", {since}" if since else ""
            texts = [str(p.polynomial) for p in self.pieces]
            usual = max(texts, key=texts.count, default="")
            several = texts.count(usual) > 1
            lines = [
                f"{text} for {p.condition}{with_since}"
                for p, text in zip(self.pieces, texts, strict=True)
                if not several or text != usual
            ]
            lines += [f"{usual} otherwise{with_since}"] if several else []
        if self.pieces:
            below = " or ".join(f"{symbol} < {size:,}" for symbol, size in self.since.items())
            before = self.smaller.lines() if self.smaller is not None else []
            return [*lines, *(f"{line} for {below}" for line in before)]
        some = (f"{value:,} at {sizes_text(sizes)}" for sizes, value in self.values[:3])
        return [f"({self.reason})", "; ".join(some)]
