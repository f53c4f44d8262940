"""The name that the left side of an equation gives, and what it tells about the equation."""

import re
from dataclasses import dataclass, field

from workings.claims.documents.outline.called import is_called_otherwise
from workings.claims.documents.outline.sides import Row
from workings.claims.documents.outline.statements import Outline
from workings.claims.system.left_sides import name_of
from workings.errors import WorkingsError
from workings.formula import nodes as f
from workings.formula.evaluation.functions import FUNCTIONS
from workings.formula.parsing.parse import parse_expression
from workings.formula.printing.latex import plain_latex

_FONT = re.compile(
    r"\\(?:mathcal|mathrm|text|operatorname|mathbf|mathit|boldsymbol|bm)\s*\{([^{}]*)\}"
)
_CLOSES = re.compile(r"(?:\\right\s*)?\)\s*$")
_PRIMES = re.compile(r"(?:\s*'|\s*\^\s*(?:\{(?:\s*\\prime)+\s*\}|\\prime))+\s*$")

_LOG_BASE = re.compile(r"(?<=\\log)\s*_\s*(?:\{[^{}]*\}|\w)$")


@dataclass
class LeftSides:
    """Reads left sides, knowing what was declared, and defined so far."""

    outline: Outline
    defined: dict[str, int] = field(default_factory=dict)
    """names that are defined so far, with the section of the definition"""

    @property
    def known(self) -> set[str]:
        """All names that are defined so far, or declared."""
        return {*self.defined, *self.outline.declared}

    def parsed(self, text: str) -> f.Node | None:
        """A formula with the names of several letters that are defined so far; None if none."""
        try:
            return parse_expression(text, [word for word in self.defined if len(word) > 1])
        except WorkingsError:
            return None

    def name(self, left: str, right: str) -> tuple[str, tuple[str, ...]]:
        """The name that a left side gives, and its parameters if it is a function's."""
        if called := call_of(left):
            name, arguments = called
            plain = bare(name)
            if is_known_function(_PRIMES.sub("", _LOG_BASE.sub("", plain))) or self._is_known_call(
                left
            ):
                return "", ()
            parameters = tuple(part.strip() for part in arguments.split(","))
            if re.fullmatch(r"\\?[A-Za-z]+", plain) and self._is_function(plain, parameters, right):
                return plain, parameters
            left = name
        try:
            symbol = self._symbol(left)
            name_of(plain_latex(symbol.name) if symbol else left)  # or it has no way back to LaTeX
        except WorkingsError:
            return "", ()
        if symbol is None or (symbol.base in FUNCTIONS and symbol.name == symbol.base):
            return "", ()
        return symbol.name, ()

    def _is_known_call(self, left: str) -> bool:
        """Whether it is a function that the checker knows, as KL, of what is said before."""
        try:
            node = parse_expression(left)
        except WorkingsError:
            return False
        if not isinstance(node, f.Call) or node.function not in FUNCTIONS:
            return False
        return all(part.name in self.known for part in node.walk() if isinstance(part, f.Symbol))

    def _is_function(self, name: str, parameters: tuple[str, ...], right: str) -> bool:
        """f(x) = … with an x that means nothing else here; L(w) of a declared w is L.

        What is called with something else in the place of x, too, is a function in any case.
        """
        for parameter in parameters:
            if not re.fullmatch(r"\\?[A-Za-z]+", parameter) or parameter not in right:
                return False
        new = not self.known & {*parameters}
        otherwise = not new and is_called_otherwise(name, parameters, self.outline.texts)
        return bool(parameters) and (new or otherwise)

    def _symbol(self, left: str) -> f.Symbol | None:
        """The left side as a name; None for an entry of something known, a power, a product."""
        plain = parse_expression(left)
        if not isinstance(plain, f.Symbol):
            letters = re.fullmatch(r"\s*([A-Za-z]+)\s*", left)
            if letters and set(letters[1]) <= self.known:
                return None  # AB of a known A and B
            if self._is_applied(left):
                return None
            if isinstance(plain, f.Power) and not re.fullmatch(r"[A-Z*]|\[\w+\]", plain.text):
                return None
        symbol = name_of(left)
        indexed = len(symbol.sub.replace(",", "")) <= 2
        if indexed and symbol.sub not in ("", "t") and symbol.name not in self.known:
            whole = f.Symbol(symbol.base, symbol.marks, "", symbol.label).name
            if whole in self.known:
                return None
        return symbol

    def _is_applied(self, left: str) -> bool:
        r"""Whether it is a matrix and a vector, Su or Ax^\star, that nobody declares."""
        letters = re.fullmatch(r"\s*([A-Z][a-z])\s*(?:[_^].*)?", left)
        return letters is not None and letters[1] not in self.known

    def is_new(self, node: f.Node) -> bool:
        """Whether a left side is a new name with something on it, and no formula."""
        match node:
            case f.Symbol():
                plain = f.Symbol(node.base, node.marks)
                return not {node.name, plain.name} & self.known
            case f.Power(body, f.Symbol() | f.Number()) | f.Index(body):
                return self.is_new(body)
            case f.Call(name):
                return name not in FUNCTIONS and name not in self.defined
            case f.Product((f.Symbol("\\Delta"), *rest)):
                return bool(rest)
            case f.Product((f.Symbol() as head, f.Matrix())):
                return self.is_new(head)
        return False

    def is_property(self, node: f.Node, row: Row) -> bool:
        """H^2 = H says something about H, and does not say what H^2 is."""
        base = node.base if isinstance(node, f.Power) else None
        return isinstance(base, f.Symbol) and self.in_itself(base.name, row.sides[1].text.text, ())

    def in_itself(self, name: str, right: str, parameters: tuple[str, ...]) -> bool:
        """Whether a name is among what its right side is made of, as in w = w - g."""
        if parameters:
            return False
        body = self.parsed(right)
        nodes = body.walk() if body else ()
        return any(isinstance(node, f.Symbol) and node.name == name for node in nodes)


def call_of(left: str) -> tuple[str, str] | None:
    """L and w of L(w), where that is all that a text is."""
    depth = 0
    for at, char in enumerate(left):
        if char == "(" and depth == 0:
            name = re.sub(r"\\left\s*$", "", left[:at]).strip()
            end = _CLOSES.search(left)
            inside = left[at + 1 : end.start()] if end else ""
            return (name, inside) if name and end and _closed(inside) else None
        depth += (char in "{[") - (char in "}]")
    return None


def _closed(text: str) -> bool:
    """Whether every bracket that closes in a text was opened in it."""
    depth = 0
    for char in text:
        depth += (char in "([{") - (char in ")]}")
        if depth < 0:
            return False
    return depth == 0


def is_abstract(right: str) -> bool:
    """Whether a right side is only f(x), of a function that the checker does not know."""
    called = call_of(right.strip())
    if called is None:
        return False
    name = re.sub(r"_(?:\{[^{}]*\}|\\?\w+)$", "", bare(called[0]))
    return bool(re.fullmatch(r"\\?[A-Za-z]+", name)) and not is_known_function(name)


def is_known_function(name: str) -> bool:
    """Whether a name is that of a function which the checker knows."""
    return name in FUNCTIONS or name.lstrip("\\") in FUNCTIONS


def bare(name: str) -> str:
    """A name without its font."""
    return _FONT.sub(r"\1", name).strip()
