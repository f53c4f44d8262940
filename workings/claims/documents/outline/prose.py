"""The words around a formula: those before the sign that opens it, and behind the one that ends it.

Comments are blank: they are the author's notes and no part of the text.
"""

import re

from workings.claims.documents.files.document import Document
from workings.claims.documents.outline.statements import Statement

_OPENING = re.compile(r"\$\$|\\\[|\\begin\s*\{[^{}]*\}|```math|\$|\\\(")
_CLOSING = re.compile(r"\$\$|\\\]|\\end\s*\{[^{}]*\}|```|\$|\\\)")
_TEX_COMMENT = re.compile(r"(?<!\\)%[^\n]*")
_PAGE_COMMENT = re.compile(r"<!--.*?(?:-->|$)", re.DOTALL)


def words_before(document: Document, statement: Statement, reach: int) -> tuple[int, str]:
    """At most so many characters before a formula, with where they begin in their file."""
    source, start = document.sources.locate(statement.row.text.offset)
    begin = max(0, start - reach)
    text = _without_comments(source.text[begin:start], source.path.suffix)
    openings = list(_OPENING.finditer(text))
    return begin, text[: openings[-1].start()] if openings else text


def words_behind(document: Document, statement: Statement, reach: int) -> str:
    """At most so many characters behind a formula; none where nothing closes it so soon."""
    offsets = [statement.row.text.offset, *statement.row.text.ends[-1:]]
    source, end = document.sources.locate(max(offsets))
    text = _without_comments(source.text[end : end + reach], source.path.suffix)
    closing = _CLOSING.search(text)
    return text[closing.end() :] if closing else ""


def _without_comments(text: str, suffix: str) -> str:
    comment = _TEX_COMMENT if suffix.lower() == ".tex" else _PAGE_COMMENT
    return comment.sub(lambda match: " " * len(match[0]), text)
