r"""The spellings of a derivative: \frac{\partial E}{\partial W}, ∂E/∂W, dE/dW, \nabla_W E, ∂_W E.

Second ones: \nabla^2 f, \frac{\partial^2 f}{\partial x \partial y^T}, \frac{d^2 f}{dx^2}.
"""

from collections.abc import Sequence

from workings.formula import nodes as f
from workings.formula.errors import NotRead, UnclearScope
from workings.formula.parsing.grammar import Grammar
from workings.formula.parsing.tokens import Token

MOST_ORDERS = 6  # of a derivative


def fraction(parser: Grammar, token: Token) -> f.Node:
    r"""\frac{…}{…}: a derivative, or a quotient."""
    if token.position not in parser.quotients:
        saved = parser.tokens, parser.index, parser.depth
        try:
            if (derivative := _derivative_fraction(parser, token.position)) is not None:
                return derivative
        except UnclearScope:
            raise
        except NotRead:
            pass  # \frac{d^2}{h}: the d was a size
        parser.tokens, parser.index, parser.depth = saved
        parser.quotients.add(token.position)  # not tried again, or nesting would double the work
    top = parser.group_or_atom()
    return f.Quotient(top, parser.group_or_atom())


def _derivative_fraction(parser: Grammar, position: int) -> f.Node | None:
    r"""\frac{\partial E}{\partial I}, or δ or d; \frac{\partial}{\partial I} x; second ones."""
    if not parser.accept("{") or (sign := _differential(parser, True)) is None:
        return None
    order = _order(parser)
    bare = parser.now.kind == "}"
    of = None if bare else parser.sum()
    if not parser.accept("}") or not parser.accept("{") or _differential(parser, True) != sign:
        return None
    if parser.now.kind == "}":
        return None
    wrt = [parser.factor()]
    while parser.now.kind != "}" and _differential(parser, True) == sign:
        wrt.append(parser.factor())
    parser.expect("}")
    if bare and sign == "d" and not _is_name(wrt[0]):
        return None  # the size d over something
    crossed = False
    if of is None:
        start = parser.index
        parser.factor()
        crossed = sign == "∂" and parser.now.kind == "×"
        parser.index = start
        of = parser.product()
        if sign == "∂" and not crossed and _has_cross(parser.tokens[start : parser.index]):
            message = "how far the derivative reaches is not clear before ×"
            raise UnclearScope(parser.text, position, message, "write brackets")
    if order == 1 and len(wrt) == 1:
        return f.Derivative(of, wrt[0], position=position, open=bare, crossed=crossed)
    return _second(parser, of, order, wrt, position)


def _has_cross(tokens: Sequence[Token]) -> bool:
    """Whether a × stands in a product outside of its brackets."""
    depth = 0
    for token in tokens:
        depth += (token.kind in ("(", "[", "{")) - (token.kind in (")", "]", "}"))
        if token.kind == "×" and depth == 0:
            return True
    return False


def _is_name(node: f.Node) -> bool:
    return isinstance(node, f.Symbol) or (isinstance(node, f.Power) and _is_name(node.base))


def _order(parser: Grammar) -> int:
    """2 of ∂^2; 1 if nothing is raised."""
    if parser.now.kind != "^":
        return 1
    parser.take()
    text = parser.group_text()
    if not text.isdigit():
        raise parser.expected("the order of a derivative")
    return int(text)


def _second(
    parser: Grammar, of: f.Node, order: int, wrt: list[f.Node], position: int
) -> f.Node | None:
    """∂²f over ∂x², ∂x∂y or ∂x∂yᵀ; a higher one is that of a second one."""
    if order > 2:
        return _higher(parser, of, order, wrt, position)
    if order != 2:
        raise parser.not_read(f"a derivative of order {order} is not read", position)
    if len(wrt) == 1:
        square = wrt[0]
        is_square = isinstance(square, f.Power) and isinstance(square.exponent, f.Number)
        if not is_square or not isinstance(square, f.Power) or square.text != "2":
            return None
        wrt = [square.base, square.base]
    if len(wrt) != 2:
        return None
    first, second = (part.body if isinstance(part, f.Transpose) else part for part in wrt)
    return f.Hessian(of, first, second, position)


