r"""The author's own notation: a repair in the names, the signs and the brackets of the document.

A repair comes in the checker's notation, in which a δ that stands for a derivative is written out.
"""

import re
from collections.abc import Iterable, Mapping

from workings.formula.printing.latex import without_fonts

_NAME = r"(?:\\hat|\\bar|\\tilde)?\{?\\?[A-Za-z]+\}?(?:_(?:\{[^{}]*\}|\w))?(?:\^\{\([^{}]*\)\})?"
_TRANSPOSED = r"\^\\top"
_WHOLE_TRANSPOSED = re.compile(
    rf"\\left\((?P<a>{_NAME})(?P<ta>{_TRANSPOSED})? (?P<b>{_NAME})(?P<tb>{_TRANSPOSED})?\\right\)"
    rf"{_TRANSPOSED}"
)
_FRACTION = re.compile(r"\\frac\{\\partial ")
_NESTING = re.compile(
    r"\\(?P<sized>left|right)(?![A-Za-z])\s*(?:\\[A-Za-z]+|\\.|.)"
    r"|\\(?P<side>begin|end)\s*(?P<what>\{[A-Za-z]+\*?\})|\\[A-Za-z]+|\\.|[{}()\[\]]",
    re.DOTALL,
)
_CLOSES = {"right": "left", "}": "{", ")": "(", "]": "["}
_TOKEN = re.compile(
    r"\\(?:left|right|[bB]ig+[lrm]?)\s*(?P<bracket>\\[A-Za-z]+|\\.|[^\\\sA-Za-z0-9])"
    r"|\\(?:boldsymbol|mathbf|bm|mathcal|mathsf|mathit)\s*\{(?P<font>[^{}]*)\}"
    r"|(?P<silent>\s+|~|\\(?:[,;:! ]|(?:quad|qquad|displaystyle)(?![A-Za-z])))"
    r"|\\[A-Za-z]+|\\.|\d+(?:\.\d+)?|.",
    re.DOTALL,
)
_SAME = {r"\top": "T", r"\intercal": "T", r"\leq": r"\le", r"\geq": r"\ge", r"\dfrac": r"\frac",
         r"\tfrac": r"\frac", r"\mathrm": r"\text", r"\operatorname": r"\text"}  # fmt: skip


def with_names(formula: str, names: Mapping[str, str], written: str = "") -> str:
    r"""A formula with the author's names of derivatives: δ_2 for \frac{\partial L}{\partial z_2}.

    names: the name of each derivative, by its LaTeX. What the author wrote out stays written out.
    """
    spelt = "".join(without_fonts(written).split())
    kept = {each for each in map(_key, names) if each in spelt}
    by_key = {_key(text): name for text, name in names.items()}
    for text in sorted(derivatives(formula), key=len, reverse=True):
        name = by_key.get(_key(text))
        if name is not None and _key(text) not in kept:
            formula = formula.replace(rf"\left({text}\right)", name).replace(text, name)
    return _WHOLE_TRANSPOSED.sub(_turned, formula)


def derivatives(formula: str) -> set[str]:
    r"""The \frac{\partial …}{\partial …} of a formula."""
    found = set()
    for match in _FRACTION.finditer(formula):
        at = match.start() + len(r"\frac")
        for _ in range(2):
            depth = 0
            while at < len(formula):
                depth += (formula[at] == "{") - (formula[at] == "}")
                at += 1
                if depth == 0:
                    break
        found.add(formula[match.start() : at])
    return found


def _key(text: str) -> str:
    return "".join(without_fonts(text).split())


def _turned(match: "re.Match[str]") -> str:
    """B A^T of (A B^T)^T."""
    first = match["b"] if match["tb"] else match["b"] + r"^\top"
    second = match["a"] if match["ta"] else match["a"] + r"^\top"
    return f"{first} {second}"


def with_transposes(text: str, statement: str, sources: Iterable[str]) -> str:
    """The formula with the author's sign of the transpose."""
    for sign in (r"\top", "T", r"{\top}", "{T}", r"\intercal", r"{\mathsf{T}}", r"\mathsf{T}"):
        if f"^{sign}" in statement:
            return text.replace(r"\top", sign)
    written = "".join(sources)
    uses = written.count("^T") + written.count("^{T}") > written.count(r"^\top")
    return text.replace(r"\top", "T") if uses else text


def is_balanced(text: str, brackets: bool = True) -> bool:
    r"""Whether braces, \left and \right, environments (and brackets) are closed as they open."""
    opened: list[str] = []
    for match in _NESTING.finditer(text):
        token = match["sized"] or match["what"] or match[0]
        closes = match["what"] if match["side"] == "end" else _CLOSES.get(token)
        if token[0] == "\\" or (token in "()[]" and not brackets):
            continue
        if closes is None:
            opened.append(token)
        elif not opened or opened.pop() != closes:
            return False
    return not opened


def tokens(text: str) -> list[tuple[str, int, int]]:
    r"""Tokens that mean something, with their places; {T} is T, \top too, and \left( is (."""
    found: list[tuple[str, int, int]] = []
    for match in _TOKEN.finditer(text):
        if match["silent"]:
            continue
        sign = match["bracket"] or (match["font"] or "").strip() or match[0]
        found.append((_SAME.get(sign, sign), match.start(), match.end()))
        last = found[-3:]
        if len(last) == 3 and last[0][0] == "{" and last[2][0] == "}" and last[1][0] != "}":
            found[-3:] = [(last[1][0], last[0][1], last[2][2])]
    return found
