"""Why a claim of a document is not decided: what it does not say, or may not mean as a claim.

A verdict is right or not given: what may be an equation to solve, a case of several, or a
convention that is not said, is not read, with the reason.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from workings.claims.documents.deciding.advice import ask, comment
from workings.claims.documents.deciding.dependence import (
    feeds_later_steps,
    independent,
    is_in_time,
    of_any_function,
    reached_from,
    through_time,
)
from workings.claims.documents.deciding.open_indices import (
    open_indices,
    open_on_the_right,
    tells_indices_apart,
)
from workings.claims.documents.deciding.readings import Readings, Shapes
from workings.claims.documents.deciding.settings import has_derivative
from workings.claims.documents.inference.uses import (
    INDEX_SIGN,
    rounds_names,
    symbols_in,
    use_of,
)
from workings.claims.documents.outline.probabilities import PREFIX
from workings.claims.documents.outline.statements import Role
from workings.claims.documents.set_before import rests_on_what_was_set
from workings.claims.result import Result
from workings.claims.verdict import Verdict
from workings.formula import nodes as f
from workings.formula.printing.latex import latex, plain_latex

BY_NOTHING = "what the gradient is taken by is not said; write \\nabla_x"
VANISHES = "both sides are 0 as they are read, so that nothing is said"
KINKS = frozenset(["abs", "bars", "sqrt", "log", "ln", "max", "min"])


class NotClaimed(Exception):
    """What is not true as it is read, and may be set and not claimed."""


def doubt_before(claim: Readings) -> str:
    """Why a claim cannot be decided, whatever its values; nothing if it can."""
    for symbol, bound in (each for side in claim.sides for each in symbols_in(side)):
        if {*"+-"} & {*symbol.sub} and bound & {*symbol.sub}:
            return f"an index that is computed, as in {plain_latex(symbol.name)}, is not read"
        if "[" in symbol.sub:
            return f"what the index [{symbol.sub.partition('[')[2]} means is not said"
    if doubt := independent(claim):
        return doubt
    if state := feeds_later_steps(claim):
        return f"whether later steps count in the derivative by {plain_latex(state)} is not said"
    if _has_differential(claim):
        return "differentials (d x) are not read; write derivatives"
    if not claim.outline.steps and _sums_over_steps(claim):
        line = comment(claim, ", ".join(["steps 3", *_first_states(claim)]))
        return f"over how many steps its sum goes is not said; write {line}"
    if claim.closure.any_functions and _has_gradient_by_nothing(claim):
        return BY_NOTHING
    return ""


def doubt_of_wrong(
    claim: Readings, result: Result, shapes: Shapes, convention_is_known: bool = False
) -> str:
    """Why a claim that is not true as it is read may be right, or no claim; else nothing.

    convention_is_known: other claims of the document show which shapes derivatives have in it.
    """
    if result.verdict is Verdict.UNDEFINED:
        if has_derivative(claim.sides[1:]) and not convention_is_known:
            return f"{result.why}; the convention is not said"
        if not result.evidence.unfit:
            return result.why
        if all(_is_chain_of_derivatives(side) for side in claim.sides[1:]):
            return f"{result.why}; in which order the factors stand is not said"
    if _has_gradient_by_nothing(claim):
        return BY_NOTHING
    if any(name.startswith(PREFIX) for name in claim.unknown([*claim.bodies, *claim.sides])):
        return "how its probabilities are related is not said"
    if _is_a_diagonal(claim, result):
        return "the derivative of a vector by a vector is a matrix; this is right as its diagonal"
    if doubt := _only_on_the_right(claim):
        if not has_derivative(claim.sides):
            raise NotClaimed
        return doubt
    if doubt := of_any_function(claim) or _from_sentences(claim):
        return doubt
    if rounds_names([*claim.bodies, *claim.sides]):
        return "whether what is rounded in it are whole numbers is not said"
    if claim.outline.steps and _sums_by_a_weight(claim):
        return "whether the derivatives in its sum go through earlier steps is not said"
    if is_in_time(claim):
        return "what else depends on the states of other steps is not said"
    if through_time(claim, shapes):
        return (
            "whether earlier steps count is not said; put |_{(t)} behind the derivative, or write "
            + comment(claim, "steps 3")
        )
    if doubt := rests_on_what_was_set(claim):
        return doubt
    if _is_a_row_for_a_column(claim, result):
        return "whether gradients by a vector are rows or columns is not said"
    if result.verdict is Verdict.WRONG_SHAPE and _by_matrix(claim.sides[0], shapes, result):
        return (
            "the derivative of a vector by a matrix has three indices; how they are left out is "
            "not said"
        )
    return _not_claimed(claim)


def _is_chain_of_derivatives(node: f.Node) -> bool:
    """Whether a formula is a product of derivatives and of nothing else."""
    if isinstance(node, f.Product | f.Dot):
        return all(_is_chain_of_derivatives(factor) for factor in node.children())
    return isinstance(node, f.Derivative)


def may_be_a_diagonal(claim: Readings, result: Result) -> bool:
    """Whether a Jacobian may be written by the entries of its diagonal alone: ∂h/∂z = σ'(z)."""
    unfit = result.verdict is Verdict.WRONG_SHAPE and result.evidence.is_jacobian
    is_number = set(result.evidence.claimed_shape.split("×")) == {"1"}
    return unfit and not is_number and "diag" not in claim.text


