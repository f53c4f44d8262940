"""A verdict as it is shown: the repair in the author's notation, the shapes that were taken."""

import re
from collections.abc import Sequence
from dataclasses import replace

from workings.claims.documents.deciding.readings import Readings, Shapes
from workings.claims.documents.inference.kinds import ANY_MATRIX
from workings.claims.documents.notation import with_names
from workings.claims.documents.outline import class_labels
from workings.claims.result import Result
from workings.formula import nodes as f
from workings.formula.printing.latex import latex, plain_latex

_ROW = re.compile(r"(?P<matrix>[A-Z]|\\P[hs]i)_\{(?P<index>\w),:\}\^\\top(?![A-Za-z])")
_OPEN_SIZE = re.compile(r"(?<![A-Za-z\\])n\d+(?!\w)")


def in_names(result: Result, claim: Readings, shapes: Shapes) -> Result:
    """The result in the author's names: of derivatives, of sizes, of the rows of matrices."""
    sizes = {value[0]: plain_latex(name) for name, value in shapes.items() if len(value) == 1}

    def in_sizes(text: str) -> str:
        return _OPEN_SIZE.sub(lambda match: sizes.get(match[0], match[0]), text)

    evidence = replace(result.evidence, factor=in_sizes(result.evidence.factor))
    result = replace(result, evidence=evidence)
    if result.repair is None:
        return result
    names = {
        latex(each.body): plain_latex(each.name)
        for each in claim.closure.equations
        if isinstance(each.body, f.Derivative) and not each.entries
    }
    formula = class_labels.as_written(with_names(result.repair.formula, names, claim.text))
    formula = _ROW.sub(lambda match: _as_example(match, claim), in_sizes(formula))
    if class_labels.PREFIX in formula or _OPEN_SIZE.search(formula):
        return replace(result, repair=None)  # it has no way back into the author's notation
    left, _, right = formula.partition(" = ")
    if left == right:
        return result
    return replace(result, repair=replace(result.repair, formula=formula))


def _as_example(match: "re.Match[str]", claim: Readings) -> str:
    """x_i for the row i of an X that the claim has by its rows alone."""
    small = match["matrix"].lower()
    by_rows = match["matrix"] not in claim.known and match["matrix"] not in claim.text
    return f"{small}_{match['index']}" if by_rows else match[0]


def shown_shapes(shapes: Shapes, names: Sequence[str]) -> dict[str, str]:
    """Shapes as they are shown, without those of what stands for any function."""
    shown = [name for name in names if not name.startswith(ANY_MATRIX)]
    return {name: "×".join(shapes[name]) or "a number" for name in shown}
