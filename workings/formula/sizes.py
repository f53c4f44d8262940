"""Arithmetic in named sizes, such as `4*d`, `d//h` or `n^2(d + h) + nd^2`, read as data.

Nothing is evaluated as Python. Values are exact fractions, or polynomials in the names.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import Any

from workings.errors import WorkingsError, nearest
from workings.formula.polynomial import Polynomial

LONGEST = 400  # characters
DEEPEST = 50  # parentheses within parentheses
HIGHEST = 32  # power
LARGEST = 4096  # bits of a number
MOST_TERMS = 10_000

_LETTER, _INDEX = "A-Za-zͰ-Ͽ", "A-Za-zͰ-Ͽ0-9_"  # not \w, which has ² and ³
_TOKEN = re.compile(
    rf"\s*(?:(?P<number>[0-9]+)|(?P<name>[{_LETTER}]+[0-9]*(?:_(?:[{_INDEX}]+|\{{[{_INDEX}]+\}}))?)"
    r"|(?P<power>\^|\*\*)|(?P<super>[⁰¹²³⁴⁵⁶⁷⁸⁹]+)|(?P<sign>//|\\cdot\b|\\times\b|[-+*/·×()−{}]))"
)
_SAME = {"·": "*", "×": "*", r"\cdot": "*", r"\times": "*", "−": "-", "{": "(", "}": ")"}
_DIGITS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")


@dataclass(frozen=True)
class SizeExpr:
    """An expression in named sizes: `parse_sizes("4*d")({"d": 3})` is 12."""

    text: str
    tree: Any  # a Fraction, a name, or (operator, left, right)
    names: tuple[str, ...]  # in the order of their first occurrence

    def __call__(self, sizes: Mapping[str, int | Fraction]) -> Fraction:
        return self._value({name: Fraction(value) for name, value in sizes.items()})

    def polynomial(self, where: Mapping[str, Polynomial] | None = None) -> Polynomial:
        """Multiplied out; `where` gives names that stand for a polynomial in others."""
        known = {name: Polynomial.symbol(name) for name in self.names} | dict(where or {})
        return self._value(known) + Polynomial({}, self.names)

    def _value(self, known: Mapping[str, Any]) -> Any:
        for name in self.names:
            if name not in known:
                raise WorkingsError(
                    f"{self.text!r}: {name} is not a size here{nearest(name, known)}; "
                    f"there is: {', '.join(known) or 'none'}"
                )
        try:
            return _evaluate(self.tree, known)
        except ZeroDivisionError:
            raise WorkingsError(f"{self.text!r}: divides by zero") from None
        except _Refused as error:
            raise WorkingsError(f"{self.text!r}: {error}") from None

    def __str__(self) -> str:
        return self.text


class _Refused(Exception):
    """Why an expression cannot be read or evaluated, without the expression."""


def parse_sizes(text: str, symbols: Iterable[str] = ()) -> SizeExpr:
    """Read an expression of + - * / // ^, parentheses, whole numbers and names.

    Side by side means a product. Where `symbols` are given, `nd^2` is n·d² if n and d are among
    them and nd is not.
    """
    try:
        if len(text) > LONGEST:
            raise _Refused(f"is longer than {LONGEST} characters")
        parser = _Parser(_tokens(text), frozenset(symbols))
        tree = parser.sum(0)
        if parser.kind != "end":
            raise _Refused(f"expected an operator before {parser.value!r}")
    except _Refused as error:
        shown = text if len(text) <= 60 else text[:60] + "…"
        raise WorkingsError(f"{shown!r}: {error}") from None
    return SizeExpr(text.strip(), tree, tuple(dict.fromkeys(parser.names)))


def _tokens(text: str) -> list[tuple[str, str]]:
    tokens, place = [], 0
    text = text.rstrip()
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None or match.lastgroup is None:
            raise _Refused(f"cannot read {text[place:].lstrip()[:1]!r} at character {place + 1}")
        kind, value = match.lastgroup, match[match.lastgroup]
        if kind == "super":
            tokens += [("power", "^"), ("number", value.translate(_DIGITS))]
        elif kind == "name":
            tokens.append((kind, value.replace("{", "").replace("}", "")))
        else:
            tokens.append((kind, _SAME.get(value, value)))
        place = match.end()
    return [*tokens, ("end", "the end")]


class _Parser:
    """Recursive descent: a sum of products of powers of numbers, names and parentheses."""

    def __init__(self, tokens: list[tuple[str, str]], symbols: frozenset[str]) -> None:
        self.tokens, self.symbols, self.place = tokens, symbols, 0
        self.names: list[str] = []

    @property
    def kind(self) -> str:
        return self.tokens[self.place][0]

    @property
    def value(self) -> str:
        return self.tokens[self.place][1]

    def take(self) -> str:
        self.place += 1
        return self.tokens[self.place - 1][1]

    def sum(self, depth: int) -> Any:
        negative = self.value == "-"
        if self.value in ("-", "+"):
            self.take()
        tree = self.product(depth)
        tree = ("-", Fraction(0), tree) if negative else tree
        while self.value in ("+", "-"):
            operator = self.take()
            tree = (operator, tree, self.product(depth))
        return tree

    def product(self, depth: int) -> Any:
        tree = self.power(depth)
        while True:
            if self.value in ("*", "/", "//"):
                operator = self.take()
                tree = (operator, tree, self.power(depth))
            elif self.kind in ("number", "name") or self.value == "(":
                tree = ("*", tree, self.power(depth))
            else:
                return tree

    def power(self, depth: int) -> Any:
        *before, tree = self.factor(depth)
        if self.kind == "power":
            self.take()
            exponent = self.factor(depth)[-1]
            if not isinstance(exponent, Fraction) or exponent > HIGHEST:
                raise _Refused(f"a power must be a whole number, at most {HIGHEST}")
            tree = ("^", tree, exponent)
        for other in reversed(before):
            tree = ("*", other, tree)
        return tree

    def factor(self, depth: int) -> list[Any]:
        """One factor, or those that a name is made of: only the last is raised to a power."""
        if self.kind == "number":
            if len(self.value) > 30:
                raise _Refused("a number has more than 30 digits")
            return [Fraction(self.take())]
        if self.kind == "name":
            parts = _split(self.take(), self.symbols)
            self.names += parts
            return parts
        if self.value != "(":
            raise _Refused(f"expected a number, a size or a parenthesis before {self.value!r}")
        if depth == DEEPEST:
            raise _Refused(f"is nested deeper than {DEEPEST}")
        self.take()
        tree = self.sum(depth + 1)
        if self.value != ")":
            raise _Refused(f"expected ')' before {self.value!r}")
        self.take()
        return [tree]


def _split(name: str, symbols: frozenset[str]) -> list[Any]:
    """`nd` into n and d when these are symbols and nd is not; else the name itself."""
    ways: list[list[str] | None] = [[]] + [None] * len(name)
    for end in range(1, len(name) + 1):
        for start in range(end):
            before = ways[start]
            if before is not None and name[start:end] in symbols:
                ways[end] = [*before, name[start:end]]
                break  # the longest last part first
    return ways[-1] or [name]


def _evaluate(tree: Any, known: Mapping[str, Any]) -> Any:
    if isinstance(tree, Fraction):
        return tree
    if isinstance(tree, str):
        return known[tree]
    operator, left, right = tree[0], _evaluate(tree[1], known), _evaluate(tree[2], known)
    if _terms(operator, left, right) > MOST_TERMS:
        raise _Refused("has too many terms")
    value = _OPERATORS[operator](left, right)
    numbers = value.terms.values() if isinstance(value, Polynomial) else [value]
    if any(c.numerator.bit_length() + c.denominator.bit_length() > LARGEST for c in numbers):
        raise _Refused("has a value that is too large")
    return value


def _terms(operator: str, left: Any, right: Any) -> int:
    """At most how many terms the result has, known before it is made."""
    counts = [len(side.terms) if isinstance(side, Polynomial) else 1 for side in (left, right)]
    if operator == "^":
        return comb(max(1, counts[0]) + int(right) - 1, int(right))
    return counts[0] * counts[1] if operator == "*" else sum(counts)


def _quotient(left: Any, right: Any) -> Any:
    if isinstance(right, Polynomial) and isinstance(left, Fraction):
        left = Polynomial.constant(left)
    return left / right


def _floor(left: Any, right: Any) -> Fraction:
    if isinstance(left, Polynomial) or isinstance(right, Polynomial):
        raise _Refused("// is not a polynomial")
    return Fraction(left // right)


_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "+": lambda left, right: left + right,
    "-": lambda left, right: left - right,
    "*": lambda left, right: left * right,
    "/": _quotient,
    "//": _floor,
    "^": lambda left, right: left ** int(right),
}
