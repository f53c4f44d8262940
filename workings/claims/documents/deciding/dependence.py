"""What depends on what: the names that a formula reaches through the definitions."""

import itertools
import re
from collections.abc import Iterator, Mapping

from workings.claims.documents.deciding.readings import Readings, Shapes
from workings.claims.documents.inference.uses import symbols_in, use_of
from workings.formula import nodes as f
from workings.formula.printing.latex import latex, plain_latex

_D = r"(?:d(?![A-Za-z]\w)|\\mathrm\s*\{d\}|\\text\s*\{d\})"
_TOTAL = re.compile(rf"\\[dt]?frac\s*\{{\s*{_D}([^{{}}]*)\}}\s*\{{\s*{_D}([^{{}}]*)\}}")
_PARTIAL = re.compile(
    r"\\[dt]?frac\s*\{\s*\\partial(?![A-Za-z])([^{}]*)\}\s*\{\s*\\partial(?![A-Za-z])([^{}]*)\}"
)


def mixes_derivatives(text: str) -> bool:
    """Whether d and ∂ stand in one formula, though never for the same derivative."""
    total, partial = (
        {("".join(of.split()), "".join(by.split())) for of, by in pattern.findall(text)}
        for pattern in (_TOTAL, _PARTIAL)
    )
    return bool(total and partial) and not total & partial


def independent(claim: Readings) -> str:
    """A derivative by something that, as far as is said, what is differentiated does not have."""
    for of, wrt in unrelated(claim):
        return f"how {latex(of)} depends on {latex(wrt)} is not said"
    return ""


def unrelated(claim: Readings) -> Iterator[tuple[f.Node, f.Node]]:
    """What is differentiated and by what, where no definition leads from one to the other."""
    bodies, known = _bodies(claim)
    for node in (part for side in claim.sides for part in side.walk()):
        if isinstance(node, f.Derivative) and not isinstance(node.wrt, f.Unsaid):
            of = _reached(node.of, bodies, known)
            if not of & _reached(node.wrt, {}, known):
                yield node.of, node.wrt


def ways_not_said(claim: Readings) -> Iterator[tuple[f.Node, str]]:
    """What is differentiated and by which name, where another definition may lead to that name.

    Of δ = ∂C/∂z and a later layer that has its own z, the way from one layer to the other counts.
    """
    for of, wrt in unrelated(claim):
        if isinstance(wrt, f.Symbol):
            yield of, use_of(wrt, claim.known, frozenset()).name
    bodies, known = _bodies(claim)
    by = {
        use_of(node.wrt, known, frozenset()).name
        for top in [*claim.sides, *bodies.values()]
        for node in top.walk()
        if isinstance(node, f.Derivative) and isinstance(node.wrt, f.Symbol)
    }
    for name, other in itertools.permutations(sorted(by & {*bodies}), 2):
        if other not in _reached(bodies[name], bodies, known):
            inside = {*_reached(bodies[name], bodies, known)} - {name}
            if not inside & {*by}:
                yield bodies[name], other


def reached_from(node: f.Node, claim: Readings) -> set[str]:
    """The names that a formula uses, and that the definitions of a claim lead to."""
    return _reached(node, *_bodies(claim))


def _bodies(claim: Readings) -> tuple[dict[str, f.Node], dict[str, object]]:
    """What the definitions of a claim say, by their names, and all names that it knows."""
    bodies = {each.name: each.body for each in claim.closure.equations}
    bodies |= {name: body for name, (_, body) in claim.closure.functions.items()}
    return bodies, {**dict.fromkeys(claim.outline.families), **bodies, **claim.declared}


def through_time(claim: Readings, shapes: Shapes) -> bool:
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


def feeds_later_steps(claim: Readings) -> str:
    """h_t of ∂L/∂h_t, if L is any function and the next state is made of h_t, too.

    What L is made of besides is then not said, unless the claim has a term of the next step.
    """
    left = claim.sides[0]
    if not claim.closure.any_functions or not isinstance(left, f.Derivative):
        return ""
    wrt = left.wrt.name if isinstance(left.wrt, f.Symbol) else ""
    before = re.sub(r"\(t\)", "(t-1)", re.sub(r"_t\b", "_t-1", wrt))
    nodes = [*claim.sides, *claim.bodies]
    names = {symbol.name for node in nodes for symbol, _ in symbols_in(node)}
    later = any(re.search(r"_t\+1\b|\(t\+1\)", name) for name in names)
    return wrt if before != wrt and before in names and not later else ""


def is_in_time(claim: Readings) -> bool:
    """Whether any function of a claim is one of states at some step."""
    any_functions = claim.closure.any_functions
    return any(
        re.search(r"_t\b|\(t\b", each) for inputs in any_functions.values() for each in inputs
    )


def of_any_function(claim: Readings) -> str:
    """A claim about L, of which nothing is said, is about every L only if all of it is about L."""
    any_functions = claim.closure.any_functions
    bodies = {each.name: each.body for each in claim.closure.equations}
    for name, inputs in any_functions.items():
        shown = plain_latex(name)
        if not inputs:
            return f"what the function {shown} is is not said"
        for side in claim.sides[1:]:
            for term in side.terms if isinstance(side, f.Sum) else (side,):
                if not _has_derivative_of(name, term, bodies, claim.known):
                    return f"how {shown} depends on {plain_latex(inputs[0])} is not said"
    return ""


def _has_derivative_of(
    name: str, node: f.Node, bodies: Mapping[str, f.Node], known: Mapping[str, object]
) -> bool:
    parts = list(node.walk())
    for symbol, bound in symbols_in(node):
        body = bodies.get(use_of(symbol, known, bound).name)
        parts += body.walk() if isinstance(body, f.Derivative) else []
    return any(
        isinstance(part, f.Derivative) and name in _reached(part.of, bodies, known)
        for part in parts
    )


def _reached(node: f.Node, bodies: Mapping[str, f.Node], known: Mapping[str, object]) -> set[str]:
    """The names that a formula uses, and that their definitions use."""
    names_reached: set[str] = set()
    waiting = [node]
    while waiting:
        top = waiting.pop()
        names = [use_of(symbol, known, bound).name for symbol, bound in symbols_in(top)]
        names += [part.function for part in top.walk() if isinstance(part, f.Call)]
        for name in names:
            if name not in names_reached:
                names_reached.add(name)
                waiting += [bodies[name]] if name in bodies else []
    return names_reached
