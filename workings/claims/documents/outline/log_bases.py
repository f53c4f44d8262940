r"""The base of \log: e as a rule, 2 where entropies are in bits, 10 in tables of decibels."""

import re
from collections.abc import Iterable

from workings.claims.documents.files.sources import Text
from workings.claims.documents.outline.plain_signs import replaced

OTHER_BASES = ("2", "10")
_PLAIN = re.compile(r"\\log(?![A-Za-z])(?!\s*_)")
_SAID = {
    "2": re.compile(
        r"\bbits?\b|\bbinary logarithms?\b|\bbase[\s$-]{0,3}2\b|\blog_2\b", re.IGNORECASE
    ),
    "10": re.compile(
        r"\bbase[\s$-]{0,3}10\b|\bdecimal logarithms?\b|\blog_\{10\}|\bdecibels?\b|\bdB\b",
        re.IGNORECASE,
    ),
}
_STATED = {
    base: re.compile(
        rf"\blog(?:arithm)?s?\b\$?[^.]{{0,60}}\bbase[\s$-]{{0,3}}{base}\b"
        rf"|\bbase[\s$-]{{0,3}}{base}\b[^.]{{0,30}}\blog(?:arithm)?s?\b|\b{named} logarithms?\b",
        re.IGNORECASE,
    )
    for base, named in (("2", "(?:binary|dyadic)"), ("10", "(?:decimal|common)"))
}


def has_plain_log(texts: Iterable[str]) -> bool:
    r"""Whether a formula has a \log without a base."""
    return any(_PLAIN.search(text) for text in texts)


def is_said(base: str, texts: Iterable[str]) -> bool:
    """Whether a document speaks of this base."""
    return any(_SAID[base].search(text) for text in texts)


def is_stated(base: str, texts: Iterable[str]) -> bool:
    r"""Whether a sentence says that \log has this base."""
    return any(_STATED[base].search(text) for text in texts)


def to_base(text: Text, base: str) -> Text:
    r"""A formula in which every \log without a base has this one; "" leaves it as it is."""
    return replaced(text, _PLAIN, lambda _: rf"\log_{{{base}}}") if base else text
