r"""The spellings of a derivative: \frac{\partial E}{\partial W}, ∂E/∂W, dE/dW, \nabla_W E."""

from workings.formula import nodes as f
from workings.formula.errors import NotRead
from workings.formula.grammar import Grammar
from workings.formula.tokens import Token


def fraction(parser: Grammar, token: Token) -> f.Node:
    r"""\frac{…}{…}: a derivative, or a quotient."""
    saved = parser.tokens, parser.index, parser.depth
    try:
        if (derivative := _derivative_fraction(parser, token.position)) is not None:
            return derivative
    except NotRead:
        pass  # \frac{d^2}{h}: the d was a size
    parser.tokens, parser.index, parser.depth = saved
    top = parser.group_or_atom()
    return f.Quotient(top, parser.group_or_atom())


def _derivative_fraction(parser: Grammar, position: int) -> f.Node | None:
    r"""\frac{\partial E}{\partial I}, or δ or d; \frac{\partial}{\partial I} x."""
    if not parser.accept("{") or (sign := _differential(parser, True)) is None:
        return None
    if sign == "d" and parser.now.kind == "}":
        return None  # the size d over something
    of = None if parser.now.kind == "}" else parser.sum()
    if not parser.accept("}") or not parser.accept("{") or _differential(parser, True) != sign:
        return None
    if parser.now.kind == "}":
        return None
    wrt = parser.factor()
    parser.expect("}")
    if of is None:
        of = parser.product()
    return f.Derivative(of, wrt, position=position)


def inline_derivative(parser: Grammar) -> f.Node:
    r"""∂E/∂I, or \nabla_I E."""
    token = parser.take()
    if token.kind == "∇":
        parser.expect("_", "'_' and what the gradient is taken by")
        wrt = parser.group_or_atom()
        return f.Derivative(parser.factor(), wrt, position=token.position)
    of = parser.factor()
    parser.expect("/", "'/' of a derivative")
    parser.expect("∂", "'∂' of a derivative")
    return f.Derivative(of, parser.factor(), position=token.position)


def ascii_derivative(parser: Grammar) -> f.Node | None:
    """dE/dI, where no such name was declared."""
    token = parser.now
    spread = token.text == "d" and parser.ahead().kind in ("word", "command")
    if token.text[0] != "d" or (token.text in parser.words and not spread):
        return None
    saved = parser.tokens, parser.index, parser.depth
    try:
        _differential(parser, spread)
        of = parser.factor()
        if parser.accept("/") and parser.now.text[:1] == "d":
            joined = len(parser.now.text) > 1
            if joined != spread and _differential(parser, spread) and parser.starts_factor():
                return f.Derivative(of, parser.factor(), position=token.position)
    except NotRead:
        pass
    parser.tokens, parser.index, parser.depth = saved
    return None


def _differential(parser: Grammar, of_fraction: bool = False) -> str | None:
    """∂, δ or d, if one stands here; above and below a line d is one even if it is a size."""
    if parser.accept("∂"):
        return "∂"
    if parser.is_command("mathrm", "text") and parser.ahead(2).text == "d":
        for _ in range(4):
            parser.take()
        return "d"
    token = parser.now
    if token.kind == "word" and token.text == "\\delta":
        parser.take()
        return "δ"
    known = token.text in parser.words and not (of_fraction and token.text == "d")
    if token.kind == "word" and token.text[0] == "d" and not known:
        parser.split(1)
        parser.take()
        return "d"
    return None
