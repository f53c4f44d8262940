"""What may be set and not claimed: a value that is given, an equation to solve."""

from workings.claims.documents.deciding.dependence import reached_from
from workings.claims.documents.deciding.readings import Readings
from workings.claims.documents.inference.uses import symbols_in, use_of
from workings.formula import nodes as f


def may_be_set(claim: Readings) -> bool:
    """Whether what is not true may be set: a value that is given, an equation to solve."""
    left, right = claim.sides[0], claim.sides[-1]
    if not list(symbols_in(right)) and not has_derivative(claim.sides[:1]):
        # E = 7, and a matrix of numbers in an example; ‖z‖² = 1 of a defined z is a claim
        return isinstance(left, f.Symbol | f.Index) or not _is_of_defined(left, claim)
    if _sets_a_free_name(claim):
        return True  # g_i = s(x_i) of a g that is free
    if claim.closure.equations or has_derivative(claim.sides):
        return False
    if any(_is_name(side) and not _is_said(side, claim) for side in (left, right)):
        return True  # H^T = H
    bases = {symbol.base for symbol, _ in symbols_in(left)}
    return any(
        symbol.base not in bases | bound and symbol.name in claim.declared
        for symbol, bound in symbols_in(right)
    )


def says_zero(claim: Readings) -> bool:
    """Whether a side is written as 0.

    Where none is and all are 0 by the definitions, nothing is said: with t = w x every gradient of
    (t_n - w x_n)^2 would be right.
    """
    return any(f.is_zero(side) for side in claim.sides)


def is_set_to_zero(claim: Readings) -> bool:
    """Whether a derivative is written as 0 of what has that name in its definition."""
    left = claim.sides[0]
    if not isinstance(left, f.Derivative) or not says_zero(claim):
        return False
    return bool(reached_from(left.of, claim) & reached_from(left.wrt, claim))


def _sets_a_free_name(claim: Readings) -> bool:
    """Whether the left side is a name, or its entry, that nothing defines and only it has."""
    left = claim.sides[0]
    left = left.body if isinstance(left, f.Transpose | f.Index) else left
    if not isinstance(left, f.Symbol):
        return False
    name = use_of(left, claim.known, frozenset()).name
    said = {each.name for each in claim.closure.equations} | {*claim.closure.functions}
    other = [
        *claim.sides[1:],
        *claim.bodies,
        *(body for _, body in claim.closure.functions.values()),
    ]
    used = {
        use_of(each, claim.known, bound).name for top in other for each, bound in symbols_in(top)
    }
    return name not in said | used


def _is_name(node: f.Node) -> bool:
    return isinstance(node.body if isinstance(node, f.Transpose) else node, f.Symbol)


def _is_of_defined(node: f.Node, claim: Readings) -> bool:
    """Whether nothing in a formula is free: equations say what each of its symbols is."""
    defined = {each.name for each in claim.closure.equations}
    other = {*claim.sizes, *claim.bounds, *claim.steps}
    names = {
        use_of(each, claim.known, bound).name
        for each, bound in symbols_in(node)
        if each.name not in bound
    }
    return bool(names & defined) and names <= defined | other


def _is_said(node: f.Node, claim: Readings) -> bool:
    return all(
        use_of(each, claim.known, bound).name in claim.known for each, bound in symbols_in(node)
    )


def has_derivative(nodes: list[f.Node]) -> bool:
    """Whether a formula has a derivative in it."""
    return any(isinstance(part, f.Derivative) for node in nodes for part in node.walk())
