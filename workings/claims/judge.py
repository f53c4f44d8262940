"""One side of an equality against the other, at several draws."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import torch
from torch import Tensor

from workings.claims.compare import EPSILON, Pair, compare
from workings.claims.evidence import Evidence
from workings.claims.system.branches import Branches
from workings.claims.system.draws import Drawn
from workings.claims.system.gradient import Layout
from workings.claims.system.live import FEWEST_DRAWS, LiveClaim
from workings.claims.verdict import Verdict
from workings.formula import nodes as f
from workings.formula.errors import Uncomputed, Undefined, Unfit
from workings.formula.evaluation.evaluate import key
from workings.formula.printing.latex import latex

NOTHING = "no draw says anything: all vanishes there, or is too large"
VANISHING = 1e-6


def judge(live: LiveClaim, side: f.Node, drawn: Sequence[Drawn]) -> tuple[Verdict, Evidence]:
    """The verdict on what is claimed to equal the left side."""
    pairs: list[Pair] = []
    judged: list[Drawn] = []
    for each in drawn:
        if len(pairs) >= FEWEST_DRAWS and live.hurries:
            break
        sizes = dict(each.point.draw.sizes)
        try:
            claimed = live.at_each(each.point, side)
        except Undefined as error:
            if each.is_plain and isinstance(error, Uncomputed):
                return Verdict.UNDECIDED, Evidence(why=str(error), sizes=sizes)
            if each.is_plain:
                unfit = isinstance(error, Unfit)
                return Verdict.UNDEFINED, Evidence(why=str(error), sizes=sizes, unfit=unfit)
            continue
        if isinstance(side, f.Number) and side.value == 0:
            claimed = torch.zeros_like(each.right)  # 0 is written for a zero of any shape
        if not each.is_plain and (_vanish(claimed, each.right) or _is_extreme(each)):
            continue
        if torch.isfinite(claimed).all():
            pairs.append(_pair(live, side, each, claimed))
            judged.append(each)
            _count_branches(live, each, pairs[-1])
        elif each.is_plain:
            return Verdict.UNDEFINED, Evidence(why="it is not a finite number at random values")
    if not pairs:
        return Verdict.UNDECIDED, Evidence(why=NOTHING)
    verdict, evidence = compare(pairs)
    left = live.sides[0]
    if (
        verdict is Verdict.WRONG_SHAPE
        and isinstance(left, f.Derivative)
        and live.is_jacobian(drawn[0].point)
    ):
        shown = f"{latex(left.of)} is not a number, so this is a Jacobian"
        why = f"{shown}: a row for each of its entries"
        evidence = replace(evidence, why=why, is_jacobian=True)
    if verdict in (Verdict.SCALED, Verdict.FLIPPED) and not _has_names(live):
        verdict = Verdict.WRONG_VALUE  # 1 = 2: any two numbers are in some proportion
    if verdict is Verdict.WRONG_VALUE:
        evidence = replace(evidence, wrong_where=_wrong_where(live, pairs, judged))
    return verdict, evidence


def _has_names(live: LiveClaim) -> bool:
    return any(isinstance(part, f.Reference | f.Size) for s in live.sides for part in s.walk())


def _count_branches(live: LiveClaim, drawn: Drawn, pair: Pair) -> None:
    branches = drawn.point.trace
    if not isinstance(branches, Branches) or pair.has_size_one:
        return
    live.all_branches.join(branches)
    if pair.claimed.any() or pair.right.any():
        live.branches.join(branches)


def _pair(live: LiveClaim, side: f.Node, drawn: Drawn, claimed: Tensor) -> Pair:
    point, right = drawn.point, drawn.right
    if live.layout is Layout.ROWS and _is_chained(side):
        is_column = right.ndim == 2 and right.shape[1] == 1 and not live.claim.layout
        if is_column and isinstance(live.sides[0], f.Derivative):
            right = right.reshape(1, -1)  # as the derivatives on the right are rows
        elif tuple(claimed.shape) == (1, right.numel()):
            right = right.reshape(1, -1)  # by a matrix, in one row

    @cache
    def rounding(thoroughly: bool) -> tuple[Tensor, Tensor]:
        known, left = drawn.roundings, live.sides[0]
        if id(left) not in known:
            known[id(left)] = live.rounding(point, left, drawn.right, as_left=True)
        if id(side) not in known:
            known[id(side)] = live.rounding(point, side, claimed)
        of_claimed, of_right = (known[id(each)].moved(thoroughly) for each in (side, left))
        return of_claimed, of_right.reshape(right.shape)

    has_size_one = any(point.draw.sizes.get(name) == 1 for name in live.sizes)
    # What autograd rounds on its way back is not watched. Plain draws have no such cases; at large
    # values a sigmoid is 1 and its slope is lost, so that what is below the last place is no sign.
    largest = max((float(leaf.abs().max()) for leaf in point.draw.leaves.values()), default=1.0)
    floor = 0.0 if drawn.is_plain else 16 * EPSILON * max(1.0, largest)
    if any(isinstance(node, f.Derivative | f.Hessian) for node in live.sides[0].walk()):
        floor = max(floor, 64 * EPSILON * float(right.abs().max()))  # of the other entries
    return Pair(claimed, right, dict(point.draw.sizes), rounding, has_size_one, floor)


def _is_extreme(drawn: Drawn) -> bool:
    return isinstance(drawn.point.trace, Branches) and drawn.point.trace.is_extreme


def _vanish(claimed: Tensor, right: Tensor) -> bool:
    """Whether both are next to nothing and differ: what saturates says nothing there."""
    largest = max(float(claimed.abs().max()), float(right.abs().max()))
    return largest < VANISHING and not torch.equal(claimed.reshape(-1), right.reshape(-1))


def _is_chained(side: f.Node) -> bool:
    return any(isinstance(node, f.Derivative) for node in side.walk())


def _wrong_where(live: LiveClaim, pairs: Sequence[Pair], drawn: Sequence[Drawn]) -> str:
    """Whether it fails just where a one-hot symbol is 1, or just where it is 0."""
    if len(live.free) != 1:
        return ""
    for name, symbol in live.system.symbols.items():
        if "onehot" not in symbol.kinds:
            continue
        at_ones, at_zeros = [], []
        for pair, each in zip(pairs, drawn, strict=True):
            if not each.is_plain:
                continue
            point = each.point
            step = point.system.steps if name in live.names.timed else None
            hot = point.scope.values[key(name, step)].reshape(-1) == 1
            wrong = ((pair.claimed - pair.right).abs() > 1e-9).reshape(-1)
            at_ones.append(torch.equal(wrong, hot))
            at_zeros.append(torch.equal(wrong, ~hot))
        for value, hits in ((1, at_ones), (0, at_zeros)):
            if all(hits):
                return f"{name}_{live.free[0]} = {value}"
    return ""
