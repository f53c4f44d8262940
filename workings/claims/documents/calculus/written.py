"""What a document writes out: functions f(x, y) = …, and numbers, vectors and matrices by name.

The last one before a claim is in force there. A name that is given anew without being written out
("let f be a function") stands for nothing from then on.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from workings.claims.documents.calculus.signs import (
    before_brackets,
    is_listed,
    plain_signs,
    unknown_calls,
)
from workings.claims.documents.calculus.vectors import as_column
from workings.claims.documents.files.document import Display, Inline
from workings.claims.documents.files.sources import Text
from workings.claims.documents.outline.left_names import call_of
from workings.claims.documents.outline.rows import rows_of
from workings.claims.documents.outline.side_by_side import statements_of
from workings.claims.documents.outline.sides import Side, is_equality, split_sides
from workings.claims.documents.outline.statements import Outline
from workings.errors import WorkingsError
from workings.formula import nodes as f
from workings.formula.evaluation.functions import FUNCTIONS
from workings.formula.parsing.parse import parse_expression
from workings.formula.printing.latex import latex

LONGEST = 1_000  # characters of what is written out
_INTRODUCED = re.compile(
    r"\b(?:let(?! us)|suppose|assume|consider|given)\b[^.;:$]{0,40}\$?$", re.IGNORECASE
)
_ABSTRACT = re.compile(
    r"\s*(?P<name>\\?[A-Za-z]+|\\[a-z]+\{[A-Za-z]\})(?P<sub>_\w|_\{\w+\})?"
    r"\s*(?:\([^()=0-9]*\)|\\?:.*|\\colon.*)?\s*"
)


@dataclass(frozen=True)
class Written:
    """A function with its parameters, or what a name stands for."""

    name: str
    parameters: tuple[str, ...]
    body: f.Node
    offset: int = 0
    unclear: bool = False
    """whether a letter before a bracket in it may be a function that is not said"""
    whole: str = ""
    r"""x of f(\mathbf{x}) = x_1^2 + x_2^2, whose entries are the parameters"""

    @cached_property
    def names(self) -> frozenset[str]:
        """The names that its body has."""
        return frozenset(names_in(self.body))

    @cached_property
    def has_matrix(self) -> bool:
        """Whether its body has a vector or matrix of entries in it."""
        return any(isinstance(part, f.Matrix) for part in self.body.walk())

    @cached_property
    def is_number(self) -> bool:
        """Whether it is a number's value, which may be meant for one place only."""
        return not self.parameters and not self.names and not self.has_matrix


