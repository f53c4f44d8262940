"""The verdict on one claim of a document: in its likeliest reading, if no other says otherwise."""

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from workings.claims.check import Checker
from workings.claims.documents.deciding.advice import ask, comment
from workings.claims.documents.deciding.dependence import is_in_time
from workings.claims.documents.deciding.doubts import (
    VANISHES,
    NotClaimed,
    doubt_of_reading,
    doubt_of_wrong,
    may_be_a_diagonal,
)
from workings.claims.documents.deciding.glance import UNFIT, glance, holds, is_wrong, with_sense
from workings.claims.documents.deciding.readings import Readings, Shapes, square, with_square
from workings.claims.documents.deciding.settings import (
    has_derivative,
    is_set_to_zero,
    may_be_set,
    says_zero,
)
from workings.claims.documents.deciding.shown import in_names, shown_shapes
from workings.claims.documents.inference.kinds import is_capital
from workings.claims.documents.inference.uses import signs_of
from workings.claims.evidence import Evidence
from workings.claims.kinds.number_claims import Models
from workings.claims.result import Result
from workings.claims.system.conventions import Conventions
from workings.claims.system.gradient import Layout
from workings.claims.verdict import Verdict
from workings.errors import WorkingsError, first_line
from workings.formula.errors import Undefined
from workings.formula.evaluation.budget import now
from workings.formula.printing.latex import plain_latex

ONE_STEP = "for one step, with the states of others held constant"
MOST_COMPARED = 6  # readings in which a claim must hold that is decided with less said
MOST_READINGS = 24  # ways to read what was not declared that are compared
Known = dict[str, tuple[Result, frozenset[Layout]]]
"""results of sets that were checked before, by their text and the layouts they were judged in"""


class Undecided(WorkingsError):
    """A claim that may be right or wrong, with what is not said."""


@dataclass(frozen=True)
class Asked:
    """In which reading a claim is judged, by which layouts; and whether a repair is looked for."""

    shapes: Shapes
    with_targets: bool = False
    layouts: frozenset[Layout] = frozenset(Layout)
    repair: bool = False


@dataclass(frozen=True)
class Decision:
    """The verdict on a claim, with the shapes that were taken for what was not declared."""

    result: Result
    shapes: dict[str, str] = field(default_factory=dict)
    layouts: frozenset[Layout] = frozenset()
    """by which layouts of derivatives it holds, where others would have said otherwise"""


