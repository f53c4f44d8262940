"""Claims about numbers: parameters, dimensions, shapes of parameters, orders of growth."""

import re
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import torch
from torch import nn

from workings.claims.compare import HOLDS, WRONG_SHAPE, WRONG_VALUE
from workings.claims.result import Result
from workings.claims.sets import Claim
from workings.cost.arguments import Value, parse_args, parse_input
from workings.cost.cost import OPERATIONS, of_spec
from workings.cost.count import Count, check_count, check_dimension
from workings.cost.growth import SMALL, TIGHT
from workings.cost.module import Spec, spec
from workings.errors import WorkingsError, nearest
from workings.formula.evaluate import Scope
from workings.formula.names import Names
from workings.formula.nodes import Call, Identity, Index, Node, Space
from workings.formula.parse import parse, parse_expression
from workings.formula.polynomial import Polynomial, Sizes
from workings.nn.attention.taylor.series import features

COUNTED = {
    "multiply-adds": "forward",
    "operations": OPERATIONS,
    "parameters": "params",
    "activations": "memory",
}


def feature_map(sizes: Sizes) -> int:
    """M: how many features the compact map of order K has."""
    return features(torch.zeros(1, sizes["D"]), sizes["K"]).shape[-1]


def monomials(sizes: Sizes) -> int:
    """How many of them are of degree n."""
    below = feature_map({"D": sizes["D"], "K": sizes["n"] - 1}) if sizes["n"] > 1 else 1
    return feature_map({"D": sizes["D"], "K": sizes["n"]}) - below


# Dimensions that are not a module's parameters, with the sizes in which they are no polynomial.
Dimension = tuple[Callable[[Sizes], int], tuple[str, ...], dict[str, tuple[int, ...]]]
DIMENSIONS: dict[str, Dimension] = {
    "feature-map": (feature_map, ("D", "K"), {"K": (2, 3, 4)}),
    "monomials": (monomials, ("D", "n"), {"n": (2, 3, 4)}),
}


def check_number(claim: Claim) -> Result:
    """A count, cost or parameter-shape claim."""
    if not claim.model:
        raise WorkingsError(f"{claim.name or claim.count or claim.cost}: model is required")
    if claim.cost:
        found = _cost(claim)
    elif claim.parameter:
        found = _parameter(claim)
    elif claim.model in DIMENSIONS:
        found = _dimension(claim)
    else:
        found = _count(claim)
    name = claim.name or claim.count or claim.cost or claim.claim
    statement = claim.statement or claim.count or claim.cost or claim.claim
    return Result(name, claim.source, statement, **found)


def size_formula(text: str, sizes: Sequence[str]) -> Callable[[Sizes], Fraction]:
    """A formula in sizes, with everything that a formula may have: sums, binomials."""
    names = Names(sizes=tuple(sizes))
    words = {word for size in sizes for word in (size, size.partition("_")[0])}
    node = names.resolve(parse_expression(text, words), text)

    def value(at: Sizes) -> Fraction:
        return Fraction(float(Scope(dict(at), {}).value(node))).limit_denominator(10**6)

    return value


def _arguments(claim: Claim) -> dict[str, Value]:
    found: dict[str, Value] = {}
    for key, value in claim.args.items():
        found |= parse_args(f"{key}={value}") if isinstance(value, str) else {key: value}
    return found


def _spec(claim: Claim, symbols: Sequence[str] | None = None) -> Spec:
    inputs = [parse_input(text) for text in claim.inputs]
    return spec(claim.model, symbols, _arguments(claim), inputs)


def _count(claim: Claim) -> dict[str, Any]:
    if match := re.fullmatch(r"\s*([<>=])\s*([\w:.-]+)\s*", claim.count):
        return _compared(claim, match[1], match[2])
    of = _spec(claim)
    count = check_count(size_formula(claim.count, of.symbols), of)
    return _counted(count, claim)


def _counted(count: Count, claim: Claim) -> dict[str, Any]:
    verdict = HOLDS if count.verdict == HOLDS else WRONG_VALUE
    repair = {"formula": count.actual, "changes": count.owner or "the exact count"}
    evidence = {"counted": count.actual, "why": count.evidence}
    return {
        "verdict": verdict,
        "evidence": evidence,
        "repair": None if verdict == HOLDS else repair,
    }


