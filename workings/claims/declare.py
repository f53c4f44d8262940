"""From a set of claims as it is written to a system of equations that can be computed."""

import re
from collections.abc import Iterable
from dataclasses import replace

from workings.claims.equations import Equation, System
from workings.claims.sets import ClaimSet
from workings.claims.symbols import Symbol, canonical, declare
from workings.errors import WorkingsError
from workings.formula import nodes as f
from workings.formula.declared import Function
from workings.formula.errors import FormulaError
from workings.formula.functions import FUNCTIONS, POINTWISE
from workings.formula.names import Names
from workings.formula.parse import parse, parse_expression
from workings.formula.shapes import shape_of
from workings.formula.sizes import parse_sizes

TIME = "t"
TIME_LABEL = f"({TIME})"
_DEFINES = re.compile(r"^\s*(\\?[A-Za-z]+)\s*\(([^()]*)\)\s*$")


class Reader:
    """Reads the formulas of one set: knows its names of several letters."""

    def __init__(self, given: ClaimSet) -> None:
        self.given = given
        texts = [text.partition("=") for text in given.equations]
        for text, (_, sign, _) in zip(given.equations, texts, strict=True):
            if not sign:
                raise WorkingsError(f"equation {text!r}: has no =")
        self.functions = {
            match[1]: tuple(part.strip() for part in match[2].split(","))
            for left, _, _ in texts
            if (match := _DEFINES.match(left)) and not self._declared(left)
        }
        lefts = [left for left, _, _ in texts if not _DEFINES.match(left) or self._declared(left)]
        self._check_functions([left for left, _, _ in texts])
        self.names = [name_of(text) for text in (*given.symbols, *lefts)]
        sizes = [name_of(text) for text in given.sizes]
        self.words = {
            word
            for symbol in (*self.names, *sizes, *map(name_of, self._size_names()))
            for word in (symbol.base, f"{symbol.base}_{symbol.sub}")
        } | set(self.functions)

    def _check_functions(self, lefts: list[str]) -> None:
        defined = [match for left in lefts if (match := _DEFINES.match(left))]
        names = [match[1] for match in defined]
        for match in defined:
            name, arguments = match[1], [part.strip() for part in match[2].split(",")]
            if name in FUNCTIONS or name in self.given.symbols or names.count(name) > 1:
                raise WorkingsError(
                    f"equation {match[0].strip()}: {name} is a function or symbol already"
                )
            if len(set(arguments)) < len(arguments) or not all(arguments):
                raise WorkingsError(
                    f"equation {match[0].strip()}: each argument needs a name of its own"
                )

    def _declared(self, text: str) -> bool:
        return text.strip() in self.given.symbols

    def _size_names(self) -> list[str]:
        return [
            name
            for key, text in self.given.symbols.items()
            for side in declare(key, text).sides
            for name in parse_sizes(side).names
        ]

    def statement(self, text: str) -> f.Statement:
        """A claim's formula, parsed with the names of this set."""
        return parse(text, self.words, self.functions)

    def system(self) -> System:
        """The declared symbols and the equations, each after those it uses."""
        symbols, timed = self._symbols()
        sizes = dict.fromkeys([*self._size_names(), *map(canonical, self.given.sizes)])
        given = {canonical(name): str(value) for name, value in self.given.sizes.items()}
        for name in sizes:
            if name in symbols:
                raise WorkingsError(f"symbols.{name}: is also the name of a size; rename one")
        bodies = self._bodies(symbols, timed)
        names = Names(
            symbols={*symbols, *bodies},
            timed=timed,
            sizes=list(sizes),
            functions={name: Function(args, f.Unsaid("")) for name, args in self.functions.items()},
            time=TIME if self.given.steps else "",
            shapes={name: symbol.sides for name, symbol in symbols.items() if "@" not in name},
            defined=list(bodies),
        )
        names = replace(names, functions=self._functions(names))
        equations = [self._equation(names, name, *body) for name, body in bodies.items()]
        self.entrywise = {each.name for each in equations if _is_entrywise(each.body)}
        equations = [replace(each, body=self.with_powers(each.body)) for each in equations]
        ordered = list(_in_order(equations))
        shapes = dict(names.shapes)
        for equation in ordered:
            if (shape := shape_of(equation.body, shapes)) is not None:
                shapes[equation.name] = shape
        names = replace(names, shapes=shapes)
        self.derivatives: dict[str, f.Node] = {}
        kept = [each for each in ordered if not self._stands_for_a_derivative(each)]
        return System(names, symbols, tuple(kept), given, self.given.steps)

    def _equation(self, names: Names, name: str, body: f.Node, text: str) -> Equation:
        if isinstance(body, f.Unsaid):
            return Equation(name, body, text, not_read=body.text)
        try:
            return Equation(name, names.resolve(body, text.partition("=")[2]), text)
        except FormulaError as error:
            return Equation(name, f.Unsaid(""), text, not_read=str(error))

    def _stands_for_a_derivative(self, equation: Equation) -> bool:
        """δ = ∂L/∂z is a name for a derivative: formulas that use it have the derivative itself."""
        body = self.with_derivatives(equation.body)
        if any(isinstance(node, f.Derivative) for node in body.walk()):
            self.derivatives[equation.name] = body
            return True
        return False

    def with_powers(self, node: f.Node) -> f.Node:
        """h^2 of h = tanh(z) is of every entry, even where h is a square matrix."""
        node = node.rebuilt(self.with_powers)
        match node:
            case f.Power(f.Reference(name) as base, f.Number(order)) if name in self.entrywise:
                if order.denominator == 1 and 2 <= order <= 4:
                    return f.Elementwise((base,) * int(order))
        return node

    def with_derivatives(self, node: f.Node) -> f.Node:
        """The formula with every name of a derivative replaced by the derivative."""
        if isinstance(node, f.Reference) and node.name in self.derivatives:
            return self.derivatives[node.name]
        return node.rebuilt(self.with_derivatives)

    def _symbols(self) -> tuple[dict[str, Symbol], set[str]]:
        symbols: dict[str, Symbol] = {}
        timed = {
            without_step(name)[0]
            for name in self.names
            if self.given.steps and TIME_LABEL in (name.label, f"({name.sub})")
        }
        for text, shape in self.given.symbols.items():
            name = name_of(text)
            plain, step = without_step(name)
            if plain in timed and step.isdigit():
                key = f"{plain}@{step}"
            else:
                key = plain if plain in timed else name.name
            if key in symbols:
                raise WorkingsError(f"symbols.{text}: is declared twice")
            is_word = not name.base.startswith("\\")  # \sigma may be a standard deviation
            if name.base in FUNCTIONS and is_word and not name.sub and not name.label:
                raise WorkingsError(f"symbols.{text}: is the name of a function; rename it")
            symbols[key] = declare(text, shape)
        return symbols, timed

    def _bodies(self, symbols: dict[str, Symbol], timed: set[str]) -> dict[str, tuple[f.Node, str]]:
        bodies: dict[str, tuple[f.Node, str]] = {}
        for text in self.given.equations:
            left, _, right = text.partition("=")
            if _DEFINES.match(left) and not self._declared(left):
                continue
            name = name_of(left)
            plain, _ = without_step(name)
            key = plain if plain in timed else name.name
            if key in self._size_names():
                raise WorkingsError(f"equation {text!r}: {key} is the name of a size; rename one")
            if name.base in FUNCTIONS and not name.base.startswith("\\"):
                raise WorkingsError(f"equation {text!r}: {name.base} is the name of a function")
            if key in symbols or key in bodies:
                raise WorkingsError(f"equation {text!r}: {left.strip()} is declared already")
            bodies[key] = (self._body(right), text)
        return bodies

    def _body(self, text: str) -> f.Node:
        """A formula; one that is not understood keeps the reason in its place."""
        try:
            return parse_expression(text, self.words, self.functions)
        except FormulaError as error:
            return f.Unsaid(str(error))

    def _functions(self, names: Names) -> dict[str, Function]:
        functions = {}
        for text in self.given.equations:
            left, _, right = text.partition("=")
            match = _DEFINES.match(left)
            if match is None or self._declared(left):
                continue
            arguments = tuple(name_of(part).name for part in match[2].split(","))
            shapes = {name: shape for name, shape in names.shapes.items() if name not in arguments}
            inside = replace(names, symbols={*names.symbols, *arguments}, shapes=shapes)
            body = inside.resolve(parse_expression(right, self.words, self.functions), right)
            calls = [node.function for node in body.walk() if isinstance(node, f.Call)]
            if any(call in self.functions for call in calls):
                raise WorkingsError(f"equation {text!r}: a function may not use another one's name")
            functions[match[1]] = Function(arguments, body)
        return functions


