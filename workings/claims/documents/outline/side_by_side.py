r"""Statements side by side in a line: "a = b, \quad c = d", "where c = d", "if x > 0"."""

import re
from collections.abc import Iterator
from dataclasses import replace

from workings.claims.documents.files.sources import Text, join
from workings.claims.documents.outline.declarations import read_member
from workings.claims.documents.outline.sides import (
    IS_RELATION,
    Row,
    is_equality,
    split_sides,
    with_depth,
)

_NUMBERED = re.compile(r"\s*\(\s*[\w.*'-]{1,8}\s*\)\s*")
_WORDS = re.compile(r"\\(?:text|mbox|textrm|textit|textbf|mathrm|textnormal)\s*\{([^{}]*)\}")
CONNECTIVES = frozenset(
    """and or where with for if when unless provided assuming since because so thus hence therefore
    then otherwise as by from using is are on in which that we let suppose given""".split()  # noqa: SIM905
)
_WIDE = re.compile(r"(?:\\[,;:>]\s*){3,}")  # as wide as a \\quad
_EQUAL_INDICES = re.compile(r"\s*[ijklmnst]\s*=\s*[ijklmnst]\s*[.,;]?\s*")
REASONS = frozenset(["using", "since", "because", "by", "from", "as", "via", "due", "recall"])
_RESTRICTS = frozenset(["if", "when", "unless", "provided", "assuming", "otherwise", "suppose"])


def statements_of(line: Text) -> Iterator[Row]:
    """The statements that stand side by side in a line."""
    line = _without_quantifier(line)
    current: Row | None = None
    connective, in_range = "", False
    for separator, piece in _pieces(line):
        words = _WORDS.fullmatch(separator)
        connective = words[1].strip().lower() if words else connective if not separator else ""
        first = connective.split(" ")[0] if connective else ""
        if not piece.text.strip(" \t\r\n.,;") or _NUMBERED.fullmatch(piece.text):
            if current and first in _RESTRICTS:
                current = replace(current, condition=connective)
            continue
        sides = split_sides(piece.strip())
        whole = len(sides) > 1 and all(side.text.text for side in sides)
        if current is None:
            current = Row(piece)
        elif _is_range(piece.text, first) or (in_range and not whole):
            in_range = True
            continue
        elif whole and first in REASONS:
            continue  # "using z = x + 1" is why, and no further statement
        elif whole and read_member(piece.text):
            continue  # x_i \in \mathbb{R} restricts nothing
        elif whole and (
            first in _RESTRICTS
            or first == "for"
            or not is_equality(sides[1])
            or _EQUAL_INDICES.fullmatch(piece.text)
        ):
            current = replace(current, condition=f"{connective} {piece.text.strip()}".strip())
        elif whole and len(split_sides(current.text)) > 1:
            yield replace(current, text=trimmed(current.text))
            current = Row(piece)
        elif not words:
            current = replace(current, text=join([current.text, piece], separator or " "))
        if words:
            connective = ""
    if current is not None:
        text = trimmed(current.text)
        if text.text:
            yield replace(current, text=text)


def _without_quantifier(line: Text) -> Text:
    r"""A line without \forall i at its end: every formula with an index i is said for every i."""
    for match, depth in with_depth(line.text):
        before = line[: match.start()]
        if depth == 0 and match[0] in (r"\forall", "∀") and IS_RELATION.search(before.text):
            return before
    return line


def trimmed(text: Text) -> Text:
    r"""A statement without the spaces and signs of punctuation around it, "\\,." too."""
    plain, end, over = text.text, len(text), -1
    while end != over:
        over = end
        while end and (plain[end - 1].isspace() or plain[end - 1] in ".,;"):
            end -= 1
        start = end
        while start and plain[start - 1] == "\\":
            start -= 1
        end = start if (end - start) % 2 else end  # what is left of "\\,"; "\\\\" is a line's end
    return text[:end].without_stops()


def _pieces(line: Text) -> Iterator[tuple[str, Text]]:
    r"""What stands between \quad, words and commas, with what stood before it."""
    start, separator = 0, ""
    over = 0
    for match, depth in with_depth(line.text):
        if match.start() < over or depth:
            continue
        end = match.end()
        words = _WORDS.match(line.text, match.start())
        called = words and _CALLED.match(line.text, words.end()) and words[1] == words[1].strip()
        first_word = words[1].strip().lower().split(" ")[0] if words else ""
        named = called and first_word not in CONNECTIVES
        if words and (named or not _is_prose(words[1])):
            over = words.end()
            continue
        if words:
            end = words.end()
        elif wide := _WIDE.match(line.text, match.start()):
            end = wide.end()
        elif match[0] not in (r"\quad", r"\qquad", r"\wedge", r"\land", ",", ";"):
            continue
        over = end
        piece = line[start : match.start()]
        if piece.text.strip() or words:
            yield separator, piece
            separator = words[0] if words else match[0]
        start = end
    yield separator, line[start:]


def _is_prose(words: str) -> bool:
    """Whether \\text{…} holds words between formulas and not a function's or a symbol's name."""
    first = words.strip().lower().split(" ")[0].strip(".,:;")
    return first in CONNECTIVES or " " in words.strip() or words != words.strip()


_CALLED = re.compile(  # \text{Cross entropy}(y, p), and no number of an equation
    r"\s*(?:\\left|\\[bB]igg?l?)?\s*\((?!\s*\d*\s*\))"
)


def _is_range(piece: str, connective: str) -> bool:
    """i = 1, …, n and "for all i" restrict nothing."""
    if re.match(r"\s*(?:\\[ld]?dots|\\cdots|\.\.\.|…)", piece):
        return True
    if re.match(r"\s*[a-zA-Z]\s*(?:=\s*[01]\s*$|\\in(?![a-z]))", piece):
        return True
    return connective == "for" and not IS_RELATION.search(piece)
