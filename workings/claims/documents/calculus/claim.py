"""One claim of ordinary calculus: the ways to write it out, and whether it holds in one."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from workings.claims.documents.calculus.expand import Expansion
from workings.claims.documents.calculus.numbers import (
    alike,
    chain,
    checked,
    hold,
    names_in,
)
from workings.claims.documents.calculus.rounded import is_rounded
from workings.claims.documents.calculus.signs import is_listed
from workings.claims.documents.calculus.slopes import with_laplacian
from workings.claims.documents.calculus.worked_out import repaired
from workings.claims.documents.calculus.written import Written, matrices_in
from workings.claims.documents.inference.uses import rounds_names
from workings.claims.documents.outline.problems import solves_equations
from workings.claims.documents.outline.statements import Outline, Role, Statement
from workings.claims.evidence import Evidence
from workings.claims.result import Result
from workings.claims.verdict import Verdict
from workings.errors import WorkingsError
from workings.formula import nodes as f
from workings.formula.printing.latex import latex

CONSTANTS = frozenset(["a", "b", "c", "k", "n", "m", "\\alpha", "\\beta", "\\lambda", "\\omega"])
"""names that no author lets depend on x"""
_TOTAL = re.compile(r"\\[dt]?frac\s*\{\s*(?:\\mathrm\s*\{\s*d\s*\}|d(?![A-Za-z]{2}))")
WORKED_OUT = "it comes out as it is written"
WRONG = (Verdict.WRONG_VALUE, Verdict.FLIPPED, Verdict.SCALED)


class Set(Exception):
    """What may be set, solved or rounded, and claims nothing, with the reason."""


@dataclass(frozen=True)
class Variant:
    """A claim with its names written out in one way."""

    sides: Sequence[f.Node]
    used: frozenset[str]
    """the names that were written out"""
    by: frozenset[str]
    """the names that derivatives are taken by"""

    def is_closed(self, at: int) -> bool:
        """Whether a side has no name left in it, so that it is a number or a vector of numbers."""
        return not names_in(self.sides[at])


@dataclass
class Claim:
    """A claim as it is parsed, and what its document writes out before it."""

    outline: Outline
    statement: Statement
    parsed: Sequence[f.Node]
    known: Mapping[str, Written]
    here: frozenset[str]
    """what the same example writes out"""
    settled: frozenset[str] = frozenset()
    """functions that other claims of the example were found to be about"""

    def held(self) -> Result | None:
        """That the claim holds in one of the ways to write it out; None if in none."""
        for variant in self.variants:
            result = self._held(variant) if self._is_of_numbers(variant) else None
            if result is not None:
                return result
        return None

    def _held(self, variant: Variant) -> Result | None:
        """That the claim holds, or does so up to where it is set to a number."""
        sides = variant.sides
        while len(sides) > 1:
            if result := hold(sides):
                return self._as_held(result)
            if len(sides) == 2 or names_in(sides[-1]) or not names_in(sides[0]):
                return None
            sides = sides[:-1]
        return None

    def _as_held(self, result: Result) -> Result:
        if result.verdict is Verdict.TRIVIAL and not self._says_more:
            return result
        why = "" if result.verdict is Verdict.HOLDS else WORKED_OUT
        evidence = replace(result.evidence, why=why) if not why else Evidence(why=why)
        return replace(result, verdict=Verdict.HOLDS, evidence=evidence, repair=None)

    @cached_property
    def variants(self) -> Sequence[Variant]:
        """With functions written out; with matrices, too; with numbers of the example, too."""
        return list(self._variants())

    def _variants(self) -> Iterator[Variant]:
        values = self.known.items()
        functions = {name: each for name, each in values if each.parameters}
        plain = {name: each for name, each in values if name in functions or name in self._matrices}
        here = {name: each for name, each in values if name in self.here or name in plain}
        named = {name: each for name, each in here.items() if not each.is_number}
        seen: set[str] = set()
        for known in (functions, plain, named, here if not functions else {}):
            expansion = Expansion(known, self._dimension)
            try:
                sides = alike([expansion(side) for side in self.parsed])
            except (WorkingsError, RecursionError):
                continue
            if (text := chain(sides)) not in seen:
                seen.add(text)
                yield Variant(sides, frozenset(expansion.used), frozenset(expansion.by))

    @cached_property
    def _matrices(self) -> set[str]:
        """The names that stand for vectors and matrices."""
        return matrices_in(self.known)

    @property
    def _dimension(self) -> int:
        """Of the space that unit vectors are of: 3 where there is a k or a z."""
        return 3 if {name[-1] for name in names_in(*self.parsed)} & {"k", "z"} else 2

    def _is_of_numbers(self, variant: Variant) -> bool:
        """Whether something was written out, or all are numbers; and no name is of a vector."""
        names = names_in(*variant.sides)
        if not (variant.used or variant.by) and names:
            return False
        parameters = [self.known[name].parameters for name in variant.used]
        arguments = {name for each in parameters if len(each) > 1 for name in each}
        shaped = {name for name, each in self.outline.declared.items() if each.sides}
        vectors = self.outline.vectors | shaped
        if not any(parameters) and vectors and any(map(_may_be_vector, names)):
            return False
        capitals = set() if arguments else {name for name in names if name[0].isupper()}
        return not ((names & vectors) | capitals) - arguments

    def wrong(self) -> Result | None:
        """That the claim is wrong; None where something speaks for another reading.

        Set where it may be set and not claimed.
        """
        variant = self._without_values()
        if variant is None or not self._is_of_numbers(variant) or self.gives_anew:
            return None
        if rounds_names(variant.sides):
            return None
        at = self._departs(variant)
        if at is None:
            return None
        left, right = variant.sides[0], variant.sides[at]
        if variant.is_closed(at) and not variant.is_closed(0):
            raise Set("it may be set, or to be solved, and not claimed")
        if is_rounded(left, right, self.parsed[at]):
            raise Set("its numbers are rounded")
        if variant.is_closed(0) and not variant.is_closed(at):
            return None
        if variant.by and not variant.used and not self._is_of_something(variant):
            raise Set("how its names depend on each other is not said")
        if not self._is_sure(variant, at) or hold([left, right], "positive scalar"):
            if self.statement.role is Role.DEFINITION:  # f' of a known f is no new name
                raise Set("it may be to be solved, or about something else")
            return None
        result = checked([left, right])
        if result is None or result.verdict not in WRONG:
            return None
        if f.is_zero(self.parsed[-1]) and result.verdict is not Verdict.WRONG_VALUE:
            raise Set("it is set to zero, where a sign or a factor does not matter")
        evidence = replace(result.evidence, departs_at_step=at if len(self.parsed) > 2 else None)
        sides = self.statement.row.sides
        repair = repaired(left, right, is_listed(sides[at].text.text), self.parsed[0])
        if repair:
            repair = replace(repair, formula=f"{sides[0].text.text} = {repair.formula}")
        return replace(result, evidence=evidence, repair=repair)

    def _without_values(self) -> Variant | None:
        """The claim with the least written out: x = 1, or z = 2x, may be meant for one place only.

        That it does not hold with more written out either was seen before.
        """
        for variant in self.variants:
            used = [self.known[name] for name in variant.used]
            arguments = {name for each in used for name in each.parameters}
            left = (names_in(*variant.sides) & self._matrices) - arguments
            if not left and not any(each.is_number for each in used):
                return variant
        return None

    def _departs(self, variant: Variant) -> int | None:
        """The first side that is not what the left one is; None if there is none, or no telling."""
        for at in range(1, len(variant.sides)):
            pair = [variant.sides[0], variant.sides[at]]
            if not hold(pair):
                return at if checked(pair) else None
        return None

    def _is_sure(self, variant: Variant, at: int) -> bool:
        """Whether a claim says all that it needs, and can be meant in one way only."""
        used = [self.known[name] for name in variant.used]
        elsewhere = variant.used - self.here
        if elsewhere and not (elsewhere <= self.settled and self.says_of_what):
            return False  # it may be about another example
        if any(self._may_be_sought(part) for part in self.parsed[at].walk()):
            return False
        if not self._is_of_something(variant) or self._may_go_through(variant):
            return False
        if any(each.unclear for each in used):
            return False
        said = names_in(self.parsed[0], *(each.body for each in used))
        said |= {name for each in used for name in each.parameters}
        new = names_in(variant.sides[at]) - said
        return not new and "langle" not in self.statement.text

    def _is_of_something(self, variant: Variant) -> bool:
        """Whether its left side is of what is written out, not of free names or of √-1."""
        names = names_in(*variant.sides)
        if names & {"i", "j"}:
            return False
        if variant.used:
            return bool(self._used_on_the_left())
        return names <= CONSTANTS | {"x", "y"} | (variant.by - {"z", "r", "u"})

    def _may_go_through(self, variant: Variant) -> bool:
        """Whether a derivative may go through a name that depends on what it is taken by."""
        inside = names_in(*(self.known[name].body for name in variant.used))
        inside |= {name for each in variant.used for name in self.known[each].parameters}
        for name in (inside & self.here) - variant.used:
            each = self.known[name]
            if not each.parameters and names_in(each.body) & variant.by:
                return True
        total = _TOTAL.search(self.statement.text) is not None
        return total and not names_in(variant.sides[0]) <= variant.by | CONSTANTS

    def _may_be_sought(self, node: f.Node) -> bool:
        """Whether a part of a right side is a derivative or function, which may be to be found."""
        if isinstance(node, f.Derivative | f.Hessian | f.At):
            return True
        name = node.function if isinstance(node, f.Call) else getattr(node, "name", "")
        if name not in self.known or not self.known[name].parameters:
            return False
        is_of_it = name in self.here & self._used_on_the_left()  # f' = f (1 - f), f is given here
        return not is_of_it or solves_equations(self.outline.document, self.statement.row.text)

    @property
    def says_of_what(self) -> bool:
        """Whether it has names on its right, so that it can hold of hardly another function."""
        return bool(names_in(*self.parsed[1:]))

    @property
    def functions(self) -> list[str]:
        """The functions that are written out in it."""
        used = {name for variant in self.variants for name in variant.used}
        return sorted(name for name in used if self.known[name].parameters)

    @property
    def gives_anew(self) -> bool:
        """Whether the left side is a name, or a function at its own arguments, and no chain."""
        left = self.parsed[0]
        name = left.function if isinstance(left, f.Call) else getattr(left, "name", "")
        return name in self.known and not self._says_more and not self.statement.continued

    @property
    def _says_more(self) -> bool:
        """Whether a claim has a derivative, or a function at other arguments than its own."""
        left = self.parsed[0]
        if isinstance(left, f.Symbol):
            return left.name not in self.known or self.statement.continued
        if isinstance(left, f.Call) and left.function in self.known and not left.primes:
            names = {latex(each) for each in left.arguments if isinstance(each, f.Symbol)}
            return len(names) < len(left.arguments)
        return latex(left) != latex(self.parsed[-1])

    @property
    def is_of_what_is_known(self) -> bool:
        """Whether the left side is of a function that is written out, as J_f is; no new name."""
        return bool(self._used_on_the_left()) and not self.gives_anew

    def _used_on_the_left(self) -> set[str]:
        """What is written out in the left side."""
        expansion = Expansion(self.known, self._dimension)
        try:
            expansion(self.parsed[0])
        except WorkingsError:
            return set()
        return expansion.used

    def with_laplacian(self) -> "Claim | None":
        """The claim with Δf for ∇²f, which may be meant; None if there is no ∇²."""
        sides = [with_laplacian(side) for side in self.parsed]
        same = all(new is old for new, old in zip(sides, self.parsed, strict=True))
        return None if same else replace(self, parsed=sides)


def _may_be_vector(name: str) -> bool:
    r"""Whether it is a letter; \lambda and x_1 are numbers beside matrices that are written out."""
    return not name.startswith("\\") and not name[-1].isdigit()
