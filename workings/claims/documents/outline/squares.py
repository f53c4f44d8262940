r"""Squares that are names: S^2 = … and \sigma^2 = … say what a square is, and nothing of its root.

Such a square is spelt S^{(sq)}, one name, wherever a document has it, and shown as it was written.
Where the document has the root as well, as in (x - \mu) / \sigma, its equation says what that is:
\sigma = \sqrt{…}.
"""

import re
from collections.abc import Iterable

from workings.claims.documents.files.sources import Builder, Text, constant, join
from workings.claims.documents.outline import class_labels, own_meanings, probabilities
from workings.claims.documents.outline.plain_signs import replaced
from workings.claims.documents.outline.sides import split_sides
from workings.claims.documents.outline.sigma_in_words import SIGMA

LABEL = "{(sq)}"
_LETTER = r"(?<![A-Za-z\\])(?:\\(?:hat|bar|tilde)\s*\{\s*)?(\\[A-Za-z]+|[A-Za-z])(?:\s*\})?"
_SUB = r"(?:\s*_\s*(?:\{[^{}]*\}|[A-Za-z0-9]|\\[A-Za-z]+))?"
_TWO = r"(?:2(?!\s*[0-9])|\{\s*2\s*\})"
_SQUARE = re.compile(rf"{_LETTER}{_SUB}\s*\^\s*({_TWO})")
_NAMED = re.compile(rf"\s*{_LETTER}{_SUB}\s*\^\s*{_TWO}{_SUB}\s*:?")
_ROOT = re.compile(rf"\s*{_LETTER}{_SUB}\s*:?")
_SIGMA = re.compile(r"\\sigma(?![A-Za-z])(?!\s*(?:\\left\s*)?\()")
_SQUARE_SIGN = re.compile(rf"\s*\^\s*{_TWO}")
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


def rooted_squares(
    sides: Iterable[tuple[str, str]], texts: Iterable[str], squares: frozenset[str]
) -> frozenset[str]:
    """The letters that are defined by their squares alone, and have a root that is used as well.

    squares: those of which only the square is used.
    """
    found, plain = set[str](), set[str]()
    for left, right in sides:
        match = _NAMED.fullmatch(left)
        if match and _letters(right) and match[1] not in _OTHERS | _letters(right):
            found.add(match[1])
        elif whole := _ROOT.fullmatch(left):
            plain.add(whole[1])
    alone = {letter for text in texts for letter in _letters(_SQUARE.sub(" ", text))}
    return frozenset((found & alone) - plain - squares)


def with_roots(text: Text, letters: frozenset[str]) -> Text:
    r"""The equation \sigma = \sqrt{…} for \sigma^2 = …, of these letters.

    A σ that is a number has a name of its own, beside the function σ.
    """
    text = _with_root(text, letters)
    if SIGMA in letters:
        text = replaced(text, _SIGMA, lambda _: own_meanings.OWN_SIGMA)
    return text


def _with_root(text: Text, letters: frozenset[str]) -> Text:
    sides = split_sides(text) if letters else []
    if len(sides) != 2 or sides[1].relation not in ("=", ":="):
        return text
    left, body = sides[0].text, sides[1].text.strip(" \t\r\n.,;")
    match, square = _NAMED.fullmatch(left.text), _SQUARE_SIGN.search(left.text)
    if match is None or square is None or match[1] not in letters or not body.text:
        return text
    here, end = body.offset, body.ends[-1]
    root, closing = constant(r" = \sqrt{", here, here), constant("}", end, end)
    name = join([left[: square.start()], left[square.end() :]])
    return join([name, root, body, closing])


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
    text = own_meanings.as_written(class_labels.as_written(probabilities.as_written(text)))
    return text.replace(f"^{LABEL}", "^2").replace("^(sq)", "^2")
