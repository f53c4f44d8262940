r"""Solutions of what is set: \frac{\partial L}{\partial w} = 0 \implies w = \sum_i a_i x_i.

With the name defined as the solution says, what was set must hold; it must not hold for any value.
"""

import itertools
from dataclasses import replace

from workings.claims.documents.deciding.closure import Closure
from workings.claims.documents.deciding.decide import Decision
from workings.claims.documents.deciding.generic import with_any_functions
from workings.claims.documents.deciding.glance import glance
from workings.claims.documents.deciding.readings import Readings
from workings.claims.documents.deciding.rests import rested_on
from workings.claims.documents.deciding.shown import shown_shapes
from workings.claims.documents.files.sources import constant
from workings.claims.documents.inference.infer import Equation
from workings.claims.documents.outline.definitions import Definitions
from workings.claims.documents.outline.sides import Row
from workings.claims.documents.outline.statements import Statement
from workings.errors import WorkingsError
from workings.formula import nodes as f
from workings.formula.printing.latex import latex, plain_latex

MOST_READINGS = 6
SOLVES = "it solves what was set before it"


def solution(definitions: Definitions, statement: Statement, number: int) -> Decision | None:
    """That a name's value solves the equation it is said to follow from; None if that is open."""
    condition = statement.row.condition.removeprefix("if ")
    if len(statement.row.sides) != 2 or "=" not in condition:
        return None
    set_before = replace(statement, row=Row(constant(condition, 0, 0)), name="")
    try:
        parsed, said = definitions.parsed(set_before), definitions.parsed(statement)
        if {*parsed.relations} != {"="} or not isinstance(said.sides[0], f.Symbol):
            return None
        sides = [definitions.named(side) for side in parsed.sides]
        if not any(f.is_zero(side) for side in sides):
            return None
        name, body = said.sides[0].name, definitions.named(said.sides[1])
        free = frozenset([name])
        closure = rested_on(definitions, sides, number, free)
        solved = rested_on(definitions, [*sides, body], number, free)
    except WorkingsError:
        return None
    solved = replace(
        solved,
        equations=[Equation(name, body), *solved.equations],
        texts=[f"{plain_latex(name)} = {latex(body)}", *solved.texts],
    )
    decision = _held(definitions, statement, sides, solved)
    at_any_value = decision and _held(definitions, statement, sides, closure)
    if decision is None or at_any_value:
        return None
    evidence = replace(decision.result.evidence, restricted=SOLVES, vanishes=False)
    return replace(decision, result=replace(decision.result, evidence=evidence))


def _held(
    definitions: Definitions, statement: Statement, sides: list[f.Node], closure: Closure
) -> Decision | None:
    outline = definitions.outline
    closure = with_any_functions(closure, sides, outline)
    if closure.any_functions:
        return None
    text = " = ".join(map(latex, sides))
    claim = Readings(outline, statement, text, sides, closure)
    for shapes in itertools.islice(claim.shapes(), MOST_READINGS):
        result = glance(claim, shapes)
        if result is not None and result.holds:
            guessed = [name for name in shapes if name not in claim.declared]
            return Decision(result, shown_shapes(shapes, guessed))
    return None
