"""A formula written as plain text with Unicode's signs: n²·d/2, for terminals and messages."""

import unicodedata
from collections.abc import Sequence
from fractions import Fraction

from workings.formula import nodes as f
from workings.formula.parsing.tokens import GREEK_NAMES
from workings.formula.printing.notation import (
    ATOM,
    FACTOR,
    PRODUCT,
    SUM,
    Piece,
    hold_of_name,
    plain_function,
    symbol_of,
)
from workings.formula.printing.writer import Writer

GREEK_LETTERS = {f"\\{name}": letter for letter, name in GREEK_NAMES.items()} | {"\\ell": "ℓ"}
COMBINING = {"hat": "\u0302", "tilde": "\u0303", "bar": "\u0304", "dot": "\u0307"}
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def text(node: f.Node) -> str:
    """The formula as plain text."""
    return unicodedata.normalize("NFC", _WRITER.write(node))


def function_text(name: str) -> str:
    """The name of a function as it is shown."""
    return GREEK_LETTERS.get(name, "σ" if name == "sigmoid" else plain_function(name))


class _Text(Writer):
    def number(self, value: Fraction) -> Piece:
        if value.denominator == 1:
            return Piece(f"{value.numerator:,}", ATOM if value >= 0 else SUM)
        return Piece(f"{value.numerator:,}/{value.denominator:,}", PRODUCT if value >= 0 else SUM)

    def name(self, symbol: f.Symbol) -> str:
        base = GREEK_LETTERS.get(symbol.base, symbol.base)
        marked = base + "".join(COMBINING.get(mark, "") for mark in symbol.marks)
        sub = f"_{symbol.sub}" if symbol.sub else ""
        return marked + sub + (f"^{symbol.label}" if symbol.label else "")

    def reference(self, node: f.Reference) -> Piece:
        symbol = symbol_of(node.name)
        hold = hold_of_name(bool(symbol.sub), bool(symbol.label or node.step))
        step = "" if node.step is None else f"^({self.write(node.step)})"
        return Piece(self.name(symbol) + step, hold)

    def function(self, name: str) -> str:
        return function_text(name)

    def sign(self, sign: str) -> str:
        return sign

    def signed(self, sign: str, text: str) -> str:
        return sign + text

    def joined(self, sign: str, parts: Sequence[str]) -> str:
        return (sign if sign in "=·//" else f" {sign} ").join(parts)

    def listed(self, parts: Sequence[str]) -> str:
        return ", ".join(parts)

    def stacked(self, lines: Sequence[str]) -> str:
        return ", ".join(lines)

    def beside(self, parts: Sequence[str]) -> str:
        return " ".join(parts)

    def multiplied(self, parts: Sequence[str]) -> str:
        return "·".join(parts)

    def bracket(self, text: str) -> str:
        return f"({text})"

    def bars(self, sign: str, text: str) -> str:
        return f"{sign}{text}{sign}"

    def rounded(self, name: str, text: str) -> str:
        return f"⌊{text}⌋" if name == "floor" else f"⌈{text}⌉"

    def quotient(self, top: f.Node, bottom: f.Node) -> Piece:
        return Piece(f"{self.inside(top, PRODUCT)}/{self.inside(bottom, FACTOR)}", PRODUCT)

    def raised(self, base: str, exponent: f.Node) -> str:
        if isinstance(exponent, f.Number) and exponent.value.denominator == 1 <= exponent.value:
            return base + str(exponent.value).translate(_RAISED)
        return f"{base}^{self.inside(exponent, ATOM)}"

    def transposed(self, base: str) -> str:
        return f"{base}ᵀ"

    def below(self, base: str, text: str) -> str:
        return f"{base}_{text}" if text.isalnum() else f"{base}_({text})"

    def raised_sign(self, text: str) -> str:
        return f"²{text}"

    def fenced(self, left: str, text: str, right: str) -> str:
        return left + text + right

    def cases(self, lines: Sequence[tuple[str, str]]) -> str:
        return "; ".join(f"{value} if {condition or 'otherwise'}" for value, condition in lines)

    def root(self, text: str) -> str:
        return f"√({text})"

    def binomial(self, top: str, bottom: str) -> str:
        return f"C({top}, {bottom})"

    def derivative(self, over: str, under: str, only: bool) -> str:
        return f"{over}/{under}" + ("|_(t)" if only else "")

    def big(self, sign: str, under: str, over: str) -> str:
        below = f"_({under})" if under else ""
        return sign + below + (f"^({over})" if over else "")

    def matrix(self, rows: Sequence[Sequence[str]]) -> str:
        return f"[{'; '.join(', '.join(row) for row in rows)}]"

    def ones(self) -> str:
        return "1"

    def space(self, sides: str) -> str:
        return f"ℝ^({sides})"

    def unsaid(self, text: str) -> str:
        return text


_WRITER = _Text()
