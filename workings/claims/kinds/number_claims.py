"""Claims about numbers: parameters, dimensions, shapes of parameters, orders of growth."""

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product

import torch
from torch import nn

from workings.claims.book.layers import MODULES
from workings.claims.evidence import Evidence
from workings.claims.modules.live_module import LiveModule
from workings.claims.result import Outcome, Repair, Result
from workings.claims.sets import Claim, ClaimSet
from workings.claims.system.symbols import declare
from workings.claims.verdict import Verdict
from workings.cost.arguments import Value, parse_args, parse_input
from workings.cost.check_count import Count, check_count, check_dimension
from workings.cost.check_formula import check_formula
from workings.cost.cost import of_spec, parameters_of
from workings.cost.counts.module import Spec, spec
from workings.cost.format import sizes_text
from workings.cost.growth import LARGE
from workings.cost.quantities import OPERATIONS
from workings.cost.recovery.count_formula import Uncounted
from workings.errors import WorkingsError, nearest
from workings.formula.errors import Undefined
from workings.formula.evaluation.evaluate import Scope
from workings.formula.nodes import Call, Identity, Index, Node, Space
from workings.formula.parsing.parse import parse, parse_expression
from workings.formula.polynomial import Polynomial, Sizes
from workings.formula.resolution.names import Names
from workings.nn.attention.taylor.series import features
from workings.own_class import import_class, refuse

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


@dataclass(frozen=True)
class Models:
    """The modules that claims may be about: named ones, and the user's own where trusted."""

    trust: bool = False
    """import a class that a file names"""

    def own(self, name: str) -> Callable[..., nn.Module]:
        """The class behind a name that is no architecture's."""
        if name not in MODULES and not self.trust:
            refuse(name, "model")
        return MODULES[name] if name in MODULES else import_class(name)

    def spec(self, claim: Claim, name: str = "") -> Spec:
        """What the claim's model, or another with its arguments, is at given sizes."""
        named = name or isinstance(claim.inputs, dict)
        inputs = [] if named else [parse_input(text) for text in claim.inputs]
        return spec(name or claim.model, None, _arguments(claim), inputs, self.own)

    def live(self, claim: Claim, claim_set: ClaimSet) -> LiveModule:
        """The claim's model with the inputs that it names, for what it computes."""
        if not isinstance(claim.inputs, dict):
            raise WorkingsError('inputs: each has a name and a shape here, { x = "n x d" }')
        inputs = {name: declare(name, text) for name, text in claim.inputs.items()}
        of = self.spec(claim)
        title = claim.name or claim.computes
        build = lambda sizes: of.make(sizes).module  # noqa: E731
        return LiveModule(title, build, of.symbols, inputs, claim_set.sizes, claim_set.steps)


def check_number(claim: Claim, models: Models) -> Result:
    """A count, cost or parameter-shape claim."""
    if not claim.model:
        raise WorkingsError(f"{claim.name or claim.count or claim.cost}: model is required")
    if claim.cost:
        outcome = _cost(claim, models)
    elif claim.parameter:
        outcome = _parameter(claim, models)
    elif claim.model in DIMENSIONS:
        outcome = _dimension(claim)
    else:
        outcome = _count(claim, models)
    written = claim.count or claim.cost or claim.claim
    return Result(
        **vars(outcome),
        name=claim.name or written,
        source=claim.source,
        statement=claim.statement or written,
        formula=written,
    )


def size_formula(text: str, sizes: Sequence[str]) -> Callable[[Sizes], Fraction]:
    """A formula in sizes, with everything that a formula may have: sums, binomials."""
    names = Names(sizes=tuple(sizes))
    words = {word for size in sizes for word in (size, size.partition("_")[0])}
    node = names.resolve(parse_expression(text, words), text)

    def value(at: Sizes) -> Fraction:
        try:
            number = float(Scope(dict(at), {}).value(node))
            return Fraction(number).limit_denominator(10**6)
        except (Undefined, OverflowError, ValueError) as error:  # an infinity, or no number
            shown = ", ".join(f"{name} = {size}" for name, size in at.items())
            raise WorkingsError(f"{text!r}: has no value at {shown} ({error})") from None

    return value


def _arguments(claim: Claim) -> dict[str, Value]:
    arguments: dict[str, Value] = {}
    for key, value in claim.args.items():
        arguments |= parse_args(f"{key}={value}") if isinstance(value, str) else {key: value}
    return arguments


def _count(claim: Claim, models: Models) -> Outcome:
    if match := re.fullmatch(r"\s*([<>=])\s*([\w:.-]+)\s*", claim.count):
        return _compared(claim, match[1], match[2], models)
    of = models.spec(claim)
    claimed = size_formula(claim.count, of.symbols)
    if claim.counts in (None, "parameters"):
        return _counted(check_count(claimed, of))
    numbers = [int(number) for number in re.findall(r"\d{1,9}", claim.count)]
    return _counted(check_formula(claimed, of_spec(of), COUNTED[claim.counts], numbers))


def _counted(count: Count) -> Outcome:
    evidence = Evidence(counted=count.actual, why=count.evidence)
    if count.verdict == Verdict.HOLDS:
        return Outcome(Verdict.HOLDS, evidence)
    repair = Repair(count.actual, count.owner or "the exact count")
    return Outcome(Verdict.WRONG_VALUE, evidence, repair)


