"""Polynomials in named sizes with rational coefficients, exact; each is also a formula's tree.

Exponents may be negative, so that d²/h is one of them.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import prod

from workings.errors import WorkingsError
from workings.formula import nodes as f
from workings.formula.printing.latex import latex
from workings.formula.printing.mathml import mathml
from workings.formula.printing.notation import symbol_of
from workings.formula.printing.text import text

Sizes = Mapping[str, int]
Monomial = tuple[tuple[str, int], ...]  # (symbol, exponent ≠ 0), sorted by symbol


def monomial(exponents: Iterable[tuple[str, int]]) -> Monomial:
    """The monomial of these powers, one for each symbol."""
    return tuple(sorted((symbol, power) for symbol, power in exponents if power))


@dataclass(frozen=True)
class Polynomial:
    """Σ c_m · m over monomials m, with c_m ≠ 0; `order` is that in which symbols are written."""

    terms: Mapping[Monomial, Fraction]
    order: tuple[str, ...] = field(default=(), compare=False)

    @staticmethod
    def of(terms: Mapping[Monomial, Fraction], order: Iterable[str] = ()) -> "Polynomial":
        """The polynomial of these terms, without those that are zero."""
        return Polynomial({m: c for m, c in terms.items() if c}, tuple(order))

    @staticmethod
    def constant(value: int | Fraction) -> "Polynomial":
        """A number."""
        return Polynomial.of({(): Fraction(value)})

    @staticmethod
    def symbol(name: str) -> "Polynomial":
        """A size by itself."""
        return Polynomial({((name, 1),): Fraction(1)}, (name,))

    @property
    def symbols(self) -> tuple[str, ...]:
        """Those that occur: first as ordered, then the others by name."""
        used = {symbol for m in self.terms for symbol, _ in m}
        ordered = [symbol for symbol in self.order if symbol in used]
        return (*ordered, *sorted(used.difference(ordered)))

    def __hash__(self) -> int:
        return hash(frozenset(self.terms.items()))

    def __bool__(self) -> bool:
        return bool(self.terms)

    def __add__(self, other: "Polynomial | int | Fraction") -> "Polynomial":
        other = _polynomial(other)
        terms = dict(self.terms)
        for m, c in other.terms.items():
            terms[m] = terms.get(m, Fraction(0)) + c
        return Polynomial.of(terms, _merged(self.order, other.order))

    def __neg__(self) -> "Polynomial":
        return Polynomial({m: -c for m, c in self.terms.items()}, self.order)

    def __sub__(self, other: "Polynomial | int | Fraction") -> "Polynomial":
        return self + -_polynomial(other)

    def __mul__(self, other: "Polynomial | int | Fraction") -> "Polynomial":
        other = _polynomial(other)
        terms: dict[Monomial, Fraction] = {}
        for m, c in self.terms.items():
            for n, k in other.terms.items():
                both = _times(m, n)
                terms[both] = terms.get(both, Fraction(0)) + c * k
        return Polynomial.of(terms, _merged(self.order, other.order))

    def __truediv__(self, other: "Polynomial | int | Fraction") -> "Polynomial":
        """By a single term; nothing else leaves a polynomial."""
        other = _polynomial(other)
        if len(other.terms) != 1:
            raise WorkingsError(f"cannot divide by {other}: only by a single term that is not zero")
        ((m, c),) = other.terms.items()
        inverse = tuple((symbol, -power) for symbol, power in m)
        return self * Polynomial({inverse: 1 / c}, other.order)

    def __pow__(self, power: int) -> "Polynomial":
        if power < 0:
            return Polynomial.constant(1) / self**-power
        result = Polynomial.constant(1)
        for _ in range(power):
            result = result * self
        return result

    __radd__, __rmul__ = __add__, __mul__

    def __rsub__(self, other: int | Fraction) -> "Polynomial":
        return _polynomial(other) - self

    def __call__(self, sizes: Sizes) -> Fraction:
        """The value at these sizes."""
        missing = [symbol for symbol in self.symbols if symbol not in sizes]
        if missing:
            raise WorkingsError(f"{self} needs a value of {', '.join(missing)}")
        values = {symbol: Fraction(sizes[symbol]) for symbol in self.symbols}
        terms = (c * prod(values[s] ** p for s, p in m) for m, c in self.terms.items())
        return sum(terms, Fraction(0))

    def degree(self, symbol: str) -> int:
        """The highest power of the symbol, 0 if it does not occur."""
        return max((dict(m).get(symbol, 0) for m in self.terms), default=0)

    def ordered(self, order: Iterable[str]) -> "Polynomial":
        """The same, its symbols written in this order."""
        return Polynomial(self.terms, tuple(order))

    def sorted_terms(self) -> list[tuple[Monomial, Fraction]]:
        """By falling degree; within a degree, by the powers of the symbols in their order."""
        symbols = self.symbols

        def key(term: tuple[Monomial, Fraction]) -> tuple[int, ...]:
            powers = dict(term[0])
            return (-sum(powers.values()), *(-powers.get(symbol, 0) for symbol in symbols))

        return sorted(self.terms.items(), key=key)

    def tree(self) -> f.Node:
        """The polynomial as a formula."""
        terms = [_term(m, c, self.symbols) for m, c in self.sorted_terms()]
        return f.Sum(tuple(terms)) if len(terms) > 1 else [*terms, f.Number(Fraction(0))][0]

    def __str__(self) -> str:
        return text(self.tree())

    def latex(self) -> str:
        """The polynomial as LaTeX."""
        return latex(self.tree())

    def mathml(self) -> str:
        """The polynomial as MathML."""
        return mathml(self.tree())


def _polynomial(value: Polynomial | int | Fraction) -> Polynomial:
    return value if isinstance(value, Polynomial) else Polynomial.constant(value)


def _merged(first: tuple[str, ...], second: tuple[str, ...]) -> tuple[str, ...]:
    return first + tuple(symbol for symbol in second if symbol not in first)


def _times(m: Monomial, n: Monomial) -> Monomial:
    powers = dict(m)
    for symbol, power in n:
        powers[symbol] = powers.get(symbol, 0) + power
    return monomial(powers.items())


def _term(m: Monomial, c: Fraction, symbols: tuple[str, ...]) -> f.Node:
    """c·m, its negative powers below a fraction bar, in the order of the symbols."""
    powers = sorted(m, key=lambda pair: symbols.index(pair[0]))
    above = _factors(abs(c.numerator), [(s, p) for s, p in powers if p > 0])
    below = _factors(c.denominator, [(s, -p) for s, p in powers if p < 0])
    is_whole = isinstance(below, f.Number) and below.value == 1
    term = above if is_whole else f.Quotient(above, below)
    return f.Negative(term) if c < 0 else term


def _factors(number: int, powers: Sequence[tuple[str, int]]) -> f.Node:
    """A number times powers of symbols; a one is not written before others."""
    numbers: list[f.Node] = [f.Number(Fraction(number))] if number != 1 or not powers else []
    return f.product_of([*numbers, *(_power(symbol_of(s), p) for s, p in powers)])


def _power(base: f.Node, exponent: int) -> f.Node:
    return base if exponent == 1 else f.Power(base, f.Number(Fraction(exponent)))
