r"""Signs that a text gives another meaning in words: × is a cross product, angles are in degrees.

A formula with such a sign is not read: it counts neither that it holds as it is read, nor that it
does not.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class _Meaning:
    words: "re.Pattern[str]"
    sign: "re.Pattern[str]"
    """what a formula must have for the words to matter to it"""
    leads: bool = False
    """whether only the sentence that the formula stands in counts"""


def _meaning(words: str, sign: str, leads: bool = False) -> _Meaning:
    return _Meaning(re.compile(words, re.IGNORECASE), re.compile(sign), leads)


_ANY = r"(?s:.)"
_NORM = r"\\\||\\[lr]?Vert|\\norm(?![A-Za-z])|‖"
_MACHINE = r"\b(?:float\s?\d+|fp\d+|bfloat16|u?int\d+)\b"
_MEANINGS = (
    _meaning(
        r"\bcross[- ]products?\b|(?<!matrix[- ])\bvector products?\b",
        r"[A-Za-z)}\]]\s*(?:\\times|×)\s*[A-Za-z\\({]",
    ),
    _meaning(
        r"\bdegrees\b(?! of freedom)|°", r"(?<![A-Za-z])\\?(?:sin|cos|tan|cot|sec|csc)(?![a-z])"
    ),
    _meaning(
        rf"\b(?:half|single|double|machine|finite) precision\b|\bfixed[- ]point\b|{_MACHINE}"
        r"|\b(?:saturating|integer|machine|modular) arithmetic\b",
        _ANY,
        leads=True,
    ),
    _meaning(r"\b(?:in floating[- ]point|floating[- ]point arithmetic|integer division)\b", _ANY),
    _meaning(r"\\mathbb\s*\{?\s*Z\s*\}?\s*(?:_\s*\{?\s*[\dmnpq]|/)", _ANY),
    _meaning(
        r"\brow-?\s?major\b|\b(?:stack|concatenat)\w*[^.]{0,30}\brows\b|\brow by row\b"
        r"|\bvec\w*[^.]{0,30}\brow-?\s?wise\b",
        r"(?<!\\)vec(?![a-z])",
    ),
    _meaning(
        r"\bcolumn-?\s?wise\b"
        r"|\b(?:over|along|across|per|down) (?:the |each |every |all |its )*columns?\b(?! vec)"
        r"|\b(?:each|every) column (?:sums?|adds?)\b|\bcolumns (?:sum|add)\b|\bdim ?= ?0",
        r"softmax",
    ),
    _meaning(
        r"(?:\b(?:1|one|p|L[- ]?1|L[- ]?inf\w*|max|maximum|infinity|supremum|sup|spectral|operator"
        r"|nuclear|weighted|Mahalanobis|Manhattan|taxicab|Chebyshev|induced|trace|energy)"
        r"|\\ell_?\s*\{?(?:1|p|\\infty)\}?|ℓ1|ℓ₁|\$[1p]\$)\$?[- ][^.$]{0,12}\bnorm\b",
        _NORM,
    ),
    _meaning(r"\$\s*\|[^$|]+\|\s*\$[^.]{0,40}\bnorm\b", r"\|"),
    _meaning(
        r"\$[^$]*(?:\\\||\\[lr]?Vert|‖)\s*\\?[A-Za-z]+\s*(?:\\\||\\[lr]?Vert|‖)(?:\s*_\s*\w)?"
        r"\s*:?=\s*(?:\\max|\\sup|\\sum_?\s*\{?\w*\}?\s*\||\\sqrt\s*\{[^$]*\^\s*\{?(?:T|\\top|\\intercal)"
        r"\}?\s*[A-Z\\])",
        _NORM,
    ),
    _meaning(r"\b(?:forward|backward|finite|central|divided) differences?\b", r"\\Delta|\\nabla"),
    _meaning(r"\bLaplac\w+", r"\\nabla\s*\^"),
)
_PAIR = r"\(\s*\d+\s*(?:\\times|×)\s*\d+\s*\)"
_PAIRS = re.compile(
    rf"\s*{_PAIR}(?:\s*(?:\\cdot|\\times|×)?\s*{_PAIR})*\s*=\s*\(?\s*\d+\s*(?:\\times|×)\s*\d+\s*\)?"
    r"[\s.,;]*"
)


def other_meaning(sentence: str, formulas: Iterable[str], leads: bool) -> "re.Match[str] | None":
    """The words of a sentence by which a sign of one of the formulas is another; None if none.

    leads: whether the first formula is a part of the sentence.
    """
    formulas = list(formulas)
    for each in _MEANINGS:
        if each.leads and not leads:
            continue
        found = each.words.search(sentence)
        if found and any(each.sign.search(formula) for formula in formulas):
            return found
    return None


def multiplies_shapes(formula: str) -> bool:
    r"""Whether it is (32 \times 784)(784 \times 10) = (32 \times 10), of sizes and no numbers."""
    return _PAIRS.fullmatch(formula) is not None