class WrittenOut:
    """All that a document writes out, in its order."""

    def __init__(self, outline: Outline) -> None:
        self.outline = outline
        self.offsets: list[int] = []
        self.written: list[tuple[str, Written | None]] = []
        """a name and what it stands for; None where it no longer stands for anything"""
        self._current: dict[str, Written | None] = {}
        """what each name stands for as far as the document is read"""
        self.functions: set[str] = set()
        """all names that are functions somewhere"""
        for item in outline.document.items:
            if isinstance(item, Display) and not item.unclosed:
                for row in rows_of(item):
                    self._read(outline.spelt(row.text))
            elif isinstance(item, Inline):
                for row in statements_of(outline.spelt(item.text)):
                    self._read(row.text)
                self._introduce(item.text)

    def at(self, offset: int) -> dict[str, Written]:
        """What stands for what before an offset, in the order in which it was written out."""
        known: dict[str, Written] = {}
        for name, written in self.written[: bisect_left(self.offsets, offset)]:
            known.pop(name, None)
            if written is not None:
                known[name] = written
        return known

    def written_at(self, offset: int) -> Written | None:
        """What is written out at an offset."""
        at = bisect_left(self.offsets, offset)
        is_here = at < len(self.offsets) and self.offsets[at] == offset
        return self.written[at][1] if is_here else None

    def before(self, name: str, offset: int) -> list[Written]:
        """The functions of one name that were written out before an offset, the last one first."""
        earlier = self.written[: bisect_left(self.offsets, offset)]
        return [
            written
            for other, written in reversed(earlier)
            if other == name and written is not None and written.parameters
        ]

    def given_anew(self, offset: int) -> set[str]:
        """Names that were given several meanings before an offset."""
        meanings: dict[str, set[str]] = {}
        for name, written in self.written[: bisect_left(self.offsets, offset)]:
            shown = latex(written.body) if written else ""
            meanings.setdefault(name, set()).add(shown)
        return {name for name, shown in meanings.items() if len(shown) > 1}

    def _note(self, offset: int, name: str, written: Written | None) -> None:
        self.offsets.append(max([offset, *self.offsets[-1:]]))
        self.written.append((name, written))
        self._current[name] = written
        if written and written.parameters:
            self.functions.add(name)

    def _read(self, text: Text) -> None:
        """Take in what the sides of a formula write out."""
        if len(text) > LONGEST:
            return
        sides = split_sides(text.strip().strip(" \t\r\n.,;:"))
        for left, right in _pairs(sides):
            self._read_pair(left.text, right.text.text)

    def _read_pair(self, left: Text, right: str) -> None:
        called = call_of(left.text)
        try:
            name = _name_of(called[0] if called else left.text)
            parameters = tuple(map(_name_of, called[1].split(","))) if called else ()
        except WorkingsError:
            return
        is_plain = all(parameters) and len({*parameters}) == len(parameters)
        if not name or name in FUNCTIONS or not is_plain or self._is_slope(name):
            return
        body = None if unknown_calls(right, self.functions) else self.parsed(right)
        if body is None or any(isinstance(part, f.Unsaid) for part in body.walk()):
            self._note(left.offset, name, None)
            return
        inside = names_in(body)
        if not parameters and name in inside:
            return  # x = x + 1
        whole = ""
        if len(parameters) == 1 and (entries := _entries(parameters[0], inside)):
            whole, parameters = parameters[0], entries
        before = self._current.get(name)
        if before and before.parameters and not parameters and not inside - {*before.parameters}:
            return  # F = 25 is a curve, on which F is so; F = x^2 + y^2 says again what F is
        if parameters and not inside & {*parameters}:
            if not (before and before.parameters):  # F(x, y) = 0: a curve
                self._note(left.offset, name, None)
            return
        if not parameters and is_listed(right):
            body = as_column(body)
        unclear = bool(before_brackets(right) - self.functions - {*parameters})
        self._note(left.offset, name, Written(name, parameters, body, left.offset, unclear, whole))

    def _is_slope(self, name: str) -> bool:
        """Whether a name is that of a derivative: f', or f_x of a function f(x, y)."""
        base, _, sub = name.partition("_")
        of = self._current.get(base)
        return "'" in name or (of is not None and split_names(sub, of.parameters) is not None)

    def parsed(self, text: str) -> f.Node | None:
        """A formula in which what has arguments anywhere is a function; None if it is not read."""
        try:
            return parse_expression(plain_signs(text), (), self.functions)
        except WorkingsError:
            return None

    def _introduce(self, text: Text) -> None:
        """Forget what a name stood for, where a sentence gives it anew: "let f be a function"."""
        match = _ABSTRACT.fullmatch(text.text)
        if match is None:
            return
        source, at = self.outline.document.sources.locate(text.offset)
        if _INTRODUCED.search(source.text[max(0, at - 60) : at]):
            try:
                name = _name_of(match["name"] + (match["sub"] or ""))
            except WorkingsError:
                return
            self._note(text.offset, name, None)


def split_names(text: str, names: Sequence[str]) -> list[str] | None:
    """x and y of xy; None where a text is not made of these names."""
    parts: list[str] = []
    plain = text.replace(",", "")
    while plain:
        first = max((name for name in names if plain.startswith(name)), key=len, default=None)
        if first is None:
            return None
        parts.append(first)
        plain = plain[len(first) :]
    return parts or None


def matrices_in(known: Mapping[str, Written]) -> set[str]:
    """The names that stand for a vector or matrix of entries, or for a formula with one in it."""
    matrices: set[str] = set()
    for name, written in known.items():
        if written.has_matrix or written.names & matrices:
            matrices.add(name)
    return matrices


def _pairs(sides: Sequence[Side]) -> Iterator[tuple[Side, Side]]:
    """The first equation of a chain; of z = f(x, y) = … the second one, too, before it."""
    if len(sides) > 2 and is_equality(sides[2]) and call_of(sides[1].text.text):
        yield sides[1], sides[2]
    if len(sides) > 1 and is_equality(sides[1]):
        yield sides[0], sides[1]


def _name_of(text: str) -> str:
    """The name that a text is; nothing if it is no name."""
    node = parse_expression(text.strip())
    return node.name if isinstance(node, f.Symbol) and not node.label else ""


def names_in(node: f.Node) -> set[str]:
    """The names of a formula."""
    return {part.name for part in node.walk() if isinstance(part, f.Symbol)}


def _entries(name: str, names: set[str]) -> tuple[str, ...]:
    """x_1, …, x_n where a formula has these entries of x and never x itself."""
    entries = {each for each in names if each == name or each.startswith(f"{name}_")}
    numbered = tuple(f"{name}_{at + 1}" for at in range(len(entries)))
    return numbered if entries == {*numbered} else ()
