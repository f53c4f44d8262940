r"""`computes` claims: whether a live module computes a formula, forward and backward.

The module is built at random sizes, in float64 and evaluation mode, with every parameter drawn at
random. The formula is computed from the same inputs and parameters; its value, and its gradient by
every input and parameter, must be the module's. Its value must be so for much larger and smaller
numbers too, at which a module may clip what a formula does not.
"""

import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import permutations

import torch

from workings.claims.compare import Pair, compare
from workings.claims.evidence import Evidence
from workings.claims.modules.live_module import LiveModule
from workings.claims.modules.module_draw import ModuleDraw, Stored
from workings.claims.modules.module_formula import ModuleFormula
from workings.claims.repair.module import repair_module_formula
from workings.claims.result import Outcome, Result
from workings.claims.sets import Claim, ClaimSet
from workings.claims.verdict import Verdict
from workings.errors import WorkingsError
from workings.formula import nodes as f
from workings.formula.errors import Undefined

DRAWS = 4
ROUNDING = 1e-13  # of the largest gradient
SINGLE = 1e-7  # of it: so far off is a kernel of PyTorch's with constants of single precision
LOW = 64  # times the rounding of a lower precision, which it may make of a difference
SLOPE = Fraction(1, 100)  # of a LeakyReLU that says none, if not 0.2
MOST_MATCHES = 5000  # ways to match a formula's names with parameters

Names = Mapping[str, Stored]


def check_computes(claim: Claim, given: ClaimSet, live: LiveModule, seed: int = 0) -> Result:
    """The verdict on one `computes` claim of a set."""
    start = time.monotonic()
    formula = ModuleFormula(claim, given, live)
    outcome = _check(formula, live, seed)
    other = None if outcome.verdict is Verdict.HOLDS else _with_slope(formula, SLOPE)
    if other is not None:
        read = _check(other, live, seed)
        if read.verdict is Verdict.HOLDS and read.evidence is not None:
            why = f"{read.evidence.why}; LeakyReLU with the slope {float(SLOPE)}"
            outcome = replace(read, evidence=replace(read.evidence, why=why))
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
    if not all(each.is_repeated() for each in drawn):
        why = "the module gives another value each time: it draws at random, or keeps a state"
        return Outcome(Verdict.UNDECIDED, Evidence(why=why))
    names = next(_matches(formula, drawn), None)
    if names is None:
        return Outcome(Verdict.NOT_READ, Evidence(why=_unmatched(formula)))
    try:
        if twice := drawn[0].named_twice(names):
            raise WorkingsError(
                f"parameters: {twice[0]} and {twice[1]} are the same entries; name each part once"
            )
        pairs = [formula.pair(each, names) for each in drawn]
    except Undefined as error:
        repair = repair_module_formula(formula, names, drawn, seed)
        return Outcome(Verdict.UNDEFINED, Evidence(why=str(error), sizes=drawn[0].sizes), repair)
    verdict, evidence = compare([*pairs, *formula.scaled(names, seed)])
    matched = "; ".join(f"{name} is {stored}" for name, stored in names.items())
    if verdict is Verdict.HOLDS:
        told = "; ".join(["forward and gradient", *([matched] if matched else [])])
        told += _not_in_it(live, names)
        wrong = _wrong_gradient(formula, drawn, names)
        return wrong or Outcome(verdict, replace(evidence, why=told))
    lowest = max((each.lowest for each in drawn), key=lambda kind: torch.finfo(kind).eps)
    by = evidence.largest_relative_error
    if lowest != torch.float64 and by is not None and by <= LOW * torch.finfo(lowest).eps:
        kind = str(lowest).removeprefix("torch.")
        why = f"the module computes in {kind} on the way: the difference may be its rounding"
        return Outcome(Verdict.UNDECIDED, replace(evidence, why=why))
    repair = repair_module_formula(formula, names, drawn, seed)
    return Outcome(verdict, replace(evidence, why=matched), repair)


def _with_slope(formula: ModuleFormula, slope: Fraction) -> ModuleFormula | None:
    """The same with this slope for every LeakyReLU that says none, if there are any."""
    found = []

    def given(node: f.Node) -> f.Node:
        inner = node.rebuilt(given)
        if not isinstance(inner, f.Call) or inner.function.lower() != "leakyrelu":
            return inner
        if len(inner.arguments) > 1:
            return inner
        found.append(inner)
        return f.Call(inner.function, (*inner.arguments, f.Number(slope)))

    changed = formula.rewritten(given)
    return changed if found else None


def _unmatched(formula: ModuleFormula) -> str:
    """Why nothing is said: what looks like a function is none, or names are no parameters."""
    for name in formula.unknown:
        if re.search(rf"\\\w+\{{{re.escape(name)}\}}\s*(\\left)?\(", formula.text):
            return f"{name}: there is no such function, nor do parameters fit"
    named = '{ "layer.weight" = "W^T" }'
    return (
        f"{', '.join(formula.unknown)}: no parameters fit; say what each is with "
        f"parameters = {named}"
    )


def _not_in_it(live: LiveModule, names: Names) -> str:
    """The module's parameters that the formula does without, and so does the module."""
    named = {stored.path for stored in names.values()}
    others = [path for path in live.parameters if path not in named]
    return f"; not in it, nor used by the module: {', '.join(others)}" if others else ""


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
        if all(formula.is_right(each, names) for each in drawn):
            yield names


def _wrong_gradient(
    formula: ModuleFormula, drawn: Sequence[ModuleDraw], names: Names
) -> Outcome | None:
    """By which input or parameter the module's gradient is not the formula's."""
    pairs: dict[str, list[Pair]] = {}
    furthest = 0.0
    for each in drawn:
        direction = torch.randn_like(each.output)
        ours = formula.gradients(each, names, direction)
        theirs = each.gradients(names, direction)
        largest = max((float(gradient.abs().max()) for gradient in theirs.values()), default=0.0)
        largest = max([largest, *(float(ours[name].abs().max()) for name in theirs)])
        for name, gradient in theirs.items():
            # By a bias of the keys, say, it is 0 but for the rounding of larger ones.
            off = float((gradient - ours[name]).abs().max())
            if off > ROUNDING * largest:
                pairs.setdefault(name, []).append(Pair(gradient, ours[name], each.sizes))
                furthest = max(furthest, off / largest)
    for name, compared in pairs.items():
        verdict, evidence = compare(compared)
        if verdict is Verdict.HOLDS:
            continue
        if furthest < SINGLE:
            why = f"the value is right, and the gradient by {name} but for single precision"
            return Outcome(Verdict.UNDECIDED, replace(evidence, why=why))
        why = f"the value is right, and the module's gradient by {name} is not the formula's"
        return Outcome(Verdict.WRONG_VALUE, replace(evidence, why=why))
    return None
