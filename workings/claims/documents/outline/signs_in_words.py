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
_NORMS = r"\\\||\\[lr]?Vert|\\norm(?![A-Za-z])|‖|\||\\[lr]?vert"
_MEANINGS = (
    _meaning(r"\b(?:cross|vector|outer|Kronecker)[- ]products?\b", r"\\times|×"),
    _meaning(r"\bdegrees\b|°", r"(?<![A-Za-z])\\?(?:sin|cos|tan|cot|sec|csc)(?![a-z])"),
    _meaning(
        r"\b(?:in|with|under|at) (?:\w+ )?(?:half|single|double|machine|finite|fixed|float\s?\d+"
        r"|fp\d+|bfloat16|u?int\d+|floating[- ]point|saturating|wrap\w*|integer)\b",
        _ANY,
        leads=True,
    ),
    _meaning(r"\b(?:in floating[- ]point|floating[- ]point arithmetic|integer division)\b", _ANY),
    _meaning(r"\\mathbb\s*\{?\s*Z\s*\}?\s*(?:_|/)|\bresidues?\b|\bcongruen\w+", _ANY),
    _meaning(
        r"\brow-?\s?(?:major|wise)\b|\b(?:stack|concatenat)\w*[^.]{0,30}\brows\b|\brow by row\b",
        r"vec(?![a-z])",
    ),
    _meaning(
        r"\bcolumn-?\s?wise\b|\b(?:over|along|across|per|to|down|for|of|by) (?:\w+ ){0,2}columns?\b"
        r"|\b(?:over|along) (?:the )?(?:first (?:axis|dimension)|axis 0)|\bdim(?:ension)? ?= ?0",
        r"softmax|\\mathrm\{softmax",
    ),
    _meaning(
        r"(?:\b(?:1|one|p|L[- ]?1|L[- ]?inf\w*|max\w*|infinity|supremum|sup|spectral|operator"
        r"|nuclear|weighted|Mahalanobis|Manhattan|taxicab|Chebyshev|induced|trace|energy)"
        r"|\\ell_?\s*\{?(?:1|p|\\infty)\}?|\$[1p]\$)\$?[- ][^.$]{0,12}\bnorm\b",
        _NORMS,
    ),
    _meaning(
        r"\$[^$]*(?:\\\||\\[lr]?Vert|‖)\s*\\?[A-Za-z]+\s*(?:\\\||\\[lr]?Vert|‖)(?:\s*_\s*\w)?"
        r"\s*:?=\s*(?:\\max|\\sup|\\sum_?\s*\{?\w*\}?\s*\||\\sqrt\s*\{[^$]*\^\s*\{?(?:T|\\top|\\intercal)"
        r"\}?\s*[A-Z\\])",
        _NORMS,
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
