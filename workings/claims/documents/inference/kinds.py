"""Which shapes a letter suggests: a matrix, a column, a row or a number, and how likely each is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from workings.claims.documents.inference.unify import Shape, Unknown
from workings.claims.documents.inference.uses import Signs
from workings.claims.documents.outline.declarations import Declared
from workings.claims.documents.outline.probabilities import PREFIX
from workings.formula import nodes as f

ANY_MATRIX = "M_any"
COUNTS = frozenset("BCDKMNT")  # capital letters that are numbers where no matrix fits
UNLIKELY = 100  # what it costs to read a letter as nobody would


@dataclass
class Kinds:
    """The kinds that the symbols of a claim may have."""

    declared: Mapping[str, Declared]
    signs: Signs
    """how the formulas use their symbols"""
    numbers: frozenset[str]
    """what is a number by its name"""
    linear: bool
    """whether anything speaks of vectors or matrices, so that letters are likely to be some"""

    def candidates(self, name: str) -> tuple[str, ...]:
        """The kinds that a symbol may be of, the likeliest first."""
        if declared := self.declared.get(name):
            return {0: ("number",), 1: ("column", "row"), 2: ("declared",)}[len(declared.sides)]
        entries = self.signs.entries.get(name, 0)
        if name.startswith(ANY_MATRIX):
            return ("matrix", "column")  # a column, of a function of a number
        if name in self.signs.examples and self.may_be_examples(name):
            return ("examples",) if entries == 1 else ("examples", "matrix")
        if entries > 1:
            return ("matrix",)
        if name in self.numbers or (name.startswith(PREFIX) and not entries):
            return ("number",)
        if name in self.signs.numbers and name not in self.signs.vectors and not entries:
            return ("number",)
        if name in COUNTS and not entries and name not in self.signs.vectors:
            return ("matrix", "column", "row", "number")
        if is_capital(name) or entries or name in self.signs.vectors:
            return ("matrix", "column", "row")
        return ("column", "row", "number")

    def cost(self, names: Sequence[str], kinds: Sequence[str]) -> int:
        """How far kinds are from what the letters suggest."""
        cost = 0
        for name, kind in zip(names, kinds, strict=True):
            if name in self.declared:
                cost += kind == "row"
            elif is_capital(name) and not self.signs.entries.get(name):
                cost += {"matrix": 0, "number": 2 * UNLIKELY}.get(kind, UNLIKELY)
            elif not self.linear or (_letter(name).startswith("\\") and kind != "matrix"):
                cost += {"number": 0, "column": 4, "row": 5}.get(kind, UNLIKELY)
            else:
                cost += {"column": 0, "row": 1, "number": 3, "examples": 0}.get(kind, UNLIKELY)
        return cost

    def may_be_examples(self, name: str) -> bool:
        """Whether x_1, x_2, … may be the rows of a matrix X, written as columns."""
        return capital_of(name) != name and name not in self.signs.whole

    def shape(self, name: str, kind: str) -> Shape:
        """The shape of a symbol of this kind, its lengths unknown where they are not declared."""
        sides = self.declared[name].sides if name in self.declared else ()
        length = _size(sides[0]) if len(sides) == 1 else Unknown()
        match kind:
            case "number":
                return ()
            case "declared":
                return tuple(map(_size, sides))
            case "column":
                return (length, 1)
            case "row":
                return (1, length)
        return (Unknown(), Unknown())


def _letter(name: str) -> str:
    """The letter of a name, without marks, index and label."""
    return name.split(" ")[-1].partition("_")[0].partition("^")[0]


def capital_of(name: str) -> str:
    """X of x, with its marks; a name with an index or a label is its own."""
    *marks, letter = name.split(" ")
    return " ".join([*marks, f.capital(letter)])


def is_capital(name: str) -> bool:
    """Whether the letter of a name is a capital, as those of matrices are."""
    return _letter(name).lstrip("\\")[:1].isupper()


def _size(text: str) -> int | str:
    return int(text) if text.isdigit() else text
