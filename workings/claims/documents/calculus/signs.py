r"""The signs of calculus: \langle 1, 2 \rangle is the vector (1, 2), \nabla \cdot F is div F."""

import re
from collections.abc import Collection

from workings.formula.evaluation.functions import FUNCTIONS

_ANGLES = re.compile(r"\\(langle|rangle)(?![A-Za-z])|[⟨⟩]")
_SPELLINGS = tuple(
    (re.compile(pattern), plain)
    for pattern, plain in (
        (r"\\nabla\s*\\cdot(?![A-Za-z])", r"\\operatorname{div} "),
        (r"\\nabla\s*\\times(?![A-Za-z])", r"\\operatorname{curl} "),
        (r"\\(?:operatorname|mathrm|text|mathbf)\s*\{\s*grad\s*\}", r"\\nabla "),
        (r"\\hat\s*\{\s*\\text(?:bf|it)\s*\{(\w)\}\s*\}", r"\\hat{\\mathbf{\1}}"),
        (r"\\(?:because|therefore)(?![A-Za-z])", " "),
    )
)
_LISTED = re.compile(r"\s*(?:\\left\s*|\\[bB]igg?l?\s*)?(?:\(|\\langle|⟨)")
_SILENT = ("left", "right", "cdot", "times", "quad", "big", "Big", "bigl", "bigr", "Bigl", "Bigr")
_APPLIED = re.compile(r"(?<![A-Za-z\\])(\\?[A-Za-z]+)\s*\(\s*\\?[A-Za-z]+\s*\)")


_LIKE_FUNCTIONS = re.compile(
    r"(?<![A-Za-z\\{])(f|g|h|F|G|\\varphi|\\phi|\\psi|\\Phi|\\Psi)(?:\s*\^\s*\{?\\prime\}?|'*)\s*"
    r"(?:\\left\s*)?\("
)


_BEFORE_BRACKET = re.compile(r"(?<![A-Za-z\\_{^])([A-Za-z])\s*(?:\\left\s*)?\(")


def before_brackets(text: str) -> set[str]:
    """Letters right before a bracket, k of k(x + 1): factors, or functions of which none knows."""
    return {match[1] for match in _BEFORE_BRACKET.finditer(text)}


def unknown_calls(text: str, functions: Collection[str]) -> bool:
    """Whether g(t) stands in a formula, and nothing says what g is: a function, or a factor."""
    heads = (match[1].lstrip("\\") for match in _APPLIED.finditer(text))
    known = {name.lstrip("\\") for name in (*functions, *FUNCTIONS, *_SILENT)}
    if any(head not in known and head[-1:] not in known for head in heads):
        return True
    return any(match[1] not in functions for match in _LIKE_FUNCTIONS.finditer(text))


def is_listed(text: str) -> bool:
    """Whether a formula is a vector in brackets, (1, 2) or ⟨1, 2⟩."""
    return _LISTED.match(text) is not None


def plain_signs(text: str) -> str:
    r"""A formula with round brackets around its vectors, and one spelling of grad, div and curl."""
    text = _ANGLES.sub(lambda match: "(" if match[0] in ("\\langle", "⟨") else ")", text)
    for pattern, plain in _SPELLINGS:
        text = pattern.sub(plain, text)
    return text
