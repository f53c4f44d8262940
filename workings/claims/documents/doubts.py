"""Why a claim of a document is not decided: what it does not say, or may not mean as a claim.

A verdict is right or not given: what may be an equation to solve, a case of several, or a
convention that is not said, is not read, with the reason.
"""

import re
from collections.abc import Mapping

from workings.claims.documents.readings import Readings, Shapes
from workings.claims.documents.uses import symbols_in, use_of
from workings.claims.result import Result
from workings.claims.verdict import Verdict
from workings.formula import nodes as f
from workings.formula.latex import latex, plain_latex

_UNFIT = re.compile(r"the [\w ]+ of .*\d×\d")  # shapes that do not fit, which is wrong


def doubt_before(claim: Readings) -> str:
    """Why a claim cannot be decided, whatever its values; nothing if it can."""
    if doubt := _independent(claim):
        return doubt
    said = {*claim.unknown([*claim.bodies, claim.sides[0]]), *claim.closure.functions}
    for name in claim.unknown(claim.sides[1:]):
        if name not in said:
            return f"{plain_latex(name)} is not declared, and nothing else says what it is"
    if index := _open_on_the_right(claim):
        return f"the index {index} stands on one side only, so it is not said what it is"
    return ""


def doubt_of_wrong(claim: Readings, result: Result, shapes: Shapes) -> str:
    """Why a claim that is not true as it is read may be right, or no claim; else nothing."""
    if result.verdict is Verdict.UNDEFINED:
        if has_derivative(claim.sides[1:]):
            return f"{result.why}; the convention is not said"
        if not _UNFIT.match(result.why):
            return result.why
    if _through_time(claim, shapes):
        return (
            "whether earlier steps count is not said; put |_{(t)} behind the derivative, or write "
            "`% workings: steps 3`"
        )
    if result.verdict is Verdict.WRONG_SHAPE and _by_matrix(claim.sides[0], shapes, result):
        return (
            "the derivative of a vector by a matrix has three indices; how they are left out is "
            "not said"
        )
    return _not_claimed(claim)


def ask(name: str) -> str:
    """The line that asks for a shape."""
    shown = plain_latex(name)
    example = "n x 1" if shown.lstrip("\\")[:1].islower() else "n x m"
    return f"the shape of {shown} is not known; write `workings: {shown} {example}` in a comment"


def has_derivative(nodes: list[f.Node]) -> bool:
    """Whether a formula has a derivative in it."""
    return any(isinstance(part, f.Derivative) for node in nodes for part in node.walk())


def _not_claimed(claim: Readings) -> str:
    """An equation to solve, a value that is given, a case of several."""
    left, right = claim.sides[0], claim.sides[-1]
    name = claim.statement.name
    if claim.closure.free:
        free = plain_latex(min(claim.closure.free))
        return f"{free} is free in one definition and defined by another"
    if isinstance(right, f.Number) and right.value == 0:
        return "it is set to zero, which may be an equation to solve"
    if name and not list(symbols_in(right)):
        return f"{plain_latex(name)} is given a value, and was defined before"
    if len(claim.indices) > 1 and isinstance(left, f.Derivative):
        return f"whether {' and '.join(sorted(claim.indices))} may be equal is not said"
    for node in (part for side in claim.sides for part in side.walk()):
        if isinstance(node, f.Call) and node.function.lower() == "softmax":
            only = node.arguments[0]
            if isinstance(only, f.Symbol) and claim.indices & set(only.sub):
                return f"the softmax of the single entry {latex(only)}"
    if claim.closure.equations or has_derivative(claim.sides):
        return ""
    bases = {symbol.base for symbol, _ in symbols_in(left)}
    for symbol, bound in symbols_in(right):
        if symbol.base not in bases | bound and symbol.name in claim.declared:
            return f"{plain_latex(symbol.name)} stands on one side only; it may be to be solved"
    return ""


def _open_on_the_right(claim: Readings) -> str:
    """An index that only the right side leaves open."""
    found: list[set[str]] = []
    for side in claim.sides:
        uses = [(use_of(each, claim.known, bound), bound) for each, bound in symbols_in(side)]
        letters = {each for use, bound in uses for each in use.indices if each not in bound}
        names = {use.name for use, bound in uses if use.name not in bound}
        found.append({each for each in letters if each.isalpha()} | (names & claim.inference.free))
    return min(set().union(*found[1:]) - found[0] - claim.sizes - claim.bounds, default="")


def _independent(claim: Readings) -> str:
    """A derivative by something that, as far as is said, what is differentiated does not have."""
    bodies = {each.name: each.body for each in claim.closure.equations}
    bodies |= {name: body for name, (_, body) in claim.closure.functions.items()}
    known = {**bodies, **claim.declared}
    for node in (part for side in claim.sides for part in side.walk()):
        if isinstance(node, f.Derivative):
            of = _reached(node.of, bodies, known)
            if not of & _reached(node.wrt, {}, known):
                return f"how {latex(node.of)} depends on {latex(node.wrt)} is not said"
    return ""


def _through_time(claim: Readings, shapes: Shapes) -> bool:
    """Whether a derivative by a weight may or may not go through earlier steps."""
    left = claim.sides[0]
    if claim.outline.steps or not isinstance(left, f.Derivative) or left.only:
        return False
    wrt = left.wrt.name if isinstance(left.wrt, f.Symbol) else ""
    if re.search(r"\(t\b|_t\b", wrt):
        return False
    bodies = {each.name: each.body for each in claim.closure.equations}
    for name in shapes:
        now = re.sub(r"\(t\s*-\s*1\)", "(t)", re.sub(r"_t-1\b", "_t", name))
        if now != name and now in bodies and wrt in _reached(bodies[now], bodies, claim.known):
            return True
    return False


def _by_matrix(left: f.Node, shapes: Shapes, result: Result) -> bool:
    """Whether the left side is the derivative of a vector or matrix by a matrix."""
    if not isinstance(left, f.Derivative) or not isinstance(left.wrt, f.Symbol):
        return False
    sizes = shapes.get(left.wrt.name, ())
    return "Jacobian" in result.why and len(sizes) == 2 and "1" not in sizes


def _reached(node: f.Node, bodies: Mapping[str, f.Node], known: Mapping[str, object]) -> set[str]:
    """The names that a formula uses, and that their definitions use."""
    found: set[str] = set()
    waiting = [node]
    while waiting:
        top = waiting.pop()
        names = [use_of(symbol, known, bound).name for symbol, bound in symbols_in(top)]
        names += [part.function for part in top.walk() if isinstance(part, f.Call)]
        for name in names:
            if name not in found:
                found.add(name)
                waiting += [bodies[name]] if name in bodies else []
    return found
