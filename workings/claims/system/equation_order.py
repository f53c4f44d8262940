"""The order in which equations can be computed; those that go in a circle are named."""

from collections.abc import Iterable

from workings.claims.system.equations import Equation
from workings.errors import WorkingsError
from workings.formula import nodes as f
from workings.formula.resolution.declared import Function


def in_order(equations: list[Equation]) -> Iterable[Equation]:
    """Each after those it uses; a cycle is an error that names it."""
    known = {equation.name: equation for equation in equations}
    done: dict[str, Equation] = {}

    def visit(name: str, path: tuple[str, ...]) -> None:
        if name in path:
            cycle = " → ".join([*path[path.index(name) :], name])
            raise WorkingsError(f"the equations go in a circle: {cycle}")
        if name in done:
            return
        for node in known[name].body.walk():
            if isinstance(node, f.Reference) and node.name in known and _same_step(node):
                visit(node.name, (*path, name))
        done[name] = known[name]

    for name in known:
        visit(name, ())
    return done.values()


def _same_step(node: f.Reference) -> bool:
    return node.step is None or isinstance(node.step, f.Variable)


def check_circles(functions: dict[str, Function]) -> None:
    """A function may use others, but not itself through them."""
    uses = {
        name: {node.function for node in each.body.walk() if isinstance(node, f.Call)}
        for name, each in functions.items()
    }

    def visit(name: str, path: tuple[str, ...]) -> None:
        if name in path:
            raise WorkingsError(f"the functions go in a circle: {' → '.join((*path, name))}")
        for other in sorted(uses[name] & functions.keys()):
            visit(other, (*path, name))

    for name in functions:
        visit(name, ())