def _is_entrywise(body: f.Node) -> bool:
    return isinstance(body, f.Call) and body.function in POINTWISE and not body.primes


def without_step(name: f.Symbol) -> tuple[str, str]:
    """h and t of h^{(t)} or h_t; h_1 may be a name of its own, or a state at step 1."""
    if name.label.startswith("("):
        return f.Symbol(name.base, name.marks, name.sub).name, name.label.strip("()")
    if name.sub and not name.label:
        return f.Symbol(name.base, name.marks).name, name.sub
    return name.name, ""


def name_of(text: str) -> f.Symbol:
    """A name as it is declared, however many letters it has."""
    if len(text) > 200:
        raise WorkingsError(f"a name of {len(text):,} characters; 200 are the most")
    words = re.findall(r"[^\W\d_]+\d*", text) + re.findall(r"[^\W\d_]+_[^\W_]+", text)
    node = parse_expression(text, words)
    if isinstance(node, f.Power) and isinstance(node.base, f.Symbol):
        base = node.base  # W^Q
        return f.Symbol(base.base, base.marks, base.sub, node.text)
    if isinstance(node, f.Call) and node.function in ("abs", "bars"):  # |V|
        node = node.arguments[0]
    if not isinstance(node, f.Symbol):
        raise FormulaError(text, 0, "a name was expected")
    return node


