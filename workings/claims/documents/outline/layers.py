r"""Superscripts that count layers: W^l and W^{l+1} are names, and what is said of l holds for all.

Where a document writes a letter such as l with and without 1 above its symbols, W^l is spelt
W^{(l)}; what it defines for l is defined for l + 1 and L as well, wherever it speaks of them.
"""

import re
from collections.abc import Iterable

from workings.claims.documents.files.sources import Builder, Text, constant
from workings.claims.documents.outline.plain_signs import replaced

_LETTER = r"\\ell(?![A-Za-z])|[lL](?![A-Za-z])"
_RAISED = re.compile(
    r"\^\s*(?:(?P<sign>\\ell(?![A-Za-z])|[lL])"  # of ^la_i only the l is raised
    rf"|\{{\s*(?P<open>[\[(]?)\s*(?P<label>(?P<letter>{_LETTER})\s*(?P<shift>[-+]\s*\d)?)\s*[\])]?\s*\}})"
)
_VARIED = re.compile(  # a derivative by W^L is by no power
    rf"\\partial\s*\{{?\s*(?:\\math[a-z]+\s*\{{)?[A-Za-z]\}}?\s*\^\s*\{{?\s*({_LETTER})"
)
_RAISED_OR_IN_BRACKETS = re.compile(
    rf"{_RAISED.pattern}"
    r"|\^\s*\{\s*(?:\[|<|\\langle(?![A-Za-z]))\s*(?P<inside>[A-Za-z0-9]+\s*(?:[-+]\s*\d+)?)"
    r"\s*(?:\]|>|\\rangle)\s*\}"
)
_LOWERED = re.compile(
    r"_\s*(?:(?P<sign>[lL](?![A-Za-z]))|\{\s*(?P<label>[lL]\s*(?P<shift>[-+]\s*\d)?)\s*\})"
)
_SUMMED = re.compile(r"\\sum(?:\s*\\limits)?\s*_\s*\{?\s*l(?![A-Za-z])")
_LAYER = r"[\[(]\s*(?P<layer>(?:[lL]|\\ell|\d)\s*(?:[-+]\s*\d)?)\s*[\])]"
_PRIME = re.compile(r"'|\\prime")
_FUNCTION = re.compile(
    r"(?<![A-Za-z\\])(?P<name>[fg]|\\(?:sigma|phi|varphi|psi)(?![A-Za-z]))\s*+'?\s*"
    rf"\^\s*\{{\s*{_LAYER}\s*(?:'|\\prime)?\s*\}}\s*(?:'|\^\s*\{{?\\prime\s*\}}?)?\s*"
    r"(?=(?:\\left|\\[bB]igg?l?)?\s*\()"
)
_LABEL_AND_T = re.compile(rf"\^\s*\{{\s*{_LAYER}\s*\^?\s*\{{?\s*(?:T|\\top)\s*\}}?\s*\}}")
_WRAPPER = re.compile(r"\\math(?:ord|op|bin|rel|inner|open|close)(?![A-Za-z])")
_STAR = re.compile(r"\^\s*\{?\s*(\\(?:star|ast)(?![A-Za-z]))")
_TRANSPOSED = re.compile(
    r"\^\s*(?:\{\s*(?:\\top|T|\\mathrm\s*\{T\})\s*\}|\\top(?![A-Za-z])|T(?![A-Za-z]))\s*"
    r"(?P<index>_\s*(?:\{[^{}]*\}|[A-Za-z0-9]))"
)
_LABEL = re.compile(
    rf"(?P<open>[\[(])\s*(?P<letter>{_LETTER})\s*(?P<shift>[-+]\s*\d)?\s*(?P<close>[\])])"
)


def layer_letters(texts: Iterable[str]) -> frozenset[str]:
    """The letters that count layers: they stand above symbols, with ±1 too, or as in ∂W^L."""
    letters: set[str] = set()
    shifted: set[str] = set()
    for text in texts:
        for match in _RAISED.finditer(text):
            letter = match["sign"] or match["letter"]
            letters.add(letter)
            if match["shift"]:
                shifted.add(letter)
        shifted.update(match[1] for match in _VARIED.finditer(text))
    return frozenset(letters & (shifted | {"L"})) if shifted else frozenset()


def counts_layers_below(texts: Iterable[str]) -> bool:
    """Whether a document counts layers below its symbols, W_l beside W_{l+1}, and none above."""
    texts = list(texts)
    shifted = any(match["shift"] for text in texts for match in _LOWERED.finditer(text))
    summed = any(_SUMMED.search(text) for text in texts)
    return shifted and not summed and not layer_letters(texts)


