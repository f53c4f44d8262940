r"""`computes` claims: whether a live module computes a formula, forward and backward.

The module is built at random sizes, in float64 and evaluation mode, with every parameter drawn at
random. The formula is computed from the same inputs and parameters; its value, and its gradient by
every input and parameter, must be the module's.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import permutations

import torch
from torch import Tensor

from workings.claims.compare import Pair, compare, equal
from workings.claims.evidence import Evidence
from workings.claims.live_module import LiveModule, ModuleDraw, Stored
from workings.claims.module_formula import ModuleFormula
from workings.claims.repair.pool import pool_of
from workings.claims.repair.search import Search
from workings.claims.result import Outcome, Repair, Result
from workings.claims.sets import Claim, ClaimSet
from workings.claims.verdict import Verdict
from workings.formula import nodes as f
from workings.formula.functions import Undefined
from workings.formula.latex import latex

DRAWS = 3
FRESH = 3  # draws that no search has seen, for a repair
MOST_MATCHES = 5000  # ways to match a formula's names with parameters

Names = Mapping[str, Stored]


def check_computes(claim: Claim, given: ClaimSet, live: LiveModule, seed: int = 0) -> Result:
    """The verdict on one `computes` claim of a set."""
    start = time.monotonic()
    outcome = _check(ModuleFormula(claim, given, live), live, seed)
    return Result(
        **vars(outcome),
        name=claim.name or claim.computes,
        source=claim.source,
        statement=claim.statement or claim.computes,
        formula=claim.computes,
        seconds=time.monotonic() - start,
    )


def _check(formula: ModuleFormula, live: LiveModule, seed: int) -> Outcome:
    drawn = [live.draw(seed + number) for number in range(DRAWS)]
    names = next(_matches(formula, drawn), None)
    if names is None:
        missing = ", ".join(formula.unknown)
        return Outcome(
            Verdict.NOT_READ,
            Evidence(why=f"{missing}: no parameters fit; say what each is with parameters = "
                     '{ "layer.weight" = "W^T" }'),
        )  # fmt: skip
    try:
        verdict, evidence = compare([_pair(formula, each, names) for each in drawn])
    except Undefined as error:
        return Outcome(Verdict.UNDEFINED, Evidence(why=str(error), sizes=drawn[0].sizes))
    matched = "; ".join(f"{name} is {stored}" for name, stored in names.items())
    if verdict is Verdict.HOLDS:
        wrong = _wrong_gradient(formula, drawn, names)
        return wrong or Outcome(verdict, replace(evidence, why=f"forward and gradient; {matched}"))
    left_out = _left_out(formula, live, seed, names)
    why = "; ".join(part for part in (left_out, matched) if part)
    return Outcome(verdict, replace(evidence, why=why), _repair(formula, live, drawn, names, seed))


def _pair(formula: ModuleFormula, drawn: ModuleDraw, names: Names) -> Pair:
    claimed = formula.value(drawn, names)
    output = drawn.output.detach()
    same = output.numel() == claimed.numel() and output.squeeze().shape == claimed.squeeze().shape
    return Pair(claimed, output.reshape(claimed.shape) if same else output, drawn.sizes)


def _matches(formula: ModuleFormula, drawn: Sequence[ModuleDraw]) -> Iterator[Names]:
    """Which parameter each of the formula's undeclared names is: such that it is right."""
    if not formula.unknown:
        yield formula.names
        return
    taken = {stored.path for stored in formula.names.values()}
    free = [path for path in formula.live.parameters if path not in taken]
    candidates = [Stored(path, transposed=way) for path in free for way in (False, True)]
    for tried, chosen in enumerate(permutations(candidates, len(formula.unknown))):
        if tried > MOST_MATCHES:
            return
        if len({stored.path for stored in chosen}) < len(chosen):
            continue
        names = {**formula.names, **dict(zip(formula.unknown, chosen, strict=True))}
        if all(_equal(formula, each, names) for each in drawn):
            yield names


def _equal(formula: ModuleFormula, drawn: ModuleDraw, names: Names) -> bool:
    try:
        pair = _pair(formula, drawn, names)
    except Undefined:
        return False
    return equal(pair.claimed, pair.right)


def _wrong_gradient(
    formula: ModuleFormula, drawn: Sequence[ModuleDraw], names: Names
) -> Outcome | None:
    """By which input or parameter the module's gradient is not the formula's."""
    pairs: dict[str, list[Pair]] = {}
    for each in drawn:
        direction = torch.randn_like(each.output)
        ours = formula.gradients(each, names, direction)
        theirs = each.gradients(names, direction)
        for name, gradient in theirs.items():
            pairs.setdefault(name, []).append(Pair(gradient, ours[name], each.sizes))
    for name, compared in pairs.items():
        verdict, evidence = compare(compared)
        if verdict is not Verdict.HOLDS:
            why = f"the value is right, and the module's gradient by {name} is not the formula's"
            return Outcome(Verdict.WRONG_VALUE, replace(evidence, why=why))
    return None


def _left_out(formula: ModuleFormula, live: LiveModule, seed: int, names: Names) -> str:
    """The parameters that the formula leaves out, where that is all that is wrong."""
    named = {stored.path for stored in names.values()}
    unnamed = [path for path in live.parameters if path not in named]
    if not unnamed:
        return ""
    zeroed = [live.draw(seed + number, zero=unnamed) for number in range(DRAWS)]
    right = all(_equal(formula, each, names) for each in zeroed)
    return f"right where {', '.join(unnamed)} is zero, which the formula leaves out" * right


def _repair(
    formula: ModuleFormula,
    live: LiveModule,
    drawn: Sequence[ModuleDraw],
    names: Names,
    seed: int,
) -> Repair | None:
    """The nearest formula that the module does compute, read again from its LaTeX."""
    known = {**names, **formula.spare(names)}
    points = [formula.point(each, known) for each in drawn]
    right: list[Tensor] = []
    for point, each in zip(points, drawn, strict=True):
        output = each.output.detach()
        last = output[-1] if formula.steps else output
        try:
            claimed = point.value(formula.tree)
            alike = claimed.numel() == last.numel()
        except Undefined:
            alike = False
        right.append(last.reshape(claimed.shape) if alike else last)
    pool: list[f.Node] = [*pool_of(formula.system), *(formula.reference(name) for name in known)]
    proposal = Search(formula.tree, points, right, pool).run()
    if proposal is None:
        return None
    written = latex(proposal.formula)
    reread = formula.reading(written)
    fresh = [live.draw(seed + 1000 + number) for number in range(FRESH)]
    if reread is None or not all(_equal(reread, each, known) for each in fresh):
        return None
    used = [name for name in known if name not in names and formula.uses(proposal.formula, name)]
    where = "".join(f"; {name} is {known[name]}" for name in used)
    return Repair(written, proposal.changes + where, proposal.candidates, len(fresh))
