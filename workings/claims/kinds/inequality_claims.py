"""Inequalities: held at every draw, which is no proof, or refuted by a counterexample."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

import torch
from torch import Tensor

from workings.claims.evidence import Evidence
from workings.claims.repair.edits import structural_edits
from workings.claims.result import Outcome, Repair
from workings.claims.system.adversary import worst_points
from workings.claims.system.branches import Branches
from workings.claims.system.equations import EVEN, FROM_ONE, LARGE, Draw, Style
from workings.claims.system.gradient import Layout, Point
from workings.claims.system.live import LiveClaim
from workings.claims.system.symbols import Symbol
from workings.claims.verdict import Verdict
from workings.errors import WorkingsError
from workings.formula import nodes as f
from workings.formula.errors import Singular, Uncomputed, Undefined
from workings.formula.evaluation.budget import Budget
from workings.formula.evaluation.matrices import shape
from workings.formula.printing.latex import latex, without_fonts

DRAWS = 120
FRESH_SEED = 1000
STARTS = 40  # of the search for a counterexample to a repair
MOST_ENTRIES = 1_000_000  # of all draws together
STYLES = (
    Style(), Style(EVEN, scale=0.2), Style(scale=4.0), Style(LARGE), Style(decades=3),
    Style(FROM_ONE), Style(EVEN, flip=True), Style(scale=0.01),
)  # fmt: skip
LEAST_NUMBER = 0.1  # that a bound may have and be judged by draws that keep away from it
FAR = -0.4  # the relative gap of sides of which one is 2.3 times the other
IN_LATEX = {"≤": r"\le", "≥": r"\ge"}


def check_inequality(live: LiveClaim) -> Outcome:
    """The verdict on a ≤ b, or on each relation of a chain of them."""
    if any(isinstance(part, f.Derivative) for side in live.sides for part in side.walk()):
        live = live.in_layout(Layout.GRADIENTS)
    points = list(_points(live, 1))
    pairs = zip(live.sides[:-1], live.written.relations, live.sides[1:], strict=True)
    for left, relation, right in pairs:
        try:
            counterexample = _counterexample(live, left, relation, right, points)
            worst: list[Point] = []
            if counterexample is None:
                gap = partial(_relative_gap, live, left, relation, right)
                worst = list(worst_points(live.unwatched(), gap))
                counterexample = _counterexample(live, left, relation, right, worst)
        except Uncomputed as error:
            return Outcome(Verdict.UNDECIDED, Evidence(why=str(error)))
        except Undefined as error:
            return Outcome(Verdict.UNDEFINED, Evidence(why=str(error)))
        if counterexample is not None:
            evidence = replace(counterexample, draws=len(points))
            if len(live.sides) != 2:
                return Outcome(Verdict.WRONG_VALUE, evidence)
            repair = partial(_repair, live.unwatched(), points)
            return Outcome(Verdict.WRONG_VALUE, evidence, find_repair=repair)
        if _rests_on_a_number(left, right) and not _come_near(gap, (*points, *worst)):
            why = "its sides never came near each other, so that no draw says much of its number"
            return Outcome(Verdict.UNDECIDED, Evidence(why=why))
    if name := _fails_where_zero(live, points[:1]):
        why = f"it fails where {name} is 0, which may be left out on purpose; write ≥ or ≤"
        return Outcome(Verdict.UNDECIDED, Evidence(why=why))
    proof = "no counterexample was found"
    for point in points:
        if isinstance(point.trace, Branches):
            live.branches.join(point.trace)
    never_taken = live.branches.never
    return Outcome(Verdict.HOLDS, Evidence(draws=len(points), proof=proof, never_taken=never_taken))


def _rests_on_a_number(*sides: f.Node) -> bool:
    """Whether a bound has a number that the draws may never come up to: KL(p, q) ≤ 20."""
    inner = {id(part) for side in sides for each in side.walk() for part in _exponents(each)}
    numbers = (part for side in sides for part in side.walk() if isinstance(part, f.Number))
    return any(_is_far(abs(float(each.value))) for each in numbers if id(each) not in inner)


def _exponents(node: f.Node) -> Iterator[f.Node]:
    if isinstance(node, f.Power):
        yield from node.exponent.walk()


def _is_far(number: float) -> bool:
    return number > 1 or 0 < number < LEAST_NUMBER


def _come_near(gap: Callable[[Point], float], points: Iterable[Point]) -> bool:
    """Whether at some point one side of a bound is of the size of the other."""
    for point in points:
        try:
            if gap(point) > FAR:
                return True
        except (Undefined, WorkingsError):
            continue  # no value there
    return False


def _fails_where_zero(live: LiveClaim, points: Sequence[Point]) -> str:
    """The symbol of no kind at whose 0 a strict inequality fails, that has no counterexample else.

    x^T S x > 0 is said of every x but 0, and often without these words.
    """
    pairs = zip(live.sides[:-1], live.written.relations, live.sides[1:], strict=True)
    strict = [(a, relation, b) for a, relation, b in pairs if relation in "<>"]
    for point in points if strict else ():
        for name, value in point.draw.leaves.items():
            symbol = live.system.symbols.get(name.partition("@")[0])
            if symbol is None or symbol.kinds:
                continue
            leaves = {**point.draw.leaves, name: torch.zeros_like(value)}
            zero = _at(point, replace(point.draw, leaves=leaves))
            try:
                if any(_counterexample(live, *each, [zero]) is not None for each in strict):
                    return name.partition("@")[0]
            except (Undefined, WorkingsError):
                continue  # it has no value there
    return ""


def _points(live: LiveClaim, first: int) -> Iterator[Point]:
    """Draws of all sizes and scales, and every fourth with values that are alike."""
    entries = sum(value.numel() for value in live.point(1).draw.leaves.values())
    count = max(3, min(DRAWS, MOST_ENTRIES // max(1, entries)))
    for number in range(first, first + count):
        Budget(until=live.until).check()
        style = STYLES[number % len(STYLES)] if number > first else STYLES[0]
        try:
            point = live.point(number, style)
        except (Undefined, WorkingsError):
            if style.is_plain:
                raise
            continue  # a side of n - 1, or what is too large, where n is out of the ordinary
        yield point if number % 4 else _alike(live, point, number)


def _alike(live: LiveClaim, point: Point, number: int) -> Point:
    """Where bounds are met: entries that are all the same, one that is not 0, symbols in line."""
    firsts: dict[tuple[int, ...], Tensor] = {}

    def moved(name: str, value: Tensor) -> Tensor:
        symbol = live.system.symbols.get(name.partition("@")[0])
        if symbol is None or symbol.kinds:
            return value
        if number % 3 == 0 and value.numel() > 1:
            return torch.full_like(value, float(value.reshape(-1)[0]))
        if number % 3 == 1 and value.numel() > 1:
            single = torch.zeros_like(value)
            single.view(-1)[0] = value.reshape(-1)[0]
            return single
        return firsts.setdefault(tuple(value.shape), value)

    leaves = {name: moved(name, value) for name, value in point.draw.leaves.items()}
    return _at(point, replace(point.draw, leaves=leaves))


def _at(point: Point, draw: Draw) -> Point:
    return replace(point, draw=draw, seen={})


def _counterexample(
    live: LiveClaim, left: f.Node, relation: str, right: f.Node, points: Iterable[Point]
) -> Evidence | None:
    singular, has_value = "", False
    for point in points:
        try:
            a, b = live.at_each(point, left), live.at_each(point, right)
        except Singular as error:  # as where all entries of a matrix are alike
            singular = str(error)
            continue
        except Undefined:
            if point.draw.style.is_plain:
                raise
            continue
        if a.shape != b.shape and 1 not in (a.numel(), b.numel()):
            raise Undefined(f"{shape(a)} {relation} {shape(b)}")
        number = left if a.numel() == 1 else right
        if max(a.numel(), b.numel()) > 1 == min(a.numel(), b.numel()) and _is_computed(number):
            raise Uncomputed(f"{shape(a)} {relation} {shape(b)}: an order of unlike things")
        wide, wide_b = torch.broadcast_tensors(a, b)
        gap = (wide - wide_b) if relation in "≤<" else (wide_b - wide)
        worst = int(torch.nan_to_num(gap, nan=-torch.inf).argmax())
        excess = float(gap.reshape(-1)[worst])
        has_value = True
        if not excess >= (0 if relation in "<>" else 1e-300):
            continue
        allowed = _rounding(live, point, left, a) + _rounding(live, point, right, b)
        larger = excess > float(torch.broadcast_to(allowed, gap.shape).reshape(-1)[worst])
        if larger or (relation in "<>" and _stay_equal(live, left, right, point)):
            values = {
                "left": float(wide.reshape(-1)[worst]),
                "right": float(wide_b.reshape(-1)[worst]),
            }
            return Evidence(counterexample=values, sizes=dict(point.draw.sizes))
    if singular and not has_value:
        raise Uncomputed(singular)
    return None


def _is_computed(node: f.Node) -> bool:
    """Whether a formula is more than a number or a name: tr(A), and not 0, c or 2c."""
    plain = (f.Number, f.Negative, f.Product, f.Quotient, f.Reference, f.Size, f.Constant, f.Index)
    return not all(isinstance(part, (*plain, f.Variable)) for part in node.walk())


def _relative_gap(
    live: LiveClaim, left: f.Node, relation: str, right: f.Node, point: Point
) -> float:
    """By how much the left side is above what it may be, at its worst entry."""
    a, b = live.at_each(point, left), live.at_each(point, right)
    gap = ((a - b) if relation in "≤<" else (b - a)) / (a.abs() + b.abs() + 1e-12)
    return float(torch.nan_to_num(gap, nan=-torch.inf).max())


def _rounding(live: LiveClaim, point: Point, node: f.Node, value: Tensor) -> Tensor:
    return live.rounding(point, node, value).moved()


def _stay_equal(live: LiveClaim, left: f.Node, right: f.Node, point: Point) -> bool:
    """Whether two sides are equal at other scales too, unlike 1 and tanh(50), or u and tanh(u)."""
    for largest in (1.0, 0.3, 0.1):
        symbols = live.system.symbols
        leaves = {
            name: value * (largest / max(float(value.abs().max()), 1e-300))
            if _scales(symbols, name)
            else value
            for name, value in point.draw.leaves.items()
        }
        smaller = _at(point, replace(point.draw, leaves=leaves))
        a, b = live.at_each(smaller, left), live.at_each(smaller, right)
        allowed = _rounding(live, smaller, left, a) + _rounding(live, smaller, right, b)
        if not ((a - b).abs() <= allowed).any():
            return False
    return True


def _scales(symbols: Mapping[str, Symbol], name: str) -> bool:
    symbol = symbols.get(name.partition("@")[0])
    return symbol is not None and symbol.is_scalable


def _repair(live: LiveClaim, points: Sequence[Point]) -> Repair | None:
    """A right side one edit away for which no counterexample is found, at fresh draws either.

    Another constant is no repair: there is always a larger one.
    """
    (left, right), (relation,) = live.sides, live.written.relations
    points = [replace(point, trace=None, seen={}) for point in points]
    fresh: list[Point] = []
    for tried, (node, changes) in enumerate(structural_edits(right), start=1):
        try:
            if without_fonts(latex(node)) == without_fonts(latex(left)):
                continue  # that a thing is at most itself is no repair
            if _counterexample(live, left, relation, node, points) is not None:
                continue
            formula = f"{latex(left)} {IN_LATEX.get(relation, relation)} {latex(node)}"
            again = live.read_again(formula)
            fresh = fresh or list(_points(live, FRESH_SEED))
            ends = again.sides[0], relation, again.sides[1]
            worst = worst_points(again.unwatched(), partial(_relative_gap, again, *ends), STARTS)
            if all(_counterexample(again, *ends, each) is None for each in (fresh, worst)):
                return Repair(formula, changes, tried, verified_draws=len(fresh))
        except (Undefined, WorkingsError, RuntimeError):
            continue  # a candidate without a value is no candidate
    return None
