"""A formula written back as LaTeX, with no more brackets than it needs."""

from fractions import Fraction

from workings.formula import nodes as f

# How tightly a node holds together; what is looser than its place asks gets brackets.
SUM, ELEMENTWISE, PRODUCT, SIGNED, FACTOR, ATOM = range(6)
NAMES = {"\\sigma": r"\sigma", "sigmoid": r"\sigma", "ln": r"\log"}
UPRIGHT = ("log", "exp", "tanh", "sin", "cos", "sinh", "cosh", "det", "max", "min")


def symbol_latex(node: f.Symbol) -> str:
    text = node.base if len(node.base) == 1 or node.base[0] == "\\" else rf"\mathrm{{{node.base}}}"
    if node.base[-1:].isdigit():
        text = node.base
    for mark in reversed(node.marks):
        text = rf"\{mark}{{{text}}}"
    if node.sub:
        text += f"_{node.sub}" if len(node.sub) == 1 else f"_{{{node.sub}}}"
    if node.label:
        text += f"^{node.label}" if len(node.label) == 1 else f"^{{{node.label}}}"
    return text


def plain_latex(name: str) -> str:
    r"""A declared name as LaTeX: "hat y_j^(t)" is \hat{y}_j^{(t)}."""
    *marks, rest = name.split(" ")
    rest, _, label = rest.partition("^")
    base, _, sub = rest.partition("_")
    return symbol_latex(f.Symbol(base, tuple(marks), sub, label))


def latex(node: f.Node) -> str:
    return _write(node)[0]


def _in(node: f.Node, place: int) -> str:
    text, hold = _write(node)
    return text if hold >= place else rf"\left({text}\right)" if "\\frac" in text else f"({text})"


def _write(node: f.Node) -> tuple[str, int]:
    """The text and how tightly it holds together."""
    match node:
        case f.Number(value):
            return _number(value)
        case f.Symbol():
            return symbol_latex(node), ATOM
        case f.Reference(_, text):
            return text, ATOM
        case f.Variable(name) | f.Size(name):
            return _plain_name(name), ATOM
        case f.Sum(terms):
            return _sum(terms), SUM
        case f.Negative(body):
            return "-" + _in(body, ELEMENTWISE), SUM
        case f.Elementwise(factors):
            return r" \odot ".join(_in(factor, PRODUCT) for factor in factors), ELEMENTWISE
        case f.Product(factors):
            return _product(factors), PRODUCT
        case f.Dot(left, right):
            return rf"{_in(left, PRODUCT)} \cdot {_in(right, FACTOR)}", PRODUCT
        case f.Quotient(top, bottom):
            return rf"\frac{{{latex(top)}}}{{{latex(bottom)}}}", FACTOR
        case f.Power(base, exponent):
            return f"{_raisable(base)}^{_braced(latex(exponent))}", FACTOR
        case f.Transpose(body):
            return f"{_raisable(body)}^\\top", FACTOR
        case f.Call():
            return _call(node)
        case f.Index(body, indices):
            inside = ",".join(latex(index) for index in indices)
            return f"{_in(body, ATOM)}_{_braced(inside)}", FACTOR
        case f.Total(ranges, body):
            under = "".join(_range(one) for one in ranges)
            return rf"\sum{under} {_in(body, PRODUCT)}", PRODUCT
        case f.Chain(one, body):
            return rf"\prod{_range(one)} {_in(body, FACTOR)}", PRODUCT
        case f.Derivative(of, wrt, only):
            bar = r"\Big|_{(t)}" if only else ""
            over = rf"\partial {_in(of, PRODUCT)}"
            return rf"\frac{{{over}}}{{\partial {latex(wrt)}}}" + bar, FACTOR
        case f.Ones(rows, columns):
            return rf"\mathbf{{1}}_{{{latex(rows)} \times {latex(columns)}}}", FACTOR
        case f.Identity(size):
            return f"I_{_braced(latex(size))}", FACTOR
        case f.Matrix(rows):
            lines = r" \\ ".join(" & ".join(map(latex, row.entries)) for row in rows)
            return rf"\begin{{bmatrix}} {lines} \end{{bmatrix}}", ATOM
        case f.Space(sides):
            return r"\mathbb{R}^{" + r" \times ".join(map(latex, sides)) + "}", ATOM
        case f.Unsaid(text):
            return {"…": r"\dots", "∞": r"\infty"}.get(text, text), ATOM
    raise TypeError(f"no LaTeX for {type(node).__name__}")


