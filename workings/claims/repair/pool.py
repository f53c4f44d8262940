"""What a repair may add to a formula."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations

from workings.claims.system.equations import System
from workings.formula import nodes as f
from workings.formula.evaluation.activations import ELEMENTWISE
from workings.formula.printing.latex import plain_latex


def pool_of(system: System) -> list[f.Node]:
    """What may be added: every name, and the derivatives of what the equations compute."""
    time_index = system.names.time
    step = f.Variable(time_index) if time_index else None
    pool: list[f.Node] = []
    bodies = {equation.name: equation.body for equation in system.equations}
    for name in [*bodies, *system.symbols]:
        if "@" in name:
            continue
        timed = name in system.names.timed
        spelt = system.names.spelt.get(name) or plain_latex(name)
        node = f.Reference(name, spelt + ("^{(t)}" if timed else ""), step if timed else None)
        pool += _derivatives(bodies.get(name), node)
        pool.append(node)
    return pool


def differences(names: Sequence[f.Node], shape_of: Callable[[f.Node], object]) -> list[f.Node]:
    """p - y of vectors and matrices of one shape, which losses are made of; at most a dozen."""
    references = [node for node in names if isinstance(node, f.Reference)]
    pairs = [
        f.Sum((a, f.Negative(b)))
        for a, b in combinations(references, 2)
        if shape_of(a) is not None and shape_of(a) == shape_of(b)
    ]
    return list(pairs[:12])


def _derivatives(body: f.Node | None, node: f.Reference) -> list[f.Node]:
    """1-s for a sigmoid's value s, 1-s⊙s for a tanh's, f'(x) for another's."""
    unit = f.Number(Fraction(1))
    if not isinstance(body, f.Call) or body.primes:
        return []
    name = body.function.lstrip("\\")
    if name in ("sigmoid", "sigma", "logistic"):
        return [f.Sum((unit, f.Negative(node)))]
    if name == "tanh":
        return [f.Sum((unit, f.Negative(f.Elementwise((node, node)))))]
    if name.lower() in ELEMENTWISE:
        return [f.Call(body.function, body.arguments, 1, body.position)]
    return []