@dataclass
class Judge:
    """Decides claims, each in all its readings; results are kept for the next time."""

    known: Known
    usual_layouts: Callable[[], frozenset[Layout]]
    """the layouts of derivatives by which most claims of the document hold; none if none"""
    convention_is_known: Callable[[], bool]
    """whether the other claims have shown which shapes derivatives have"""
    seed: int
    """of the random draws"""
    until: float = math.inf
    """when the time for one statement is over, in seconds of this thread"""

    def is_late(self) -> bool:
        """Whether the time for one statement is over."""
        return now() > self.until

    def decide(self, claim: Readings, shadows: bool) -> Decision:
        """The verdict in the likeliest reading; Undecided where another reading gives another.

        shadows: whether the claim may be a new definition of a name of another section.
        """
        readings = list(itertools.islice(claim.shapes(), MOST_READINGS))
        if not readings:
            if unknown := claim.unknown([*claim.bodies, *claim.sides]):
                raise Undecided(ask(claim, unknown[0]))
            readings = [claim.declared_shapes()]
        asked = Asked(readings[0])
        result, layouts = self._judged(claim, asked)
        if result.verdict in UNFIT and (other := with_sense(claim, readings)):
            readings = [other, *(each for each in readings if each is not other)]
            asked = Asked(other)
            result, layouts = self._judged(claim, asked)
        shapes = asked.shapes
        guessed = [name for name in shapes if name not in claim.declared]
        in_question = result.holds and bool(result.evidence.convention)
        asked = self._in_the_usual_layout(claim, asked, result)
        result = self._result(claim, asked)
        targets = {*claim.targets} & {name for name, sizes in shapes.items() if sizes}
        if is_wrong(result) and targets:
            with_targets = Asked(shapes, with_targets=True)
            again = self._result(claim, with_targets)
            if again.holds or is_wrong(again):
                asked, result = with_targets, again
        if is_wrong(result):
            result = self._surely_wrong(claim, asked, result, readings, shadows)
        if result.verdict in (Verdict.NOT_READ, Verdict.UNDECIDED):
            raise Undecided(result.why)
        if result.holds and result.evidence.vanishes:
            if is_set_to_zero(claim):
                raise NotClaimed
            if not says_zero(claim):
                raise Undecided(VANISHES)
        if result.holds and is_in_time(claim):
            result = replace(result, evidence=replace(result.evidence, restricted=ONE_STEP))
        shown = shown_shapes(shapes, guessed)
        if result.holds and targets:
            shown |= dict.fromkeys(targets, "adds up to 1")
        result = in_names(result, claim, shapes)
        return Decision(result, shown, layouts if in_question else frozenset())

    def holds_in_general(self, claim: Readings) -> Decision | None:
        """That a claim holds in every reading in which its shapes fit; None if not.

        A capital letter is a number only if no reading takes it for a matrix.
        """
        right: tuple[Result, Shapes] | None = None
        matrices: set[str] = set()
        for shapes in itertools.islice(claim.shapes(), MOST_COMPARED):
            if self.is_late():
                return None
            matrices |= {name for name, sizes in shapes.items() if sizes and is_capital(name)}
            if any(not shapes.get(name, True) for name in matrices):
                break
            result = glance(claim, shapes)
            if result is not None and result.holds:
                if result.evidence.vanishes and (is_set_to_zero(claim) or not says_zero(claim)):
                    return None
                right = right or (result, shapes)
            elif result is not None and result.verdict not in UNFIT:
                return None
        if right is None:
            return None
        result, shapes = right
        guessed = [name for name in shapes if name not in claim.declared]
        return Decision(result, shown_shapes(shapes, guessed))

    def _surely_wrong(
        self, claim: Readings, asked: Asked, result: Result, readings: list[Shapes], shadows: bool
    ) -> Result:
        """A wrong result, once nothing speaks for another one; else Undecided or NotClaimed.

        A repair takes longest, and is looked for once nothing else speaks for another result.
        """
        shapes = readings[0]
        guessed = [name for name in shapes if name not in claim.declared]
        if may_be_set(claim):
            raise NotClaimed
        if right := self._for_some_kind(claim, shapes):
            return right
        if may_be_a_diagonal(claim, result):
            result = self._result(claim, replace(asked, repair=True))
        if doubt := doubt_of_wrong(claim, result, shapes, self.convention_is_known()):
            raise Undecided(doubt)
        if guessed and (doubt := self._other(claim, result, readings, guessed)):
            raise Undecided(doubt)
        if guessed and claim.inference.is_unlikely:
            raise Undecided(ask(claim, guessed[0]))
        result = self._result(claim, replace(asked, repair=True))
        if guessed and result.verdict is Verdict.UNDEFINED:
            same_sizes = self._result(claim, Asked(square(shapes), repair=True))
            if is_wrong(same_sizes) and same_sizes.verdict is not Verdict.UNDEFINED:
                result = same_sizes  # it says more: which value is wrong, and a repair
        sure = len(readings) == 1
        if not guessed and len(readings) < MOST_READINGS:
            if any(holds(claim, other) for other in readings[1:]):
                raise Undecided("rows and columns are not told apart")
            sure = True
        doubt = doubt_of_reading(claim, result, sure)
        if doubt and not shadows:
            raise Undecided(doubt)
        return result

    def _for_some_kind(self, claim: Readings, shapes: Shapes) -> Result | None:
        """That it holds for the kinds of matrices that sentences name; Undecided if it may."""
        hypotheses = claim.outline.hypotheses
        matrices = [
            name
            for name, sizes in shapes.items()
            if len(sizes) == 2 and "1" not in sizes and not claim.kinds(name)
        ]
        said = {
            name: kind
            for name, kind in hypotheses.said.items()
            if name in matrices and claim.outline.is_said_for(name, claim.statement)
        }
        if said and (right := self._with_kinds(claim, shapes, said)):
            return right
        for kind in sorted(hypotheses.mentioned):
            for names in [*([name] for name in matrices), matrices]:
                if self.is_late():
                    raise Undecided("it takes too long to compare the kinds of its matrices")
                kinds = {**said, **dict.fromkeys(names, kind)}
                if names and self._with_kinds(claim, shapes, kinds):
                    shown = plain_latex(names[0])
                    line = comment(claim, f"{shown} {kind} n x n")
                    raise Undecided(f"right if {shown} is {kind}; if it is, write {line}")
        return None

    def _with_kinds(self, claim: Readings, shapes: Shapes, kinds: dict[str, str]) -> Result | None:
        square_shapes = with_square(shapes, list(kinds))
        if square_shapes is None:
            return None
        result = glance(claim, square_shapes, kinds)
        return result if result is not None and result.holds else None

    def _other(
        self, claim: Readings, result: Result, readings: list[Shapes], guessed: list[str]
    ) -> str:
        """The line that asks for shapes: in another reading the claim holds, or may do so."""
        first = readings[0]
        equal_sizes = square(first)
        if result.verdict is Verdict.UNDEFINED and holds(claim, equal_sizes):
            return ask(claim, guessed[0], equal_sizes)
        for other in readings[1:]:
            if self.is_late():
                return "it takes too long to compare the ways to read it"
            if holds(claim, other) or (claim.targets and holds(claim, other, with_targets=True)):
                name = next(name for name in other if other[name] != first.get(name))
                return ask(claim, name, other)
        signs = signs_of([*claim.bodies, *claim.sides], claim.known)
        shown = {*signs.vectors, *signs.entries}
        plain = [name for name in guessed if name not in shown and not is_capital(name)]
        numbers = {name: () if name in plain else sizes for name, sizes in first.items()}
        if numbers != first and not self.is_late() and holds(claim, numbers):
            return ask(claim, plain[0], numbers)  # f = |w|, beside a vector w
        return ask(claim, guessed[0], first) if len(readings) == MOST_READINGS else ""

    def _result(self, claim: Readings, asked: Asked) -> Result:
        return self._judged(claim, asked)[0]

    def _judged(self, claim: Readings, asked: Asked) -> tuple[Result, frozenset[Layout]]:
        """The verdict in one reading, by one of the layouts; and by which of them it holds."""
        try:
            claim_set = claim.claim_set(asked.shapes, asked.with_targets)
            layouts = ",".join(sorted(each.name for each in asked.layouts))
            key = f"{claim_set.model_dump_json()}{layouts}{asked.repair}"
            if key not in self.known:
                conventions = Conventions(possible=asked.layouts)
                checker = Checker(claim_set, Models(False), self.seed, conventions)
                result = checker.check(claim_set.claims[0], asked.repair)
                self.known[key] = result, conventions.possible
            return self.known[key]
        except (WorkingsError, Undefined) as error:
            result = Result(Verdict.NOT_READ, Evidence(why=first_line(error)), formula=claim.text)
            return result, asked.layouts

    def _in_the_usual_layout(self, claim: Readings, asked: Asked, result: Result) -> Asked:
        """Where shapes of derivatives decide: judged by the layout that the document uses."""
        if result.verdict is not Verdict.UNDEFINED or not has_derivative(claim.sides[1:]):
            return asked
        usual = self.usual_layouts()
        return replace(asked, layouts=usual) if usual else asked
