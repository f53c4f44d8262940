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

from workings.claims.compare import Pair, compare
from workings.claims.evidence import Evidence
from workings.claims.modules.live_module import LiveModule, ModuleDraw, Stored
from workings.claims.modules.module_formula import ModuleFormula
from workings.claims.repair.module import repair_module_formula
from workings.claims.result import Outcome, Result
from workings.claims.sets import Claim, ClaimSet
from workings.claims.verdict import Verdict
from workings.errors import WorkingsError
from workings.formula.errors import Undefined

DRAWS = 3
ROUNDING = 1e-13  # of the largest gradient
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
        if twice := drawn[0].named_twice(names):
            raise WorkingsError(
                f"parameters: {twice[0]} and {twice[1]} are the same entries; name each part once"
            )
        verdict, evidence = compare([formula.pair(each, names) for each in drawn])
    except Undefined as error:
        repair = repair_module_formula(formula, names, drawn, seed)
        return Outcome(Verdict.UNDEFINED, Evidence(why=str(error), sizes=drawn[0].sizes), repair)
    matched = "; ".join(f"{name} is {stored}" for name, stored in names.items())
    if verdict is Verdict.HOLDS:
        wrong = _wrong_gradient(formula, drawn, names)
        return wrong or Outcome(verdict, replace(evidence, why=f"forward and gradient; {matched}"))
    repair = repair_module_formula(formula, names, drawn, seed)
    return Outcome(verdict, replace(evidence, why=matched), repair)


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
    for each in drawn:
        direction = torch.randn_like(each.output)
        ours = formula.gradients(each, names, direction)
        theirs = each.gradients(names, direction)
        largest = max((float(gradient.abs().max()) for gradient in theirs.values()), default=0.0)
        for name, gradient in theirs.items():
            # By a bias of the keys, say, it is 0 but for the rounding of larger ones.
            if float((gradient - ours[name]).abs().max()) > ROUNDING * largest:
                pairs.setdefault(name, []).append(Pair(gradient, ours[name], each.sizes))
    for name, compared in pairs.items():
        verdict, evidence = compare(compared)
        if verdict is not Verdict.HOLDS:
            why = f"the value is right, and the module's gradient by {name} is not the formula's"
            return Outcome(Verdict.WRONG_VALUE, replace(evidence, why=why))
    return None
