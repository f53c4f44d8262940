"""A formula written as LaTeX, which the parser reads back with the same value."""

import itertools
import re
from collections.abc import Sequence
from fractions import Fraction

from workings.formula import nodes as f
from workings.formula.parsing.tokens import FONTS
from workings.formula.printing.notation import (
    ATOM,
    FACTOR,
    SUM,
    Piece,
    hold_of_name,
    plain_function,
    symbol_of,
)
from workings.formula.printing.writer import Writer

FUNCTION_NAMES = {
    "ln": r"\log", "argmax": r"\arg\max", "argmin": r"\arg\min", "divergence": r"\mathrm{KL}",
}  # fmt: skip
UPRIGHT = ("log", "exp", "tanh", "sin", "cos", "sinh", "cosh", "det", "max", "min")
SIGNS = {
    "⊙": r"\odot", "·": r"\cdot", "×": r"\times", "∂": r"\partial", "≠": r"\neq", "∑": r"\sum",
    "∏": r"\prod", "⊗": r"\otimes", "≤": r"\le", "≥": r"\ge", "∈": r"\in",
    "⟨": r"\langle ", "⟩": r" \rangle", "{": r"\{", "}": r"\}",
    "∼": r"\sim", "‖": r"\|", "…": r"\dots", "∞": r"\infty",
}  # fmt: skip


def latex(node: f.Node) -> str:
    """The formula as LaTeX."""
    return _WRITER.write(node)


def is_value(node: f.Node) -> bool:
    """Whether it has a value: a row of a matrix, a range and a side that fits are parts of one."""
    return not isinstance(node, f.Row | f.Range | f.SideOf)


def is_written(node: f.Node, text: str) -> bool:
    """Whether it is a value that is written so; a row of one entry is written as that entry."""
    return is_value(node) and latex(node) == text


def plain_latex(name: str) -> str:
    r"""A declared name as LaTeX: "hat y_j^(t)" is \hat{y}_j^{(t)}."""
    return symbol_latex(symbol_of(name))


def symbol_latex(node: f.Symbol) -> str:
    """A name with its decorations."""
    base = node.base.rstrip("'")
    is_one_sign = len(base) == 1 or base[:1] == "\\" or base[-1:].isdigit()
    text = base if is_one_sign else rf"\mathrm{{{base}}}"
    if node.font and is_one_sign:
        text = rf"\{node.font}{{{text}}}"
    for mark in reversed(node.marks):
        text = rf"\{mark}{{{text}}}"
    text += node.base[len(base) :]
    if node.sub:
        text += "_" + _braced(node.sub.replace("_", r"\_"))
    if node.label:
        text += "^" + _braced(node.label)
    return text


_IN_FONT = re.compile(rf"\\(?:{'|'.join(FONTS)})\{{([^{{}}]*)\}}")


def without_fonts(text: str) -> str:
    r"""L of \mathcal{L}: two spellings of one name are alike."""
    return _IN_FONT.sub(r"\1", text)


def _braced(text: str) -> str:
    return text if len(text) == 1 else f"{{{text}}}"


class _Latex(Writer):
    def number(self, value: Fraction) -> Piece:
        if value.denominator == 1:
            return Piece(str(value), ATOM if value >= 0 else SUM)
        return Piece(rf"\frac{{{value.numerator}}}{{{value.denominator}}}", FACTOR)

    def name(self, symbol: f.Symbol) -> str:
        return symbol_latex(symbol)

    def reference(self, node: f.Reference) -> Piece:
        return Piece(node.latex, hold_of_name("_" in node.latex, "^" in node.latex))

    def function(self, name: str) -> str:
        name = plain_function(name)
        if name.startswith("\\"):
            return name
        return FUNCTION_NAMES.get(name) or (
            f"\\{name}" if name in UPRIGHT else rf"\mathrm{{{name}}}"
        )

    def sign(self, sign: str) -> str:
        return SIGNS.get(sign, sign)

    def signed(self, sign: str, text: str) -> str:
        if text.startswith("^"):
            return self.sign(sign) + text
        return f"{self.sign(sign)} {text}" if sign in SIGNS else sign + text

    def joined(self, sign: str, parts: Sequence[str]) -> str:
        return ("=" if sign == "=" else f" {self.sign(sign)} ").join(parts)

    def listed(self, parts: Sequence[str]) -> str:
        return ",".join(parts)

    def stacked(self, lines: Sequence[str]) -> str:
        stack = r" \\ ".join(lines)
        return stack if len(lines) == 1 else rf"\substack{{{stack}}}"

    def beside(self, parts: Sequence[str]) -> str:
        *signs, body = parts
        return f"{''.join(signs)} {body}"

    def multiplied(self, parts: Sequence[str]) -> str:
        text = parts[0]
        for before, part in itertools.pairwise(parts):  # 2 3 would be set as 23
            is_digit = before[-1:].isdigit() and part[:1].isdigit()
            text += rf" \times {part}" if is_digit else f" {part}"
        return text

    def bracket(self, text: str) -> str:
        return rf"\left({text}\right)" if "\\frac" in text else f"({text})"

    def bars(self, sign: str, text: str) -> str:
        if "|" in text:  # bars within bars: the inner ones would close the outer ones
            text = f"({text})"
        return f"{self.sign(sign)}{text}{self.sign(sign)}"

    def rounded(self, name: str, text: str) -> str:
        return rf"\left\l{name} {text} \right\r{name}"

    def quotient(self, top: f.Node, bottom: f.Node) -> Piece:
        return Piece(rf"\frac{{{self.write(top)}}}{{{self.write(bottom)}}}", FACTOR)

    def raised(self, base: str, exponent: f.Node) -> str:
        return f"{base}^{_braced(self.write(exponent))}"

    def transposed(self, base: str) -> str:
        return rf"{base}^\top"

    def below(self, base: str, text: str) -> str:
        return f"{base}_{_braced(text)}"

    def raised_sign(self, text: str) -> str:
        return f"^2 {text}"

    def fenced(self, left: str, text: str, right: str) -> str:
        return self.sign(left) + text + self.sign(right)

    def cases(self, lines: Sequence[tuple[str, str]]) -> str:
        rows = [
            f"{value} & {condition or chr(92) + 'text{otherwise}'}" for value, condition in lines
        ]
        body = r" \\ ".join(rows)
        return rf"\begin{{cases}} {body} \end{{cases}}"

    def root(self, text: str) -> str:
        return rf"\sqrt{{{text}}}"

    def binomial(self, top: str, bottom: str) -> str:
        return rf"\binom{{{top}}}{{{bottom}}}"

    def derivative(self, over: str, under: str, only: bool) -> str:
        return rf"\frac{{{over}}}{{{under}}}" + (r"\Big|_{(t)}" if only else "")

    def big(self, sign: str, under: str, over: str) -> str:
        below = f"_{_braced(under)}" if under else ""
        return self.sign(sign) + below + (f"^{_braced(over)}" if over else "")

    def matrix(self, rows: Sequence[Sequence[str]]) -> str:
        lines = r" \\ ".join(" & ".join(row) for row in rows)
        return rf"\begin{{bmatrix}} {lines} \end{{bmatrix}}"

    def ones(self) -> str:
        return r"\mathbf{1}"

    def space(self, sides: str) -> str:
        return rf"\mathbb{{R}}^{{{sides}}}"

    def unsaid(self, text: str) -> str:
        return self.sign(text)


_WRITER = _Latex()
