r"""LaTeX's commands that have a meaning, in one table: each is a function of the parser."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from workings.formula import nodes as f
from workings.formula.evaluation.functions import FUNCTIONS
from workings.formula.parsing.arrays import array, space
from workings.formula.parsing.derivatives import fraction
from workings.formula.parsing.grammar import Grammar
from workings.formula.parsing.ranges import expectation, product_over, sum_over
from workings.formula.parsing.tokens import FONTS, MARKS, TEXT_FONTS, Token

_BOLD = ("mathbf", "boldsymbol", "bm", "vb", "pmb")
_SAME_MARK = {"widehat": "hat", "widetilde": "tilde", "overline": "bar"}


def root(parser: Grammar, token: Token) -> f.Node:
    r"""\sqrt{x}, \sqrt[n]{x}."""
    if parser.now.kind != "[":
        return f.Call("sqrt", (parser.group_or_atom(),), position=token.position)
    order = parser.row()
    if parser.now.kind != "{":
        raise parser.expected("'{'")
    return f.Power(parser.bracket(), f.Quotient(f.Number(Fraction(1)), order))


def binomial(parser: Grammar, token: Token) -> f.Node:
    r"""\binom{n}{k}, \binom{n}{k_1, …, k_D}."""
    parser.expect("{")
    top = parser.sum()
    parser.expect("}")
    parser.expect("{")
    bottom = [parser.sum()]
    while parser.accept(","):
        bottom.append(parser.sum())
    parser.expect("}")
    return f.Call("binom", (top, *bottom), position=token.position)


def marked(parser: Grammar, token: Token) -> f.Node:
    r"""\hat{y}, \tilde{A}."""
    position = parser.now.position
    if parser.now.kind == "word" and parser.now.text in FUNCTIONS:
        node: f.Node = f.Symbol(parser.take().text, position=position)  # \hat\sigma^2
    else:
        node = parser.group_or_atom()
    mark = _SAME_MARK.get(token.text, token.text)
    if not isinstance(node, f.Symbol):
        raise parser.not_read(f"a name under \\{mark} was expected", position)
    return replace(node, marks=(mark, *node.marks))


def in_font(parser: Grammar, token: Token) -> f.Node:
    r"""\mathbf{x}: a font is kept for writing only; \mathbf{ab}^T is a times the transposed b."""
    length = 1
    while parser.ahead(length).kind in ("word", "number"):
        length += 1
    letters = "".join(parser.ahead(each).text for each in range(1, length))
    is_run = parser.now.kind == "{" and parser.ahead(length).kind == "}" and len(letters) > 1
    if is_run and letters.isalnum() and letters not in parser.words and letters[0].isalpha():
        inside = parser.tokens[parser.index + 1 : parser.index + length]
        after = parser.tokens[parser.index + length + 1 :]
        parser.tokens = [*parser.tokens[: parser.index], *inside, *after]
        return parser.atom()
    node = parser.group_or_atom()
    is_one = isinstance(node, f.Number) and node.value == 1
    if isinstance(node, f.Symbol):
        return replace(node, font=token.text)
    return f.Ones(f.Unsaid("1"), node) if is_one and token.text in _BOLD else node


def upright(parser: Grammar, token: Token) -> f.Node:
    r"""\mathrm{softmax}, \text{loss}: a function or a name of several letters."""
    name = parser.group_text()
    if name == "E" and "E" not in parser.declared and parser.now.kind == "_":
        return expectation(parser, token.position)
    return parser.named(name, token.position)


def braced_note(parser: Grammar, token: Token) -> f.Node:
    r"""\underbrace{x}_{…}: x, without what is written at the brace."""
    node = parser.group_or_atom()
    if parser.now.kind == ("_" if token.text.startswith("under") else "^"):
        parser.take()
        parser.group_text()
    return node


def argument_of(parser: Grammar, token: Token) -> f.Node:
    r"""\arg\max, \arg\min."""
    if not parser.is_command("max", "min"):
        raise parser.expected("\\max or \\min after \\arg")
    return parser.named(f"arg{parser.take().text}", token.position)


def lone_transpose(parser: Grammar, token: Token) -> f.Node:
    r"""\top, as in {W}^{\top} where it is read as a name."""
    return f.Symbol("T", position=token.position)


COMMANDS: dict[str, Callable[[Grammar, Token], f.Node]] = {
    **dict.fromkeys(FONTS, in_font),
    **dict.fromkeys(TEXT_FONTS, upright),
    **dict.fromkeys(MARKS, marked),
    **dict.fromkeys(("frac", "dfrac", "tfrac", "cfrac"), fraction),
    **dict.fromkeys(("binom", "dbinom", "tbinom", "choose"), binomial),
    **dict.fromkeys(("top", "intercal"), lone_transpose),
    **dict.fromkeys(("underbrace", "overbrace", "underline"), braced_note),
    "arg": argument_of,
    "mathbb": space,
    "sqrt": root,
    "sum": sum_over,
    "prod": product_over,
    "begin": array,
}
