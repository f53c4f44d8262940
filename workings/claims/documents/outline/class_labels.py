r"""Labels that are numbers of classes: 1\{y_i = k\}, \log p_y, a sum over j ≠ y_i.

Where a document asks whether y_i is k, y_i is no value but says which entry counts. The answer is
spelt as an entry of a one-hot matrix, \mathrm{onehoty}_{i,k}; p_{y_i} is the sum of all p_q with
it, and what is summed over j ≠ y_i has a factor that is 0 for j = y_i.
"""

import re
from collections.abc import Iterable

from workings.claims.documents.files.sources import Text
from workings.claims.documents.outline.plain_signs import replaced

PREFIX = "onehot"
_LABEL = r"(?P<label>[ytco])(?:\s*_\s*(?P<of>\{\s*[a-z]\s*\}|[a-z]))?(?![A-Za-z_])"
_INDEX = r"(?<![A-Za-z_\\])(?P<index>[i-nq])(?![A-Za-z_^])"
_BEHIND = _LABEL.replace("label>", "last>").replace("of>", "which>")
_BEFORE = _INDEX.replace("index>", "first>")
_RELATED = rf"(?:{_LABEL}\s*=\s*{_INDEX}|{_BEFORE}\s*=\s*{_BEHIND})"
_ONE = (
    r"(?:\\(?:mathbb|mathbf|mathds|mathbbm|bm|boldsymbol|mathrm)\s*\{?\s*[1I]\s*\}?"
    r"|(?<![\w.^_}])1)"
)
_OPEN = r"\s*+_?\s*(?:\\left\s*)?(?:\{\s*)?(?:\\\{|\\lbrace|[\[({])\s*"
_CLOSE = r"\s*(?:\\right\s*)?(?:\\\}|\\rbrace|[\])}])"
_INDICATOR = re.compile(_ONE + _OPEN + _RELATED + _CLOSE)
_SUMMED = re.compile(
    rf"(\\sum(?:\s*\\limits)?\s*_\s*\{{)\s*{_BEFORE}\s*(?:\\neq?(?![A-Za-z])|≠)\s*{_BEHIND}\s*\}}"
)
_DELTA = re.compile(rf"\\delta\s*_\s*\{{\s*{_BEFORE}?(?P<plain>[i-nq])?\s*+,?\s*{_BEHIND}\s*\}}")
_CASE = re.compile(
    rf"(?P<start>&\s*(?:\\(?:text|mbox|textrm)\s*\{{[^{{}}]*\}}|\\quad|\\;|\s)*)"
    rf"{_BEFORE}\s*(?P<sign>=|\\neq?(?![A-Za-z])|≠)\s*{_BEHIND}"
)
_CHOSEN = re.compile(
    rf"(?P<base>\\(?:hat|tilde|bar)\s*\{{?\s*[A-Za-z]\s*\}}?|(?<![A-Za-z\\])[A-Za-z])\s*"
    rf"_\s*(?:\{{\s*{_LABEL}\s*\}}|(?P<last>[ytco])(?![A-Za-z_]))"
)

_HOT = re.compile(
    rf"\\mathrm\s*\{{{PREFIX}(?P<label>[a-z])\}}\s*_\s*"
    r"\{?\s*(?:(?P<of>[a-z])\s*+,?\s*)??(?P<index>[a-pr-z])\s*(?:\}|(?![A-Za-z,}]))"
)


def class_labels(texts: Iterable[str]) -> frozenset[str]:
    """The letters of labels that are asked for: y where 1{y_i = k} stands, and \\log p_y.

    A letter that sums run over, or whose entries y_k a document writes, is none by itself.
    """
    whole = "\n".join(texts)
    found: set[str] = set()
    for match in _INDICATOR.finditer(whole):
        letter, of = match["label"] or match["last"], match["of"] or match["which"]
        summed = re.search(rf"\\sum(?:\s*\\limits)?\s*_\s*\{{?\s*{letter}(?![A-Za-z_])", whole)
        chosen = any(letter in (each["label"], each["last"]) for each in _CHOSEN.finditer(whole))
        entries = re.search(rf"(?<![A-Za-z\\]){letter}\s*_\s*\{{?\s*[jk]\b", whole)
        if not summed and (of or (chosen and not entries)):
            found.add(letter)
    return frozenset(found)


def with_one_hot(text: Text, letters: frozenset[str]) -> Text:
    """A formula in which every question for a label is an entry of a one-hot matrix."""
    if not letters:
        return text

    def hot(letter: str, of: str | None, index: str) -> str | None:
        below = f"{of.strip('{} ')},{index}" if of else index
        return rf"\mathrm{{{PREFIX}{letter}}}_{{{below}}}" if letter in letters else None

    def asked(match: "re.Match[str]") -> str | None:
        if match["label"]:
            return hot(match["label"], match["of"], match["index"])
        return hot(match["last"], match["which"], match["first"])

    def summed(match: "re.Match[str]") -> str | None:
        entry = hot(match["last"], match["which"], match["first"])
        return f"{match[1]}{match['first']}}} (1 - {entry})" if entry else None

    def delta(match: "re.Match[str]") -> str | None:
        index = match["first"] or match["plain"]
        return hot(match["last"], match["which"], index) if index else None

    def case(match: "re.Match[str]") -> str | None:
        entry = hot(match["last"], match["which"], match["first"])
        return f"{match['start']}{entry} = {1 if match['sign'] == '=' else 0}" if entry else None

    def chosen(match: "re.Match[str]") -> str | None:
        entry = hot(match["label"] or match["last"], match["of"], "q")
        return rf"(\sum_{{q}} {entry} {match['base']}_{{q}})" if entry else None

    for pattern, by in (
        (_INDICATOR, asked), (_SUMMED, summed), (_DELTA, delta), (_CASE, case), (_CHOSEN, chosen),
    ):  # fmt: skip
        text = replaced(text, pattern, by)
    return text


def as_written(text: str) -> str:
    """A formula, or a reason, with questions for labels as authors write them."""

    def question(match: "re.Match[str]") -> str:
        of = f"_{match['of']}" if match["of"] else ""
        return rf"\mathbb{{1}}\{{{match['label']}{of} = {match['index']}\}}"

    return _HOT.sub(question, text)