def _higher(
    parser: Grammar, of: f.Node, order: int, wrt: list[f.Node], position: int
) -> f.Node | None:
    """∂³f over ∂x³ or ∂x²∂y: the derivative of a second one."""
    names: list[f.Node] = []
    for part in wrt:
        if isinstance(part, f.Power) and part.text.isdigit():
            names += [part.base] * min(int(part.text), MOST_ORDERS + 1)
        else:
            names.append(part)
    if order > MOST_ORDERS or len(names) != order:
        raise parser.not_read(f"a derivative of order {order} is not read", position)
    *outer, first, second = names
    node: f.Node = f.Hessian(of, first, second, position)
    for name in reversed(outer):
        node = f.Derivative(node, name, position=position)
    return node


def inline_derivative(parser: Grammar) -> f.Node:
    r"""∂E/∂I, ∂_I E, \nabla_I E, \nabla f, \nabla^2 f."""
    token = parser.take()
    if token.kind == "∇":
        return _nabla(parser, token.position)
    if parser.accept("_"):
        wrt = parser.group_or_atom()
        return f.Derivative(parser.product(), wrt, position=token.position, open=True)
    of = parser.factor()
    if parser.now.kind == "}" and parser.ahead().kind == "/" and parser.ahead(2).kind == "{":
        parser.take()  # {∂E}/{∂I}: the first brace is closed by the last
        parser.expect("/")
        parser.expect("{")
    else:
        parser.expect("/", "'/' of a derivative")
    parser.expect("∂", "'∂' of a derivative")
    return f.Derivative(of, parser.factor(), position=token.position)


def _nabla(parser: Grammar, position: int) -> f.Node:
    wrt: f.Node = f.Unsaid("")
    order = 1
    while sign := parser.accept("_", "^"):
        if sign.kind == "_":
            wrt = parser.group_or_atom()
        else:
            order = int(text) if (text := parser.group_text()).isdigit() else 0
    if isinstance(wrt, f.Matrix):
        raise parser.not_read("a gradient by several names is not read", position, "take one")
    if isinstance(wrt, f.Product) and len(wrt.factors) == 2 and order == 1:
        return f.Hessian(parser.factor(), *wrt.factors, position=position)  # ∇_{xx}
    of = parser.product()
    called, rest = _called_first(of, parser, order)
    if order in (1, 2) and called is not None:
        is_transposed = isinstance(called, f.Transpose | f.TransposeOrPower)
        body = called.body if isinstance(called, f.Transpose | f.TransposeOrPower) else called
        slope: f.Node = f.Hessian(body, wrt, wrt, position)
        slope = f.Derivative(body, wrt, position=position) if order == 1 else slope
        return f.product_of([f.Transpose(slope) if is_transposed else slope, *rest])
    if order == 1:
        return f.Derivative(of, wrt, position=position, open=True)
    if order == 2:
        return f.Hessian(of, wrt, wrt, position)
    raise parser.not_read("∇ with this power is not read", position, "write \\nabla^2")


def _called_first(
    of: f.Node, parser: Grammar, order: int
) -> tuple[f.Node | None, tuple[f.Node, ...]]:
    """f(x)ᵀ of ∇f(x)ᵀd and f(x) of ∇²f(x)d: where the argument ends, so does what is derived."""
    first, *rest = of.factors if isinstance(of, f.Product) else (of,)
    is_transposed = isinstance(first, f.Transpose | f.TransposeOrPower)
    body = first.body if isinstance(first, f.Transpose | f.TransposeOrPower) else first
    named = isinstance(body, f.Call) and body.function in parser.functions
    return (first if named and (is_transposed or (order == 2 and rest)) else None), tuple(rest)


def ascii_derivative(parser: Grammar) -> f.Node | None:
    """dE/dI, where no such name was declared."""
    token = parser.now
    spread = token.text == "d" and parser.ahead().kind in ("word", "command")
    if token.text[0] != "d" or (token.text in parser.words and not spread):
        return None
    if token.position in parser.quotients:
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
    parser.quotients.add(token.position)
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
    known = token.text in parser.words and not (of_fraction and len(token.text) <= 2)
    if token.kind == "word" and token.text[0] == "d" and not known:
        parser.split(1)
        parser.take()
        return "d"
    return None
