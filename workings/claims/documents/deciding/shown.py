"""A verdict as it is shown: the repair in the author's notation, the shapes that were taken."""

from collections.abc import Sequence
from dataclasses import replace

from workings.claims.documents.deciding.readings import Readings, Shapes
from workings.claims.documents.inference.kinds import ANY_MATRIX
from workings.claims.documents.notation import with_names
from workings.claims.documents.outline import class_labels
from workings.claims.result import Result
from workings.formula import nodes as f
from workings.formula.printing.latex import latex, plain_latex


def in_names(result: Result, claim: Readings) -> Result:
    """The result with its repair in the author's names of derivatives."""
    if result.repair is None:
        return result
    names = {
        latex(each.body): plain_latex(each.name)
        for each in claim.closure.equations
        if isinstance(each.body, f.Derivative) and not each.entries
    }
    formula = class_labels.as_written(with_names(result.repair.formula, names, claim.text))
    if class_labels.PREFIX in formula:
        return replace(result, repair=None)  # it has no way back into the author's notation
    left, _, right = formula.partition(" = ")
    if left == right:
        return result
    return replace(result, repair=replace(result.repair, formula=formula))


def shown_shapes(shapes: Shapes, names: Sequence[str]) -> dict[str, str]:
    """Shapes as they are shown, without those of what stands for any function."""
    shown = [name for name in names if not name.startswith(ANY_MATRIX)]
    return {name: "×".join(shapes[name]) or "a number" for name in shown}
