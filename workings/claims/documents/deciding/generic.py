r"""What a document differentiates without saying what it is: any smooth function will do.

\frac{\partial L}{\partial W} = \frac{\partial L}{\partial z} x^T is a claim about every L. It
depends on what its derivatives are taken by, in the claim and in the definitions it rests on; of
these only on what is not computed from another one: on z, and through z on W.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from workings.claims.documents.deciding.closure import Closure
from workings.claims.documents.inference.infer import Equation
from workings.claims.documents.inference.kinds import ANY_MATRIX
from workings.claims.documents.inference.uses import signs_of, use_of
from workings.claims.documents.outline.shape_signs import LOSSES
from workings.claims.documents.outline.statements import Outline
from workings.formula import nodes as f
from workings.formula.evaluation.functions import FUNCTIONS
from workings.formula.parsing.parse import parse_expression
from workings.formula.printing.latex import latex, plain_latex

Names = Mapping[str, object]
# What `as_equation` and its derivatives have in them.
STAND_INS = (r"\sin", r"\cos", r"\tanh", f"{ANY_MATRIX[0]}_{{{ANY_MATRIX[2:]}")


def generic_functions(
    sides: Sequence[f.Node], bodies: Mapping[str, f.Node], known: Names
) -> dict[str, tuple[str, ...]]:
    """The names that stand for any function, each with what it is a function of."""
    wanted: dict[str, dict[str, None]] = {}
    for node in (part for top in [*sides, *bodies.values()] for part in top.walk()):
        if not isinstance(node, f.Derivative) or not isinstance(node.of, f.Symbol):
            continue
        of, wrt = _name(node.of, known), _name(node.wrt, known)
        if wrt and wrt != of and of not in bodies:
            wanted.setdefault(of, {})[wrt] = None
    reached = {name: reach(name, bodies, known, wanted) for name in [*wanted, *bodies]}
    found: dict[str, tuple[str, ...]] = {}
    for name, inputs in wanted.items():
        if name in reached[name]:
            return {}  # a circle: nothing is a function of itself
        through = [each for each in inputs if each in wanted or each in bodies]
        direct = [
            each
            for each in inputs
            if not any(each in reached[other] for other in through if other != each)
        ]
        found[name] = tuple(direct)
    return found


def cut_off(sides: Sequence[f.Node], bodies: Mapping[str, f.Node], known: Names) -> set[str]:
    """Losses whose definition does not lead to what they are differentiated by.

    The way from C, of the last layer, to the weights of another one is not written out.
    """
    found: set[str] = set()
    for node in (part for top in [*sides, *bodies.values()] for part in top.walk()):
        if not isinstance(node, f.Derivative) or not isinstance(node.of, f.Symbol):
            continue
        of, wrt = _name(node.of, known), _name(node.wrt, known)
        if of in bodies and node.of.base in LOSSES and wrt not in reach(of, bodies, known, {}):
            found.add(of)
    return found


def reach(
    name: str, bodies: Mapping[str, f.Node], known: Names, wanted: Mapping[str, Names]
) -> set[str]:
    """All that a name is computed from."""
    found: set[str] = set()
    waiting = [name]
    while waiting:
        top = waiting.pop()
        inner = list(wanted.get(top, ()))
        for node in bodies[top].walk() if top in bodies else ():
            if isinstance(node, f.Symbol):
                inner.append(use_of(node, known, frozenset()).name)
            elif isinstance(node, f.Call):
                inner.append(node.function)
        waiting += [each for each in inner if each not in found]
        found.update(inner)
    return found


def as_equation(
    name: str, inputs: Sequence[str], number: int, vector: bool
) -> tuple[Equation, str]:
    """A smooth function of these inputs, as an equation and as it is written in a set of claims."""
    parts = []
    for at, each in enumerate(inputs):
        slope, shift = 1.3 + 0.4 * at + 0.7 * number, 0.7 + 0.3 * at
        argument = f"{slope:.1f} {plain_latex(each)} + {shift:.1f}"
        if vector:
            parts.append(rf"{weight(number, at)} \tanh({argument})")
        else:
            parts.append(rf"(2 + \sum \sin({argument}))")
    text = (" + " if vector else " ").join(parts)
    return Equation(name, parse_expression(text)), f"{plain_latex(name)} = {text}"


def weight(number: int, at: int) -> str:
    """The name of the matrix that makes every entry depend on every entry."""
    return f"{ANY_MATRIX[0]}_{{{ANY_MATRIX[2:]}{number}{at}}}"


def are_vectors(names: Sequence[str], nodes: Sequence[f.Node], known: Names) -> set[str]:
    """Those of the names that formulas use as vectors, or by their entries."""
    signs = signs_of(nodes, known)
    return {each for each in names if each in signs.vectors or signs.entries.get(each)}


def _name(node: f.Node, known: Names) -> str:
    """The name of a symbol, or of what it is an entry of."""
    return use_of(node, known, frozenset()).name if isinstance(node, f.Symbol) else ""


def with_any_functions(closure: Closure, sides: Sequence[f.Node], outline: Outline) -> Closure:
    """What a claim rests on, with an equation for each name that stands for any function."""
    bodies = {each.name: each.body for each in closure.equations}
    known = {**dict.fromkeys(outline.families), **bodies, **outline.declared}
    closure = _with_any_calls(closure, sides)
    called = {name: body for name, (_, body) in closure.functions.items()}
    inputs = generic_functions(sides, {**called, **bodies}, known)
    inputs = {name: each for name, each in inputs.items() if _may_be_any(each, outline)}
    if not inputs:
        return closure
    vectors = are_vectors(list(inputs), [*sides, *bodies.values()], known)
    vectors |= {
        name for name in inputs if name in outline.declared and outline.declared[name].sides
    }
    texts, equations = [], []
    for number, (name, each) in enumerate(inputs.items()):
        equation, text = as_equation(name, each, number, name in vectors)
        equations.append(equation)
        texts.append(text)
    return replace(
        closure,
        equations=[*equations, *closure.equations],
        texts=[*texts, *closure.texts],
        any_functions={**closure.any_functions, **inputs},
    )


def without_arguments(sides: list[f.Node], closure: Closure) -> tuple[list[f.Node], Closure]:
    """C for C(y, z) of a C that nothing defines, if it has the same arguments everywhere."""
    tops = [*sides, *(each.body for each in closure.equations)]
    calls: dict[str, set[str]] = {}
    for node in (part for top in tops for part in top.walk()):
        if isinstance(node, f.Call) and node.function not in {*FUNCTIONS, *closure.functions}:
            plain = len(node.arguments) > 1 and all(isinstance(x, f.Symbol) for x in node.arguments)
            calls.setdefault(node.function, set()).add(latex(node) if plain else "")
    names = {name for name, written in calls.items() if len(written) == 1 and "" not in written}
    if not names:
        return sides, closure

    def stripped(node: f.Node) -> f.Node:
        if isinstance(node, f.Call) and node.function in names:
            return f.Symbol(node.function)
        return node.rebuilt(stripped)

    equations = [replace(each, body=stripped(each.body)) for each in closure.equations]
    lefts = [text.partition(" = ")[0] for text in closure.texts]
    bodies = {plain_latex(each.name): latex(each.body) for each in equations}
    texts = [
        f"{left} = {bodies[left]}" if left in bodies else text
        for left, text in zip(lefts, closure.texts, strict=True)
    ]
    return [stripped(side) for side in sides], replace(closure, equations=equations, texts=texts)


def _with_any_calls(closure: Closure, sides: Sequence[f.Node]) -> Closure:
    """f(x) of an f that nothing defines: any smooth function, of every entry."""
    nodes = [
        part for top in [*sides, *(each.body for each in closure.equations)] for part in top.walk()
    ]
    called = {node.function: len(node.arguments) for node in nodes if isinstance(node, f.Call)}
    new = [
        name
        for name, count in called.items()
        if count == 1 and name not in FUNCTIONS and name not in closure.functions
    ]
    functions, texts = dict(closure.functions), list(closure.texts)
    for number, name in enumerate(new):
        text = rf"\tanh({1.1 + 0.3 * number:.1f} x + 0.4) + {0.3 + 0.2 * number:.1f} x"
        functions[name] = (("x",), parse_expression(text))
        texts.insert(0, f"{name}(x) = {text}")
    return replace(
        closure,
        functions=functions,
        texts=texts,
        any_functions={**closure.any_functions, **dict.fromkeys(new, ())},
    )


def _may_be_any(inputs: Sequence[str], outline: Outline) -> bool:
    """Not where steps are computed: what else depends on an earlier state is said then."""
    return bool(inputs) and not outline.steps