def _compared(claim: Claim, sign: str, other: str) -> dict[str, Any]:
    """The parameters of one architecture against those of another."""
    ours = of_spec(_spec(claim))["params"].polynomial
    theirs = of_spec(spec(other, None, _arguments(claim)))["params"].polynomial
    if ours is None or theirs is None:
        raise WorkingsError(f"{claim.model} and {other}: their counts are no polynomials")
    difference = ours - theirs
    signs = {1 if c > 0 else -1 for c in difference.terms.values()}
    holds = {"=": not signs, "<": signs == {-1}, ">": signs == {1}}[sign]
    shown = "as many" if not signs else f"{difference} more"
    evidence = {"counted": f"{claim.model} {ours}, {other} {theirs}", "why": f"it has {shown}"}
    right = "=" if not signs else ">" if signs == {1} else "<"
    repair = {"formula": f"{claim.model} {right} {other}", "changes": f"both: {ours}"}
    verdict = HOLDS if holds else WRONG_VALUE
    return {"verdict": verdict, "evidence": evidence, "repair": None if holds else repair}


def _dimension(claim: Claim) -> dict[str, Any]:
    function, symbols, each = DIMENSIONS[claim.model]
    held = {key: int(value) for key, value in claim.args.items()}
    free = tuple(symbol for symbol in symbols if symbol not in held)
    formula = size_formula(claim.count, [*symbols])
    count = check_dimension(
        lambda at: formula({**at, **held}),
        lambda at: function({**at, **held}),
        free,
        {key: values for key, values in each.items() if key not in held},
    )
    return _counted(count, claim)


def _cost(claim: Claim) -> dict[str, Any]:
    cost = of_spec(_spec(claim))
    growth = cost.claim(claim.cost, COUNTED[claim.counts], claim.fixed)
    formula = cost[COUNTED[claim.counts]]
    evidence = {"counted": f"{claim.counts}: {formula}", "why": growth.evidence}
    order = _order(growth.leading)
    repair = {"formula": order, "changes": growth.evidence} if growth.verdict == SMALL else None
    if growth.verdict not in (TIGHT, SMALL):
        repair = {"formula": order, "changes": "the tight order"}
    return {"verdict": growth.verdict, "evidence": evidence, "repair": repair}


def _order(leading: Polynomial) -> str:
    return f"Θ({leading})"


def _parameter(claim: Claim) -> dict[str, Any]:
    r"""H \in \mathbb{R}^{D \times D} against a parameter of a live module."""
    space = parse(claim.claim).sides[-1]
    if not isinstance(space, Space) or len(space.sides) != 2:
        raise WorkingsError(f"{claim.claim}: \\mathbb{{R}}^{{ROWS \\times COLUMNS}} was expected")
    of = _spec(claim)
    primes = dict(zip(of.symbols, (5, 7, 11, 13, 3, 2, 17, 19), strict=False))
    with torch.device("meta"):
        module = of.make(primes).module
    real = _shape_of(module, claim)
    claimed = tuple(_side(side, primes) for side in space.sides)
    flat = tuple(side for side in claimed if side != 1)
    verdict, note = WRONG_SHAPE, ""
    if claimed == real or (len(real) == 1 and flat == real):
        verdict = HOLDS
    elif claimed[::-1] == real:
        verdict, note = HOLDS, "PyTorch keeps it transposed"
    evidence = {
        "claimed_shape": _times(claimed),
        "right_shape": _times(real),
        "sizes": primes,
        "parameter": claim.parameter,
    }
    if note:
        evidence["convention"] = note
    return {"verdict": verdict, "evidence": evidence, "repair": None}


def _shape_of(module: nn.Module, claim: Claim) -> tuple[int, ...]:
    parameters = dict(module.named_parameters())
    if claim.parameter not in parameters:
        hint = nearest(claim.parameter, parameters) or f"; there is: {', '.join(parameters)}"
        raise WorkingsError(f"{claim.model}: no parameter {claim.parameter!r}{hint}")
    return tuple(parameters[claim.parameter].shape)


def _side(node: Node, sizes: Mapping[str, int]) -> int:
    resolved = Names(sizes=tuple(sizes)).resolve(node)
    if isinstance(resolved, Call | Index | Identity):
        raise WorkingsError("a side of a shape is a formula in sizes")
    return Scope(dict(sizes), {}).whole(resolved)


def _times(shape: Sequence[int]) -> str:
    return "×".join(map(str, shape))
