"""What to write so that a claim is decided: declarations, ready to paste into the document."""

from collections.abc import Sequence

from workings.claims.documents.deciding.readings import Readings, Shapes
from workings.claims.documents.inference.kinds import ANY_MATRIX, is_capital
from workings.formula.printing.latex import plain_latex

MOST_NAMES = 8  # that one line asks for


def comment(claim: Readings, text: str) -> str:
    """A comment for the checker, as the claim's document writes comments."""
    is_tex = claim.outline.document.path.suffix.lower() in (".tex", ".ltx")
    return f"`% workings: {text}`" if is_tex else f"`<!-- workings: {text} -->`"


def ask(claim: Readings, name: str, shapes: Shapes | None = None) -> str:
    """The line that asks for a shape, and for those of what else was not said with it.

    shapes: the likeliest ones.
    """
    shapes = shapes or {}
    others = claim.unknown([*claim.bodies, *claim.sides])
    names = [each for each in dict.fromkeys([name, *others]) if not each.startswith(ANY_MATRIX)]
    declared = ", ".join(
        f"{plain_latex(each)} {_shape(each, shapes)}" for each in names[:MOST_NAMES]
    )
    return f"the shape of {plain_latex(name)} is not known; write {comment(claim, declared)}"


def _shape(name: str, shapes: Shapes) -> str:
    """A shape to begin with, where none is known the one that the letter suggests."""
    sizes: Sequence[str] | None = shapes.get(name)
    if sizes is None:
        sizes = ("n", "m") if is_capital(name) else ("n", "1")
    return " x ".join(sizes) or "scalar"