def _is_a_diagonal(claim: Readings, result: Result) -> bool:
    repaired = result.repair.formula if result.repair else ""
    return "diag" in repaired and may_be_a_diagonal(claim, result)


def _only_on_the_right(claim: Readings) -> str:
    """A name or an index that the right side alone has: what it is would have to be said."""
    functions = claim.closure.functions
    inside = [body for _, body in functions.values()]
    said = {*claim.unknown([*claim.bodies, *inside, claim.sides[0]]), *functions}
    said |= {each for parameters, _ in functions.values() for each in parameters}
    for name in claim.unknown(claim.sides[1:]):
        if name not in said:
            return f"{plain_latex(name)} is not declared, and nothing else says what it is"
    if index := open_on_the_right(claim):
        return f"the index {index} stands on one side only, so it is not said what it is"
    return ""


def _sums_over_steps(claim: Readings) -> bool:
    """Whether a sum over t has something that is another value at every step."""
    if INDEX_SIGN + "t" in claim.outline.families:
        return False
    nodes = (part for top in [*claim.sides, *claim.bodies] for part in top.walk())
    sums = (part for part in nodes if isinstance(part, f.Total))
    return any(
        "t" in [each.variable for each in total.ranges]
        and any(_is_at_a_step(symbol) for symbol, _ in symbols_in(total.body))
        for total in sums
    )


def _sums_by_a_weight(claim: Readings) -> bool:
    """Whether a sum over steps has ∂h_k/∂W in it, which may be of one step alone."""
    sums = [part for side in claim.sides[1:] for part in side.walk() if isinstance(part, f.Total)]
    inside = [part for total in sums for part in total.body.walk()]
    by = [part.wrt for part in inside if isinstance(part, f.Derivative)]
    return any(isinstance(each, f.Symbol) and not (each.sub or each.label) for each in by)


def _first_states(claim: Readings) -> list[str]:
    """Declarations of what the first step starts from: h_0 of h_{t-1}."""
    nodes = [*claim.sides, *claim.bodies]
    symbols = {each.name: each for node in nodes for each, _ in symbols_in(node)}
    below = [replace(each, sub="0") for each in symbols.values() if each.sub == "t-1"]
    above = [replace(each, label="(0)") for each in symbols.values() if each.label == "(t-1)"]
    return [f"{plain_latex(each.name)} n x 1" for each in [*below, *above]]


def _is_at_a_step(symbol: f.Symbol) -> bool:
    return bool(re.match(r"t\b", symbol.sub) or re.match(r"\(t\b", symbol.label))


def _has_differential(claim: Readings) -> bool:
    """Whether a d of which nothing is said stands before something, as in dx."""
    if "d" in claim.known or "d" in claim.sizes | claim.bounds | claim.inference.signs.numbers:
        return False
    return any(
        isinstance(node, f.Product) and any(_is_d(factor) for factor in node.factors[:-1])
        for side in claim.sides
        for node in side.walk()
    )


def _is_d(node: f.Node) -> bool:
    return isinstance(node, f.Symbol) and node.name == "d"


def _has_gradient_by_nothing(claim: Readings) -> bool:
    """Whether a ∇ is left without what it is taken by."""
    return any(
        isinstance(node, f.Derivative | f.Hessian)
        and isinstance(node.wrt if isinstance(node, f.Derivative) else node.first, f.Unsaid)
        for side in claim.sides
        for node in side.walk()
    )


