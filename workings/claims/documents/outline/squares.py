r"""Squares that are names: S^2 = … and \sigma^2 = … say what a square is, and nothing of its root.

Such a square is spelt S^{(sq)}, one name, wherever a document has it, and shown as it was written.
"""

import re
from collections.abc import Iterable

from workings.claims.documents.files.sources import Builder, Text, constant
from workings.claims.documents.outline import class_labels, probabilities

LABEL = "{(sq)}"
_LETTER = r"(?<![A-Za-z\\])(?:\\(?:hat|bar|tilde)\s*\{\s*)?(\\[A-Za-z]+|[A-Za-z])(?:\s*\})?"
_SUB = r"(?:\s*_\s*(?:\{[^{}]*\}|[A-Za-z0-9]|\\[A-Za-z]+))?"
_TWO = r"(?:2(?!\s*[0-9])|\{\s*2\s*\})"
_SQUARE = re.compile(rf"{_LETTER}{_SUB}\s*\^\s*({_TWO})")
_NAMED = re.compile(rf"\s*{_LETTER}{_SUB}\s*\^\s*{_TWO}{_SUB}\s*:?")
_OTHERS = frozenset(["e", "i", "d", r"\partial", r"\nabla", r"\Delta"])


def named_squares(sides: Iterable[tuple[str, str]], texts: Iterable[str]) -> frozenset[str]:
    """The letters that a document defines by their squares, and never has without the square.

    sides: the first two sides of its equations; texts: all its formulas.
    """
    found = set()
    for left, right in sides:
        match = _NAMED.fullmatch(left)
        if match and _letters(right) and match[1] not in _OTHERS | _letters(right):
            found.add(match[1])
    if not found:
        return frozenset()
    for text in texts:
        found -= _letters(_SQUARE.sub(" ", text))
    return frozenset(found)


def _letters(text: str) -> set[str]:
    return set(re.findall(r"\\[A-Za-z]+|[A-Za-z]", text))


def with_named_squares(text: Text, letters: frozenset[str]) -> Text:
    """A formula in which the squares of these letters are names."""
    if not letters:
        return text
    builder, at = Builder(), 0
    for match in _SQUARE.finditer(text.text):
        if match[1] in letters:
            start, end = match.span(2)
            builder.add(text[at:start])
            builder.add(constant(LABEL, text.offset_of(start), text.ends[end - 1]))
            at = end
    builder.add(text[at:])
    return builder.build() if at else text


def as_written(text: str) -> str:
    """A formula, or a reason, with squares and probabilities as the author writes them."""
    text = class_labels.as_written(probabilities.as_written(text))
    return text.replace(f"^{LABEL}", "^2").replace("^(sq)", "^2")