def free_indices(statement: f.Statement, names: Names) -> list[str]:
    """Letters that index a declared vector or matrix and are bound by no sum."""
    bound = {
        node.variable
        for side in statement.sides
        for node in side.walk()
        if isinstance(node, f.Range)
    }
    indices: dict[str, None] = {}
    for side in statement.sides:
        for node in side.walk():
            if not isinstance(node, f.Symbol) or not node.sub or node.name in names.symbols:
                continue
            whole = f.Symbol(node.base, node.marks, "", node.label).name
            bare = f.Symbol(node.base, node.marks).name
            timed = bare in names.timed and node.label.startswith("(")
            fixed = bare in names.symbols and bare not in names.timed
            letters = node.sub.replace(",", "").strip("()")
            capital = f.Symbol(node.base.upper(), node.marks).name in names.symbols
            known = whole in names.symbols or timed or fixed or (capital and len(letters) == 2)
            if known and letters.isalpha() and len(letters) <= 2:
                indices |= dict.fromkeys(letters)
    taken = {*bound, *names.sizes, names.time}
    return [name for name in indices if name not in taken]


def _in_order(equations: list[Equation]) -> Iterable[Equation]:
    """Each after those it uses; a cycle is an error that names it."""
    known = {equation.name: equation for equation in equations}
    done: dict[str, Equation] = {}

    def visit(name: str, path: tuple[str, ...]) -> None:
        if name in path:
            cycle = " → ".join([*path[path.index(name) :], name])
            raise WorkingsError(f"the equations go in a circle: {cycle}")
        if name in done:
            return
        for node in known[name].body.walk():
            if isinstance(node, f.Reference) and node.name in known and _same_step(node):
                visit(node.name, (*path, name))
        done[name] = known[name]

    for name in known:
        visit(name, ())
    return done.values()


def _same_step(node: f.Reference) -> bool:
    return node.step is None or isinstance(node.step, f.Variable)