def raised(text: Text) -> Text:
    """A formula in which W_l is W^{(l)}."""
    builder, at = Builder(), 0
    for match in _LOWERED.finditer(text.text):
        start, end = match.span("label") if match["label"] else match.span("sign")
        builder.add(text[at : match.start()])
        builder.add(constant("^{(", text.offset_of(start), text.offset_of(start)))
        builder.add(text[start:end])
        builder.add(constant(")}", text.ends[end - 1], text.ends[end - 1]))
        at = match.end()
    builder.add(text[at:])
    return builder.build() if at else text


def spelt(text: Text, letters: frozenset[str]) -> Text:
    """A formula in which W^l, W^{[l]} and W^{<l>} are W^{(l)}, each letter where it stands."""
    text = _with_stars(text.removed(_WRAPPER))
    if "^" not in text.text:
        return text
    text = _functions(_index_first(text))
    builder, at = Builder(), 0
    for match in _RAISED_OR_IN_BRACKETS.finditer(text.text):
        group = next(name for name in ("sign", "label", "inside") if match[name])
        plain = group != "inside"
        if plain and (match["open"] == "(" or (match["sign"] or match["letter"]) not in letters):
            continue
        start, end = match.span(group)
        builder.add(text[at : match.start() + 1])
        builder.add(constant("{(", text.offset_of(start), text.offset_of(start)))
        builder.add(text[start:end])
        builder.add(constant(")}", text.ends[end - 1], text.ends[end - 1]))
        at = match.end()
    builder.add(text[at:])
    return builder.build() if at else text


def _functions(text: Text) -> Text:
    r"""g'(z) of g^{[l]'}(z), since its argument says which layer it is; a^{(l)}^T of a^{[l]T}."""

    def plain(match: "re.Match[str]") -> str:
        return match["name"] + ("'" if _PRIME.search(match[0]) else "")

    text = replaced(text, _FUNCTION, plain)
    return replaced(text, _LABEL_AND_T, lambda match: f"^{{({match['layer']})}}^T")


def _with_stars(text: Text) -> Text:
    r"""w^* of w^\star."""
    builder, at = Builder(), 0
    for match in _STAR.finditer(text.text):
        builder.add(text[at : match.start(1)])
        builder.add(constant("*", text.offset_of(match.start(1)), text.ends[match.end(1) - 1]))
        at = match.end(1)
    builder.add(text[at:])
    return builder.build() if at else text


def _index_first(text: Text) -> Text:
    r"""y_t^\top of y^\top_t: what is transposed has the index."""
    builder, at = Builder(), 0
    for match in _TRANSPOSED.finditer(text.text):
        builder.add(text[at : match.start()])
        builder.add(text[match.start("index") : match.end("index")])
        builder.add(text[match.start() : match.start("index")])
        at = match.end()
    builder.add(text[at:])
    return builder.build() if at else text


def spelling_of(text: str, letters: frozenset[str]) -> str:
    """The same of a text that stands nowhere."""
    size = len(text)
    return spelt(Text(text, range(size), range(1, size + 1)), letters).text


def labels_in(texts: Iterable[str], letters: frozenset[str]) -> set[str]:
    """The layers that a document speaks of: (l), (l+1), (L)."""
    found = (match for text in texts for match in _LABEL.finditer(text))
    return {_label(match["letter"], _shift(match)) for match in found if match["letter"] in letters}


def at_layer(text: Text, layer: str) -> Text:
    """A formula about layer l as one about another layer, such as l+1."""
    to = _LABEL.fullmatch(f"({layer})")
    assert to is not None
    builder, at = Builder(), 0
    for match in _LABEL.finditer(text.text):
        if match["letter"] == "L":
            continue
        label = _label(to["letter"], _shift(match) + _shift(to))
        start, end = text.offset_of(match.start()), text.ends[match.end() - 1]
        builder.add(text[at : match.start()])
        builder.add(constant(f"{match['open']}{label}{match['close']}", start, end))
        at = match.end()
    builder.add(text[at:])
    return builder.build()


def _shift(match: "re.Match[str]") -> int:
    return int((match["shift"] or "0").replace(" ", ""))


def _label(letter: str, shift: int) -> str:
    return letter + (f"{shift:+d}" if shift else "")
