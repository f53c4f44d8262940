"""Formulas as they are typed, drawn: MathML of what the parser reads, and what a repair changes."""

import difflib
import re
from collections.abc import Collection
from html import escape

from workings.errors import WorkingsError, first_line
from workings.formula.parsing.parse import parse
from workings.formula.printing.mathml import mathml
from workings.formula.printing.text import GREEK_LETTERS

_OPEN, _CLOSE = '<math xmlns="http://www.w3.org/1998/Math/MathML" display="block">', "</math>"
_INSIDE = re.compile(r"<math[^>]*>(.*)</math>", re.DOTALL)
_SIGNS = {
    r"\odot": "⊙",
    r"\cdot": "·",
    r"\times": "×",
    r"\top": "ᵀ",
    r"\sum": "∑",
    r"\partial": "∂",
}
_UPRIGHT = re.compile(r"\\(?:mathrm|mathbf|text|operatorname|boldsymbol)\{([^{}]*)\}")
_COMMAND = re.compile(r"\\[A-Za-z]+(?![A-Za-z{])")
_LEAF = re.compile(r"<(mi|mo|mn|mtext)((?: [^>]*)?)>([^<]*)</\1>")


def drawn(text: str, words: Collection[str] = (), functions: Collection[str] = ()) -> str:
    """A statement as MathML; raises where it is not read."""
    statement = parse(text, words, functions)
    parts = [_INSIDE.fullmatch(mathml(side)) for side in statement.sides]
    inner = [part[1] if part else "" for part in parts]
    row = inner[0]
    for relation, side in zip(statement.relations, inner[1:], strict=True):
        row += f"<mo>{escape(relation)}</mo>{side}"
    return f"{_OPEN}<mrow>{row}</mrow>{_CLOSE}"


def drawn_or_why(
    text: str, words: Collection[str] = (), functions: Collection[str] = ()
) -> dict[str, str]:
    """A statement as MathML, or why it is not read."""
    try:
        return {"math": drawn(text, words, functions)}
    except WorkingsError as error:
        return {"why": first_line(error)}


def in_signs(words: str) -> str:
    """A sentence with LaTeX in it, its commands as the signs that they print."""
    words = _UPRIGHT.sub(r"\1", words).replace(r"^\top", "ᵀ")
    known = {**GREEK_LETTERS, **_SIGNS}
    return _COMMAND.sub(lambda command: known.get(command[0], command[0][1:]), words)


def marked(before: str, after: str) -> tuple[str, str]:
    """Two drawings, with the signs that differ marked: `gone` in one, `new` in the other."""
    old, new = list(_LEAF.finditer(before)), list(_LEAF.finditer(after))
    match = difflib.SequenceMatcher(None, [m[3] for m in old], [m[3] for m in new], False)
    gone: set[int] = set()
    added: set[int] = set()
    for tag, i1, i2, j1, j2 in match.get_opcodes():
        if tag != "equal":
            gone |= set(range(i1, i2))
            added |= set(range(j1, j2))
    return _with_class(before, gone, "gone"), _with_class(after, added, "new")


def _with_class(text: str, numbers: set[int], name: str) -> str:
    count = -1

    def leaf(match: re.Match[str]) -> str:
        nonlocal count
        count += 1
        if count not in numbers:
            return match[0]
        return f'<{match[1]}{match[2]} class="{name}">{match[3]}</{match[1]}>'

    return _LEAF.sub(leaf, text)
