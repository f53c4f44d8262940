"""A formula written as presentation MathML, which browsers draw without a script."""

import itertools
from collections.abc import Sequence
from fractions import Fraction
from html import escape

from workings.formula import nodes as f
from workings.formula.printing.notation import ATOM, FACTOR, SUM, Piece, hold_of_name, symbol_of
from workings.formula.printing.text import GREEK_LETTERS, function_text
from workings.formula.printing.writer import Writer

ACCENTS = {"hat": "^", "tilde": "~", "bar": "¯", "vec": "→", "dot": "˙", "ddot": "¨"}
_TALL = ("<mfrac", "<munder", "<mtable")
_INVISIBLE_TIMES = "&#x2062;"


def mathml(node: f.Node, display: bool = False) -> str:
    """The formula as a <math> element; `display` sets it on a line of its own."""
    block = ' display="block"' if display else ""
    return (
        f'<math xmlns="http://www.w3.org/1998/Math/MathML"{block}>'
        f"<mrow>{_WRITER.write(node)}</mrow></math>"
    )


def _operator(sign: str) -> str:
    return f"<mo>{'−' if sign == '-' else escape(sign)}</mo>"


def _fence(sign: str, around: str) -> str:
    """A bracket, which grows only around what is tall: not every font has brackets of all sizes."""
    if any(tag in around for tag in _TALL):
        return _operator(sign)
    return f'<mo stretchy="false">{escape(sign)}</mo>'


def _row(text: str) -> str:
    return f"<mrow>{text}</mrow>"


class _MathML(Writer):
    """Every text is a sequence of elements; where one element is asked for it is put in a row."""

    def number(self, value: Fraction) -> Piece:
        if value.denominator != 1:
            halves = f"<mn>{value.numerator}</mn><mn>{value.denominator}</mn>"
            return Piece(f"<mfrac>{halves}</mfrac>", FACTOR)
        if value < 0:
            return Piece(f"{_operator('-')}<mn>{-value}</mn>", SUM)
        return Piece(f"<mn>{value}</mn>", ATOM)

    def name(self, symbol: f.Symbol) -> str:
        text = f"<mi>{escape(GREEK_LETTERS.get(symbol.base, symbol.base))}</mi>"
        for mark in reversed(symbol.marks):
            text = f'<mover accent="true">{text}{_operator(ACCENTS[mark])}</mover>'
        sub, label = (
            f"<mtext>{escape(symbol.sub)}</mtext>",
            f"<mtext>{escape(symbol.label)}</mtext>",
        )
        if symbol.sub and symbol.label:
            return f"<msubsup>{text}{sub}{label}</msubsup>"
        if symbol.sub:
            return f"<msub>{text}{sub}</msub>"
        return f"<msup>{text}{label}</msup>" if symbol.label else text

    def reference(self, node: f.Reference) -> Piece:
        symbol = symbol_of(node.name)
        hold = hold_of_name(bool(symbol.sub), bool(symbol.label or node.step))
        if node.step is None:
            return Piece(self.name(symbol), hold)
        step = self.bracket(self.write(node.step))
        return Piece(f"<msup>{_row(self.name(symbol))}{_row(step)}</msup>", hold)

    def function(self, name: str) -> str:
        return f"<mi>{escape(function_text(name))}</mi>"

    def sign(self, sign: str) -> str:
        return _operator("′" if sign == "'" else sign)

    def signed(self, sign: str, text: str) -> str:
        return self.sign(sign) + text

    def joined(self, sign: str, parts: Sequence[str]) -> str:
        return self.sign(sign).join(parts)

    def listed(self, parts: Sequence[str]) -> str:
        return _operator(",").join(parts)

    def stacked(self, lines: Sequence[str]) -> str:
        if len(lines) == 1:
            return lines[0]
        return f"<mtable>{''.join(f'<mtr><mtd>{line}</mtd></mtr>' for line in lines)}</mtable>"

    def beside(self, parts: Sequence[str]) -> str:
        return "".join(parts)

    def multiplied(self, parts: Sequence[str]) -> str:
        text = parts[0]
        for before, part in itertools.pairwise(parts):  # 2 3 would look like 23
            both = before.endswith("</mn>") and part.startswith("<mn>")
            text += f"<mo>{'×' if both else _INVISIBLE_TIMES}</mo>{part}"
        return text

    def bracket(self, text: str) -> str:
        return self.fenced("(", text, ")")

    def bars(self, sign: str, text: str) -> str:
        return self.fenced(sign, text, sign)

    def rounded(self, name: str, text: str) -> str:
        return self.fenced("⌊", text, "⌋") if name == "floor" else self.fenced("⌈", text, "⌉")

    def quotient(self, top: f.Node, bottom: f.Node) -> Piece:
        return Piece(f"<mfrac>{_row(self.write(top))}{_row(self.write(bottom))}</mfrac>", FACTOR)

    def raised(self, base: str, exponent: f.Node) -> str:
        return f"<msup>{_row(base)}{_row(self.write(exponent))}</msup>"

    def transposed(self, base: str) -> str:
        return f"<msup>{_row(base)}{_operator('⊤')}</msup>"

    def below(self, base: str, text: str) -> str:
        return f"<msub>{_row(base)}{_row(text)}</msub>"

    def raised_sign(self, text: str) -> str:
        return f"<msup><mrow></mrow><mn>2</mn></msup>{text}"

    def fenced(self, left: str, text: str, right: str) -> str:
        return _row(_fence(left, text) + text + _fence(right, text))

    def cases(self, lines: Sequence[tuple[str, str]]) -> str:
        rows = "".join(
            f"<mtr><mtd>{value}</mtd><mtd>{condition or '<mtext>otherwise</mtext>'}</mtd></mtr>"
            for value, condition in lines
        )
        return _row(f"{_operator('{')}<mtable>{rows}</mtable>")

    def root(self, text: str) -> str:
        return f"<msqrt>{text}</msqrt>"

    def binomial(self, top: str, bottom: str) -> str:
        return self.bracket(f'<mfrac linethickness="0">{_row(top)}{_row(bottom)}</mfrac>')

    def derivative(self, over: str, under: str, only: bool) -> str:
        fraction = f"<mfrac>{_row(over)}{_row(under)}</mfrac>"
        if not only:
            return fraction
        return f"<msub>{_row(fraction + _operator('|'))}<mtext>(t)</mtext></msub>"

    def big(self, sign: str, under: str, over: str) -> str:
        if under and over:
            return f"<munderover>{_operator(sign)}{_row(under)}{_row(over)}</munderover>"
        return f"<munder>{_operator(sign)}{_row(under)}</munder>" if under else _operator(sign)

    def matrix(self, rows: Sequence[Sequence[str]]) -> str:
        lines = (f"<mtr>{''.join(f'<mtd>{entry}</mtd>' for entry in row)}</mtr>" for row in rows)
        return _row(f"{_operator('[')}<mtable>{''.join(lines)}</mtable>{_operator(']')}")

    def ones(self) -> str:
        return '<mn mathvariant="bold">1</mn>'

    def space(self, sides: str) -> str:
        return f"<msup><mi>ℝ</mi>{_row(sides)}</msup>"

    def unsaid(self, text: str) -> str:
        return f"<mi>{text}</mi>" if text == "∞" else f"<mtext>{escape(text)}</mtext>"


_WRITER = _MathML()