def _compared(claim: Claim, sign: str, other: str, models: Models) -> Outcome:
    """The parameters of one architecture against those of another."""
    ours = parameters_of(models.spec(claim))
    theirs = parameters_of(models.spec(claim, other))
    has, than = ours.polynomial, theirs.polynomial
    if has is None or than is None or ours.departures or theirs.departures:
        raise Uncounted(f"{claim.model} and {other}: their counts are no polynomials")
    difference = has - than
    shown = "as many" if not difference else f"{difference} more"
    evidence = Evidence(counted=f"{claim.model} {has}, {other} {than}", why=f"it has {shown}")
    right = _sign(difference)
    if sign == right:
        return Outcome(Verdict.HOLDS, evidence)
    if right:
        repair = Repair(f"{claim.model} {right} {other}", f"both: {has}")
        return Outcome(Verdict.WRONG_VALUE, evidence, repair)
    against = next((s for s in _some_sizes(difference) if not _is(sign, difference(s))), None)
    if against is None:
        raise Uncounted(f"{evidence.counted}: whether that is {sign} 0 at all sizes is not seen")
    why = f"{evidence.why}, at {sizes_text(against)}: {difference(against)}"
    return Outcome(Verdict.WRONG_VALUE, replace(evidence, why=why))


def _is(sign: str, value: Fraction) -> bool:
    return {"=": value == 0, "<": value < 0, ">": value > 0}[sign]


def _some_sizes(polynomial: Polynomial) -> Iterator[Sizes]:
    """Small and large ones, in all combinations."""
    for sizes in product((1, 2, 5, 30, 1000), repeat=len(polynomial.symbols)):
        yield dict(zip(polynomial.symbols, sizes, strict=True))


def _sign(difference: Polynomial) -> str:
    """`=`, or `<` or `>` at all sizes from 1 on; nothing where that depends on them, or may."""
    if not difference:
        return "="
    for sign, polynomial in (("<", -difference), (">", difference)):
        # In sizes that are one less: with no coefficient below zero it never falls from there on.
        shifted = Polynomial({})
        for term, coefficient in polynomial.terms.items():
            factors = (((Polynomial.symbol(s) + 1) ** power) for s, power in term if power > 0)
            shifted = shifted + math.prod(factors, start=Polynomial.constant(coefficient))
        whole = all(power > 0 for term in polynomial.terms for _, power in term)
        if whole and all(c > 0 for c in shifted.terms.values()) and shifted.terms.get((), 0) > 0:
            return sign
    return ""


def _dimension(claim: Claim) -> Outcome:
    function, symbols, each = DIMENSIONS[claim.model]
    held: dict[str, int] = {}
    for key, value in claim.args.items():
        if key not in symbols or not str(value).isdecimal() or len(str(value)) > 9:
            known = ", ".join(symbols)
            raise WorkingsError(f"args.{key} = {str(value)[:20]}: give a whole number for {known}")
        held[key] = int(value)
    free = tuple(symbol for symbol in symbols if symbol not in held)
    formula = size_formula(claim.count, [*symbols])
    count = check_dimension(
        lambda at: formula({**at, **held}),
        lambda at: function({**at, **held}),
        free,
        {key: values for key, values in each.items() if key not in held},
    )
    return _counted(count)


def _cost(claim: Claim, models: Models) -> Outcome:
    cost = of_spec(models.spec(claim))
    counts = claim.counts or "multiply-adds"
    growth = cost.claim(claim.cost, COUNTED[counts], claim.fixed)
    verdict = Verdict.WRONG_VALUE if growth.verdict == LARGE else Verdict(growth.verdict)
    evidence = Evidence(counted=f"{counts}: {cost[COUNTED[counts]]}", why=growth.evidence)
    if verdict is Verdict.TIGHT or not growth.leading:
        return Outcome(verdict, evidence)
    changes = growth.evidence if verdict is Verdict.SMALL else "the tight order"
    return Outcome(verdict, evidence, Repair(f"Θ({growth.leading})", changes))


def _parameter(claim: Claim, models: Models) -> Outcome:
    r"""H \in \mathbb{R}^{D \times D} against a parameter of a live module."""
    space = parse(claim.claim).sides[-1]
    if not isinstance(space, Space) or len(space.sides) != 2:
        raise WorkingsError(f"{claim.claim}: \\mathbb{{R}}^{{ROWS \\times COLUMNS}} was expected")
    of = models.spec(claim)
    primes = dict(zip(of.symbols, (5, 7, 11, 13, 3, 2, 17, 19), strict=False))
    with torch.device("meta"):
        module = of.make(primes).module
    real = _shape_of(module, claim)
    claimed = tuple(_side(side, primes) for side in space.sides)
    flat = tuple(side for side in claimed if side != 1)
    as_stored = claimed == real or (len(real) == 1 and flat == real)
    transposed = not as_stored and claimed[::-1] == real
    evidence = Evidence(
        claimed_shape=_times(claimed),
        right_shape=_times(real),
        sizes=primes,
        parameter=claim.parameter,
        convention="PyTorch keeps it transposed" if transposed else "",
    )
    return Outcome(Verdict.HOLDS if as_stored or transposed else Verdict.WRONG_SHAPE, evidence)


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