def doubt_of_reading(claim: Readings, result: Result, sure: bool) -> str:
    """Why what was not said may make a claim right that is not true as it is read; else nothing.

    Where it can be read in one way only, that is `sure`; else a wrong verdict is given where the
    claim is near to what is right: where a repair is known.
    """
    undeclared = claim.unknown([*claim.bodies, *claim.sides])
    nodes = [part for side in claim.sides for part in side.walk()]
    kinks = [node for node in nodes if isinstance(node, f.Call) and node.function in KINKS]
    signs = claim.inference.signs
    of_any_sign = [each for each in undeclared if each not in signs.numbers | signs.positive]
    if kinks and (names := _reached_by(kinks, claim) & {*of_any_sign}):
        return f"the sign of {plain_latex(min(names))} is not said"
    if any(isinstance(node, f.Matrix) and not list(symbols_in(node)) for node in nodes):
        return "it has numbers of an example in it"
    statement = claim.statement
    if statement.again:
        return "it was said otherwise before"
    sizes = [size for shape in claim.declared.values() for size in shape.sides]
    numbered = [node for node in nodes if isinstance(node, f.Symbol) and node.sub.isdigit()]
    if any(use_of(each, claim.known, frozenset()).indices for each in numbered) and sizes:
        return "it has entries by number of a vector of any length"
    left = claim.sides[0]
    if result.verdict is Verdict.WRONG_SHAPE and isinstance(left, f.Derivative):
        by = {use_of(each, claim.known, bound).name for each, bound in symbols_in(left.wrt)}
        if by & {*undeclared}:
            return ask(claim, min(by & {*undeclared}))
    unfit = result.verdict in (Verdict.UNDEFINED, Verdict.WRONG_SHAPE) and result.repair is None
    if unfit and undeclared:
        return ask(claim, undeclared[0])
    alone = len(claim.sides) == 2 and not statement.continued
    if statement.name and alone and statement.row.mode != "claim":
        return (
            f"{plain_latex(statement.name)} was defined otherwise before; "
            f"{comment(claim, 'claim')} or {comment(claim, 'define')} before it says which this is"
        )
    if result.repair is None and not result.verdict.nearly and not sure and alone:
        return f"as it is read it does not hold, nor does anything near it ({result.why})"
    return ""


def _reached_by(nodes: Sequence[f.Node], claim: Readings) -> set[str]:
    """The names that formulas use, and that the definitions of a claim lead to."""
    return set().union(*(reached_from(node, claim) for node in nodes))


def _not_claimed(claim: Readings) -> str:
    """A case of several, a name that is not the same in all definitions."""
    left = claim.sides[0]
    if claim.closure.free:
        free = plain_latex(min(claim.closure.free))
        return f"{free} is not the same in all definitions: free in one and defined by another"
    if isinstance(left, f.Derivative) and not tells_indices_apart(claim):
        of, by = (open_indices(part, claim) for part in (left.of, left.wrt))
        if of and by - of:
            return f"whether {' and '.join(sorted(of | by))} may be equal is not said"
    for node in (part for side in claim.sides for part in side.walk()):
        if isinstance(node, f.Call) and node.function.lower() == "softmax":
            only = node.arguments[0]
            if isinstance(only, f.Symbol) and claim.indices & set(only.sub):
                return f"the softmax of the single entry {latex(only)}"
    return ""


def _from_sentences(claim: Readings) -> str:
    """A claim that rests on what a sentence of another section says, or that two say otherwise."""
    for statement in claim.closure.mentioned:
        same = [each for each in claim.outline.statements if each.name == statement.name]
        texts = {" ".join(each.text.split()) for each in same if each.role is Role.MENTION}
        if len(texts) > 1 or statement.section != claim.statement.section:
            return f"what {plain_latex(statement.name)} is here is said in a sentence only"
    return ""


def _by_matrix(left: f.Node, shapes: Shapes, result: Result) -> bool:
    """Whether the left side is the derivative of a vector or matrix by a matrix."""
    if not isinstance(left, f.Derivative) or not isinstance(left.wrt, f.Symbol):
        return False
    sizes = shapes.get(left.wrt.name, ())
    return result.evidence.is_jacobian and len(sizes) == 2 and "1" not in sizes


def _is_a_row_for_a_column(claim: Readings, result: Result) -> bool:
    """Whether a gradient by a vector is a row where it was expected as a column, or vice versa."""
    evidence = result.evidence
    if not isinstance(claim.sides[0], f.Derivative) or evidence.is_jacobian:
        return False
    claimed, right = evidence.claimed_shape.split("×"), evidence.right_shape.split("×")
    return len(right) == 2 and "1" in right and claimed != right and claimed == right[::-1]
