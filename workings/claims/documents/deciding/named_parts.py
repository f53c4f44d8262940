r"""Parts of definitions that have a name of their own: y = σ(w^T x + b) with z = w^T x + b is σ(z).

Notes say what y is, and name a part of it when they come to the chain rule. A derivative of y by z
is then meant through that part.
"""

from collections.abc import Sequence
from dataclasses import replace

from workings.claims.documents.deciding.closure import Closure
from workings.claims.documents.deciding.generic import reach
from workings.claims.documents.inference.infer import Equation
from workings.claims.documents.outline.implied import named
from workings.formula import nodes as f
from workings.formula.printing.latex import is_written, latex, plain_latex


def with_named_parts(closure: Closure, sides: Sequence[f.Node]) -> Closure:
    """What a claim rests on, with the names of parts that it differentiates by in their places."""
    bodies = {each.name: each.body for each in closure.equations}
    derivatives = [node for side in sides for node in side.walk() if isinstance(node, f.Derivative)]
    for node in derivatives:
        of, part = (each.name if isinstance(each, f.Symbol) else "" for each in (node.of, node.wrt))
        if of in bodies and part in bodies and part not in reach(of, bodies, bodies, {}):
            closure = _named(closure, part)
            bodies = {each.name: each.body for each in closure.equations}
    return closure


def _named(closure: Closure, part: str) -> Closure:
    """The equations with a part of their right sides replaced by its name."""
    whole = next(each for each in closure.equations if each.name == part)
    if whole.entries or isinstance(whole.body, f.Symbol | f.Number):
        return closure
    spelling, symbol = latex(whole.body), named(part)

    def with_name(node: f.Node) -> f.Node:
        return symbol if is_written(node, spelling) else node.rebuilt(with_name)

    equations, texts = [], list(closure.texts)
    for each in closure.equations:
        body = each.body if each.name == part else with_name(each.body)
        equations.append(replace(each, body=body))
        for at, text in enumerate(texts):
            left, _, _ = text.partition(" = ")
            if left == plain_latex(each.name) and latex(body) != latex(each.body):
                texts[at] = f"{left} = {latex(body)}"
    return replace(closure, equations=_in_order(equations), texts=texts)


def _in_order(equations: Sequence[Equation]) -> list[Equation]:
    """Each equation after those that it uses."""
    bodies = {each.name: each.body for each in equations}
    return sorted(equations, key=lambda each: len(reach(each.name, bodies, bodies, {}) & {*bodies}))
