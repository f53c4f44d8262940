"""Indices that a claim leaves open, and whether it says enough about them."""

from workings.claims.documents.deciding.readings import Readings
from workings.claims.documents.inference.uses import is_kronecker, symbols_in, use_of
from workings.formula import nodes as f


def open_indices(node: f.Node, claim: Readings) -> set[str]:
    """The letters by which a formula takes entries, bound by no sum in it."""
    return {
        letter
        for symbol, bound in symbols_in(node)
        for letter in use_of(symbol, claim.known, bound).indices
        if letter not in bound and letter.isalpha()
    }


def tells_indices_apart(claim: Readings) -> bool:
    """Whether a right side has δ_{ij} or cases, so that the author thought of equal indices."""
    return any(
        isinstance(part, f.Cases | f.Condition)
        or (isinstance(part, f.Symbol) and is_kronecker(part, claim.known))
        for side in claim.sides[1:]
        for part in side.walk()
    )


def open_on_the_right(claim: Readings) -> str:
    """An index that only the right side leaves open."""
    open_letters: list[set[str]] = []
    for side in claim.sides:
        uses = [(use_of(each, claim.known, bound), bound) for each, bound in symbols_in(side)]
        letters = {each for use, bound in uses for each in use.indices if each not in bound}
        names = {use.name for use, bound in uses if use.name not in bound}
        open_letters.append(
            {each for each in letters if each.isalpha()} | (names & claim.inference.free)
        )
    bound = claim.sizes | claim.bounds | _in_bounds(claim.sides)  # j of a sum over i < j
    return min(set().union(*open_letters[1:]) - open_letters[0] - bound, default="")


def _in_bounds(nodes: list[f.Node]) -> set[str]:
    """The names in the bounds of sums."""
    ranges = [part for node in nodes for part in node.walk() if isinstance(part, f.Range)]
    return {each.name for part in ranges for each in part.walk() if isinstance(each, f.Symbol)}
