"""Checking a claim: the formula as written against the live equations."""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from workings.claims.compare import HOLDS, UNDEFINED, WRONG_SHAPE, WRONG_VALUE, Pair, compare, equal
from workings.claims.declare import Reader, free_indices
from workings.claims.equations import System
from workings.claims.gradient import Point
from workings.claims.inequality_claims import check_domain, check_inequality
from workings.claims.repair.edits import edits
from workings.claims.repair.pool import differences, pool_of
from workings.claims.repair.search import Repair, Search
from workings.claims.result import Result
from workings.claims.sets import Claim
from workings.errors import WorkingsError
from workings.formula import nodes as f
from workings.formula.evaluate import Budget, key, length_of
from workings.formula.functions import Undefined
from workings.formula.latex import latex
from workings.formula.names import Names

DRAWS = 3
FRESH = 3  # draws that no search has seen, for a repair
TRIES = 20
MOST_ENTRIES = 20_000  # of a claim with free indices
LONGEST_SECONDS = 10.0  # for one claim


@dataclass
class FormulaCheck:
    """One formula claim of a set."""

    reader: Reader
    system: System
    claim: Claim

    def __post_init__(self) -> None:
        self.written = self.reader.statement(self.claim.claim)
        names = self.system.names
        self.free = free_indices(self.written, names)
        self.names = Names(
            names.symbols, names.timed, names.sizes, names.functions, self.free, names.time
        )
        self.until = time.monotonic() + LONGEST_SECONDS
        if isinstance(self.written.sides[0], f.Unsaid):
            raise WorkingsError(f"{self.title}: a formula was expected on the left side")
        self.sides = [self._side(side) for side in self.written.sides]
        self.system = self.system.for_formulas(self.sides)

    def _side(self, side: f.Node) -> f.Node:
        return side if isinstance(side, f.Unsaid) else self.names.resolve(side, self.claim.claim)

    # Where formulas are computed

    def point(self, seed: int, more_steps: int = 0) -> Point:
        only = self.claim.at == "step t only"
        system = replace(self.system, steps=self.system.steps + more_steps)
        indices = {self.names.time: system.steps} if self.names.time else {}
        immediate = self.claim.partials == "immediate"
        denominator = self.claim.layout == "denominator"
        draw = system.draw(seed)
        return Point(system, draw, immediate, only, denominator, indices, self.until)

    def at_each(self, point: Point, node: f.Node, checked: bool = False) -> Tensor:
        """The value; with free indices, one at each of their values, as a row or a matrix."""
        return self._over(point, node, list(self.free), checked)

    def _over(self, point: Point, node: f.Node, free: list[str], checked: bool) -> Tensor:
        if not free:
            if checked and isinstance(node, f.Derivative):
                return self.layout(point.checked(node), point)
            return point.value(node)
        name, *rest = free
        lengths = [length_of(each, self.sides, point.scope) for each in free]
        if math.prod(lengths) > MOST_ENTRIES:
            raise WorkingsError(
                f"{self.title}: {math.prod(lengths):,} entries to compare one by one; give smaller "
                "[sizes]"
            )
        found = []
        for value in range(1, lengths[0] + 1):
            Budget(until=self.until).check()
            point.scope.indices[name] = value
            found.append(self._over(point, node, rest, checked).reshape(-1))
        del point.scope.indices[name]
        return torch.stack(found, 1)

    def layout(self, found: Tensor, point: Point) -> Tensor:
        turned = self.is_jacobian(point) and self.claim.layout == "denominator"
        return found.t() if turned else found

    def right(self, point: Point) -> Tensor:
        """What the left side really is."""
        left = self.sides[0]
        if isinstance(left, f.Derivative):
            return self.at_each(point, left, checked=True)
        return self.at_each(point, left)

    def points(self, first: int, count: int, more_steps: int = 0) -> list[tuple[Point, Tensor]]:
        """Draws at which the left side has a finite value."""
        found: list[tuple[Point, Tensor]] = []
        why = ""
        for seed in range(first, first + TRIES):
            try:
                point = self.point(seed, more_steps)
                right = self.right(point)
            except Undefined as error:
                why = str(error)
                continue
            if torch.isfinite(right).all():
                found.append((point, right))
            if len(found) == count:
                return found
        reason = why or "it is not finite at random values"
        raise WorkingsError(f"{self.title}: the left side has no value: {reason}")

    @property
    def title(self) -> str:
        return self.claim.name or self.claim.claim

    # The check

    def check(self) -> Result:
        start = time.monotonic()
        relations = set(self.written.relations)
        if self.claim.domain:
            found = self.domain()
        elif relations <= {"=", "≈"} and relations:
            found = self.equality()
        elif relations <= {"<", ">", "≤", "≥"} and relations:
            found = self.inequality()
        elif relations == {"∈"}:
            found = self.shape()
        else:
            signs = " ".join(self.written.relations) or "no relation"
            raise WorkingsError(f"{self.title}: a claim is an =, ≤, ≥ or \\in; found {signs}")
        return Result(**found, seconds=time.monotonic() - start)

    def equality(self) -> dict[str, Any]:
        drawn = self.points(1, DRAWS)
        judged = [self.judge(side, drawn) for side in self.sides[1:]]
        verdict, evidence = judged[-1]
        steps = []
        departs = next((n for n, (each, _) in enumerate(judged) if each != HOLDS), None)
        if len(judged) > 1:
            steps = [
                {"step": latex(side), "verdict": each}
                for side, (each, _) in zip(self.sides[1:], judged, strict=True)
            ]
            if departs is not None:
                verdict, evidence = judged[departs]
                evidence = evidence | {
                    "departs_at_step": departs + 1,
                    "last_step": judged[-1][0],
                }
        repair = None
        if departs is not None:
            repair = self.repair(self.sides[1 + departs], drawn)
        return self.result(verdict, evidence, repair, steps)

    def judge(
        self, side: f.Node, drawn: Sequence[tuple[Point, Tensor]]
    ) -> tuple[str, dict[str, Any]]:
        pairs = []
        for point, right in drawn:
            sizes = dict(point.draw.sizes)
            try:
                claimed = self.at_each(point, side)
            except Undefined as error:
                return UNDEFINED, {"why": str(error), "sizes": sizes}
            pairs.append(Pair(claimed, self.alike(side, claimed, right), sizes))
        if any(not torch.isfinite(pair.claimed).all() for pair in pairs):
            return UNDEFINED, {"why": "it is not a finite number at random values"}
        verdict, evidence = compare(pairs)
        left = self.sides[0]
        if verdict == WRONG_SHAPE and self.is_jacobian(drawn[0][0]):
            assert isinstance(left, f.Derivative)
            shown = f"{latex(left.of)} is not a number, so this is a Jacobian"
            evidence |= {"why": f"{shown}: a row for each of its entries"}
        if verdict == WRONG_VALUE:
            evidence |= self.where_wrong(pairs, drawn)
        return verdict, evidence

    def is_jacobian(self, point: Point) -> bool:
        left = self.sides[0]
        return isinstance(left, f.Derivative) and point.value(left.of).numel() > 1

    def alike(self, side: f.Node, claimed: Tensor, right: Tensor) -> Tensor:
        """A chain of Jacobians gives the gradient by a matrix as one row."""
        chained = any(isinstance(node, f.Derivative) for node in side.walk())
        if chained and claimed.shape != right.shape and tuple(claimed.shape) == (1, right.numel()):
            return right.reshape(1, -1)
        return right

    def where_wrong(
        self, pairs: Sequence[Pair], drawn: Sequence[tuple[Point, Tensor]]
    ) -> dict[str, str]:
        """Whether it fails just where a one-hot symbol is 1, or just where it is 0."""
        if len(self.free) != 1:
            return {}
        index = self.free[0]
        for name, symbol in self.system.symbols.items():
            if "onehot" not in symbol.kinds:
                continue
            hits = []
            for pair, (point, _) in zip(pairs, drawn, strict=True):
                at = key(name, point.system.steps if name in self.names.timed else None)
                hot = point.scope.values[at].reshape(-1) == 1
                wrong = ((pair.claimed - pair.right).abs() > 1e-9).reshape(-1)
                hits.append((torch.equal(wrong, hot), torch.equal(wrong, ~hot)))
            for place, value in ((0, 1), (1, 0)):
                if all(hit[place] for hit in hits):
                    return {"wrong_where": f"{name}_{index} = {value}"}
        return {}

    def repair(self, wrong: f.Node, drawn: Sequence[tuple[Point, Tensor]]) -> Repair | None:
        """A right formula, verified at draws that the search has not seen."""
        if self.free:
            return self.repair_entries(wrong, drawn)
        points = [point for point, _ in drawn]
        right = [self._for_repair(wrong, point, value) for point, value in drawn]
        extra = [self.sides[0]] if isinstance(self.sides[0], f.Derivative) else []
        left = latex(self.sides[0])  # that a thing equals itself is no repair
        pool = [node for node in pool_of(self.system) if latex(node) != left]
        pool += differences(pool, lambda node: _shape(points[0], node))
        search = Search(wrong, points, right, [*pool, *self.chain_pool(wrong, extra)])
        found = search.run()
        good = found is not None and found.latex != left and self.verified(found.formula)
        return found if good else None

    def _for_repair(self, wrong: f.Node, point: Point, value: Tensor) -> Tensor:
        if not any(isinstance(node, f.Derivative) for node in wrong.walk()):
            return value
        big = isinstance(self.sides[0], f.Derivative) and value.ndim == 2 and 1 not in value.shape
        try:
            claimed = point.value(wrong)
        except Undefined:
            return value
        return (
            value.reshape(1, -1) if big and claimed.ndim == 2 and claimed.shape[0] == 1 else value
        )

    def chain_pool(self, wrong: f.Node, left: Sequence[f.Node]) -> list[f.Node]:
        """For a chain of derivatives: the link from what it ends with to what is asked."""
        links = [node for node in wrong.walk() if isinstance(node, f.Derivative)]
        return [
            f.Derivative(link.wrt, end.wrt)
            for end in left
            for link in links
            if isinstance(end, f.Derivative) and isinstance(link.wrt, f.Reference)
        ]

    def repair_entries(self, wrong: f.Node, drawn: Sequence[tuple[Point, Tensor]]) -> Repair | None:
        """A formula with free indices, edited once, right at every value of them."""
        tried = 0
        until = time.thread_time() + 1.5
        for node, what in edits(wrong):
            tried += 1
            if time.thread_time() > until:
                return None
            try:
                if all(_equal_at(self, node, each) for each in drawn) and self.verified(node):
                    return Repair(node, what, tried)
            except (Undefined, WorkingsError, RuntimeError):
                continue
        return None

    def verified(self, node: f.Node) -> bool:
        fresh = self.points(1000, FRESH)
        if self.names.time:  # what is right for so many steps only is no repair
            fresh += self.points(2000, 1, more_steps=1)
        return self.judge(node, fresh)[0] == HOLDS

    def inequality(self) -> dict[str, Any]:
        verdict, evidence, repair = check_inequality(self)
        return self.result(verdict, evidence, repair, [])

    def domain(self) -> dict[str, Any]:
        verdict, evidence, right = check_domain(self)
        found = self.result(verdict, evidence, None, [])
        return found | {"repair": right and {"formula": right, "changes": "for which numbers"}}

    def shape(self) -> dict[str, Any]:
        left, space = self.sides[0], self.sides[1]
        if not isinstance(space, f.Space) or len(space.sides) > 2:
            raise WorkingsError(
                f"{self.title}: \\mathbb{{R}}^{{ROWS \\times COLUMNS}} was expected"
            )
        wrong = None
        for seed in range(1, 1 + DRAWS):
            point = self.point(seed)
            try:
                value = (
                    point.gradient(left) if isinstance(left, f.Derivative) else point.value(left)
                )
            except Undefined as error:
                return self.result(UNDEFINED, {"why": str(error)}, None, [])
            claimed = [point.scope.whole(side) for side in space.sides]
            real = list(value.shape) if len(claimed) == 2 else [value.numel()]
            if not claimed and value.numel() == 1:
                real = []
            if len(claimed) == 1 and value.ndim == 2 and 1 not in value.shape:
                real = list(value.shape)
            if claimed != real:
                wrong = {
                    "claimed_shape": "×".join(map(str, claimed)) or "a number",
                    "right_shape": "×".join(map(str, real)) or "a number",
                    "sizes": dict(point.draw.sizes),
                }
        return self.result(WRONG_SHAPE if wrong else HOLDS, wrong or {"draws": DRAWS}, None, [])

    def result(
        self, verdict: str, evidence: dict[str, Any], repair: Repair | None,
        steps: list[dict[str, str]],
    ) -> dict[str, Any]:  # fmt: skip
        left = latex(self.sides[0])
        relation = {"≤": r"\le", "≥": r"\ge"}.get(
            self.written.relations[0], self.written.relations[0]
        )
        shown = repair and {
            "formula": f"{left} {relation} {repair.latex}",
            "changes": repair.changes,
            "candidates": repair.candidates,
            "verified_at_fresh_draws": FRESH,
        }
        return {
            "name": self.title,
            "source": self.claim.source,
            "statement": self.claim.statement or self.claim.claim,
            "verdict": verdict,
            "evidence": evidence,
            "repair": shown,
            "steps": steps,
        }


def _equal_at(check: FormulaCheck, node: f.Node, drawn: tuple[Point, Tensor]) -> bool:
    point, right = drawn
    return equal(check.at_each(point, node), right)


def _shape(point: Point, node: f.Node) -> tuple[int, ...] | None:
    try:
        found = tuple(point.value(node).shape)
    except (Undefined, WorkingsError):
        return None
    return found or None
