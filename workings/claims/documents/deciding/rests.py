"""All that a claim rests on: its definitions, with named parts, without losses of other layers."""

from collections.abc import Mapping

from workings.claims.documents.deciding.closure import Closure, closure_of
from workings.claims.documents.deciding.generic import cut_off
from workings.claims.documents.deciding.named_parts import with_named_parts
from workings.claims.documents.outline.definitions import Definitions
from workings.claims.documents.outline.statements import Statement
from workings.formula import nodes as f


def rested_on(
    definitions: Definitions,
    sides: list[f.Node],
    number: int,
    without: frozenset[str] = frozenset(),
    instead: Mapping[str, Statement] | None = None,
) -> Closure:
    """What the sides of statement `number` rest on.

    A loss whose definition leads to no name that it is differentiated by is any function of them,
    so that its definition is left out, and what only that needs.
    """
    closure = with_named_parts(closure_of(definitions, sides, number, without, instead), sides)
    bodies = {each.name: each.body for each in closure.equations}
    called = {name: body for name, (_, body) in closure.functions.items()}
    lost = cut_off(sides, {**called, **bodies}, definitions.known) & {*bodies}
    if not lost:
        return closure
    return with_named_parts(closure_of(definitions, sides, number, without | lost, instead), sides)
