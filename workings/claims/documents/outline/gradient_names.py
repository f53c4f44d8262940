r"""Gradients by the names that programs give them: dX is ∂L/∂X, where the document says so once.

"dO = \frac{\partial L}{\partial O}" says what a d before a name means; then "dV = P^T dO" is a
claim about ∂L/∂V, and no definition of dV. It is spelt as a derivative, and parsed as one.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from workings.claims.documents.files.sources import Text
from workings.claims.documents.outline.plain_signs import replaced

_FONT = r"\\(?:mathbf|mathrm|boldsymbol|bm|hat|tilde|bar)"
_NAME = rf"(?:{_FONT}\s*\{{\s*\\?[A-Za-z]+\s*\}}|\\[A-Za-z]+|[A-Za-z])"
_CAPITAL = r"(?:[A-Z]|\\math(?:bf|rm)\s*\{\s*[A-Z]\s*\})"
_SUB = r"(?:\s*_\s*(?:\{[^{}]*\}|[A-Za-z0-9]))?"
_LOSS = r"(?:\\mathcal\s*\{\s*[A-Za-z]\s*\}|\\[A-Za-z]+|[A-Za-z])"
_D = r"(?<![A-Za-z\\{}_^/|])(?:d|\\mathrm\s*\{\s*d\s*\})"
_IS = r"\s*+&?\s*(?::=|=|\\equiv|\\triangleq|\\coloneqq)\s*"
_SAID = re.compile(
    rf"{_D}\s*(?P<name>{_NAME}{_SUB}){_IS}"
    rf"(?:\\d?frac\s*\{{\s*(?:\\partial|d)\s*(?P<loss>{_LOSS})\s*\}}"
    rf"\s*\{{\s*(?:\\partial|d)\s*(?P<by>{_NAME}{_SUB})\s*\}}"
    rf"|\\partial\s*(?P<above>{_LOSS})\s*/\s*\\partial\s*(?P<under>{_NAME}{_SUB})"
    rf"|\\nabla\s*_\s*\{{?\s*(?P<below>{_NAME}{_SUB})\s*\}}?\s*(?P<of>{_LOSS})(?![A-Za-z]))"
)
_LEFT = re.compile(rf"{_D}\s*(?P<name>{_NAME}){_SUB}{_IS}")
_MATRIX = re.compile(rf"{_D}(?P<name>{_CAPITAL})")
_BEHIND = r"(?<=\})d(?=[A-Z\\])"  # the second one of P_{ij}dP_{ij}
_WRITTEN = re.compile(rf"(?:{_D}\s*|{_BEHIND})(?P<name>{_NAME})(?P<sub>{_SUB})")


@dataclass(frozen=True)
class GradientNames:
    """What d before a name means in a document: the derivative of this loss by these names."""

    loss: str = ""
    names: frozenset[str] = frozenset()


def gradient_names(texts: Iterable[str]) -> GradientNames:
    """The names whose gradients a document writes with a d; none if it does not say so."""
    texts = list(texts)
    said = [match for text in texts for match in _SAID.finditer(text)]
    same = [each for each in said if _plain(each["name"]) == _plain(_by(each))]
    losses = {_plain(each["loss"] or each["above"] or each["of"]) for each in same}
    if len(losses) != 1:
        return GradientNames()
    patterns = (_LEFT, _MATRIX)  # d X, with a space, may be a product of the size d
    names = {_plain(m["name"]) for text in texts for each in patterns for m in each.finditer(text)}
    return GradientNames(losses.pop(), frozenset(names))


def _by(said: "re.Match[str]") -> str:
    return said["by"] or said["under"] or said["below"]


def with_derivatives(text: Text, gradients: GradientNames) -> Text:
    """A formula in which dX is ∂L/∂X; the one that says so is left as it is."""
    if not gradients.names or _SAID.search(text.text):
        return text

    def derivative(match: "re.Match[str]") -> str | None:
        if _plain(match["name"]) not in gradients.names:
            return None
        return rf"\frac{{\partial {gradients.loss}}}{{\partial {match['name']}{match['sub']}}} "

    return replaced(text, _WRITTEN, derivative)


def _plain(name: str) -> str:
    return re.sub(r"\s+", "", name)
