"""Which indices the value of a formula depends on, so that it is not computed for others again."""

from dataclasses import dataclass
from functools import lru_cache

from workings.formula import nodes as f

MOST_KEPT = 20_000
_SEES_ALL = (f.Derivative, f.Hessian, f.At, f.Expectation, f.SideOf)


@dataclass(frozen=True)
class Reach:
    """The indices that stand in a formula, and the functions that it calls."""

    variables: frozenset[str]
    functions: frozenset[str]
    sees_all: bool
    """a part is computed by other means than its own parts' values"""


@lru_cache(MOST_KEPT)
def reach(node: f.Node) -> Reach:
    """What the value of a formula may depend on; formulas are the same only as objects."""
    parts = [reach(child) for child in node.children()]
    own = {node.name} if isinstance(node, f.Variable) else set()
    called = {node.function} if isinstance(node, f.Call) else set()
    return Reach(
        frozenset(own.union(*(part.variables for part in parts))),
        frozenset(called.union(*(part.functions for part in parts))),
        isinstance(node, _SEES_ALL) or any(part.sees_all for part in parts),
    )
