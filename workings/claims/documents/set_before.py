"""What a claim may rest on that was set before it, as d^T g = 0, and that no definition says."""

import re

from workings.claims.documents.deciding.readings import Readings
from workings.claims.documents.outline.statements import Role
from workings.formula import nodes as f

_SIGNS = frozenset(["T", r"\frac", r"\left", r"\right", r"\cdot", r"\top", r"\sum", r"\times"])


def rests_on_what_was_set(claim: Readings) -> str:
    """A claim that may rest on what was set before, as d^T g = 0, or in which a term vanishes."""
    for node in (part for side in claim.sides for part in side.walk()):
        if isinstance(node, f.Sum) and any(_is_zero(term) for term in node.terms):
            return "a term of it is 0, and why is not said"
    letters = _letters(claim.text)
    for statement in claim.outline.statements:
        if statement is claim.statement:
            break
        sides = statement.row.sides
        set_before = statement.role is Role.CONDITION and sides[-1].relation == "="
        if set_before and len(_letters(statement.text)) > 1 and _letters(statement.text) <= letters:
            return f"it may rest on what was set before: {' '.join(statement.text.split())}"
    return ""


def _letters(text: str) -> set[str]:
    """The letters that stand for something in a formula."""
    words = re.findall(r"\\[A-Za-z]+|[A-Za-z]", text)
    return {word for word in words if word not in _SIGNS and not word.startswith((r"\math", r"\b"))}


def _is_zero(node: f.Node) -> bool:
    inner = node.body if isinstance(node, f.Negative) else node
    return isinstance(inner, f.Number) and inner.value == 0