def _number(value: Fraction) -> tuple[str, int]:
    if value.denominator == 1:
        return str(value), ATOM if value >= 0 else SUM
    return rf"\frac{{{value.numerator}}}{{{value.denominator}}}", FACTOR


def _plain_name(name: str) -> str:
    base, _, sub = name.partition("_")
    return name if not sub else f"{base}_{_braced(sub)}"


def _sum(terms: tuple[f.Node, ...]) -> str:
    text = _in(terms[0], ELEMENTWISE) if not isinstance(terms[0], f.Negative) else latex(terms[0])
    for term in terms[1:]:
        if isinstance(term, f.Negative):
            text += f" - {_in(term.body, ELEMENTWISE)}"
        else:
            text += f" + {_in(term, ELEMENTWISE)}"
    return text


def _product(factors: tuple[f.Node, ...]) -> str:
    parts = []
    for place, factor in enumerate(factors):
        last = place == len(factors) - 1
        big = isinstance(factor, f.Total | f.Chain)
        parts.append(_in(factor, SIGNED if big and not last else FACTOR) if not (big and last)
                     else latex(factor))  # fmt: skip
    return " ".join(parts)


def _raisable(node: f.Node) -> str:
    """What a power or transpose is hung on: x_1 as it is, W^{(1)} in brackets."""
    text, hold = _write(node)
    simple = hold == ATOM and "^" not in text
    indexed = isinstance(node, f.Index) and "^" not in text
    return text if simple or indexed else f"({text})"


def _braced(text: str) -> str:
    return text if len(text) == 1 else f"{{{text}}}"


def _call(node: f.Call) -> tuple[str, int]:
    name, arguments = node.function, node.arguments
    inside = ", ".join(map(latex, arguments))
    if name == "sqrt":
        return rf"\sqrt{{{inside}}}", FACTOR
    if name == "abs":
        return f"|{inside}|", FACTOR
    if name == "norm":
        return rf"\|{latex(arguments[0])}\|", FACTOR
    if name == "factorial":
        return f"{_in(arguments[0], ATOM)}!", FACTOR
    if name == "binom" and len(arguments) == 2:
        return rf"\binom{{{latex(arguments[0])}}}{{{latex(arguments[1])}}}", FACTOR
    base = ""
    if name == "log" and len(arguments) == 2:
        base, inside = f"_{_braced(latex(arguments[1]))}", latex(arguments[0])
    spelt = NAMES.get(name) or (f"\\{name}" if name in UPRIGHT else rf"\mathrm{{{name}}}")
    if name.startswith("\\"):
        spelt = name
    return f"{spelt}{chr(39) * node.primes}{base}({inside})", FACTOR


def _range(one: f.Range) -> str:
    if one.low is None and not one.without:
        return f"_{_braced(one.variable)}"
    if one.descending and one.low and one.high:
        return rf"_{{{one.variable}={latex(one.low)},\dots,{latex(one.high)}}}"
    start = f"{one.variable}={latex(one.low)}" if one.low is not None else ""
    lines = [start] if start else []
    lines += [rf"{one.variable} \neq {latex(value)}" for value in one.without]
    stacked = r" \\ ".join(lines)
    under = stacked if len(lines) == 1 else rf"\substack{{{stacked}}}"
    over = f"^{_braced(latex(one.high))}" if one.high is not None else ""
    return f"_{{{under}}}{over}"
