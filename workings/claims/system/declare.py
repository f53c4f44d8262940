"""From a set of claims as it is written to a system of equations that can be computed."""

from collections.abc import Collection, Mapping
from dataclasses import replace

from workings.claims.sets import ClaimSet
from workings.claims.system.equation_order import check_circles, in_order
from workings.claims.system.equations import Equation, System
from workings.claims.system.left_sides import (
    Left,
    by_entries,
    has_its_indices,
    left_of,
    name_of,
    without_step,
)
from workings.claims.system.symbols import Symbol, canonical, declare
from workings.errors import WorkingsError
from workings.formula import nodes as f
from workings.formula.errors import FormulaError
from workings.formula.evaluation.functions import FUNCTIONS, POINTWISE
from workings.formula.parsing.parse import parse, parse_expression
from workings.formula.printing.latex import symbol_latex
from workings.formula.resolution.calls import BY_SHAPE
from workings.formula.resolution.declared import Function
from workings.formula.resolution.names import Names, Resolver
from workings.formula.resolution.scopes import LAST, OVER_ALL_STEPS
from workings.formula.resolution.shapes import shape_of
from workings.formula.sizes import parse_sizes

TIME = "t"
TIME_LABEL = f"({TIME})"


class Reader:
    """Reads the formulas of one set: knows its names of several letters."""

    def __init__(self, given: ClaimSet, shapeless: Collection[str] = ()) -> None:
        self.given = given
        self.shapeless = shapeless
        """declared names whose shape is not known, as of a live module's parameters"""
        self.lefts: dict[str, Left] = {}
        """the left side of every equation, by its text"""
        for text in given.equations:
            left, sign, _ = text.partition("=")
            if not sign:
                raise WorkingsError(f"equation {text!r}: has no =")
            self.lefts[text] = left_of(left, given.symbols)
        lefts = self.lefts.values()
        self._check_functions()
        self.functions = {
            left.name.name: left.parameters for left in lefts if left.parameters is not None
        }
        self.names = [
            *map(name_of, given.symbols),
            *(left.name for left in lefts if left.parameters is None),
        ]
        named = [*self.names, *(left.name for left in lefts if left.parameters is not None)]
        sizes = [name_of(text) for text in given.sizes]
        self.words = {
            word
            for symbol in (*named, *sizes, *map(name_of, self._size_names()))
            for word in (symbol.base, f"{symbol.base}_{symbol.sub}")
        } | set(self.functions)
        self.words |= {LAST} if given.steps else set()
        at_steps = {without_step(name)[0] for name in self.names if TIME in without_step(name)[1]}
        wholes = {left.name.name for left in lefts if left.parameters is None}
        self.totals = at_steps & wholes if given.steps else set()
        """names that stand for a value at every step and, without one, for a value of their own"""

    def _check_functions(self) -> None:
        defined = [left for left in self.lefts.values() if left.parameters is not None]
        names = [left.name.name for left in defined]
        for left in defined:
            name, parameters = left.name.name, left.parameters or ()
            if name in FUNCTIONS or name in self.given.symbols or names.count(name) > 1:
                raise WorkingsError(
                    f"equation {left.text.strip()}: {name} is a function or symbol already"
                )
            if len(set(parameters)) < len(parameters):
                raise WorkingsError(
                    f"equation {left.text.strip()}: each argument needs a name of its own"
                )

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

    def system(self, flipped: frozenset[str] = frozenset()) -> System:
        """The declared symbols and the equations, each after those it uses.

        flipped: ambiguities that are read in the less likely way.
        """
        symbols, timed = self._symbols()
        sizes = dict.fromkeys([*self._size_names(), *map(canonical, self.given.sizes)])
        given = {canonical(name): str(value) for name, value in self.given.sizes.items()}
        for name in sizes:
            if name in symbols:
                raise WorkingsError(f"symbols.{name}: is also the name of a size; rename one")
        names = Names(
            symbols=list(symbols),
            timed=timed,
            sizes=list(sizes),
            functions={name: Function(args, f.Unsaid("")) for name, args in self.functions.items()},
            time=TIME if self.given.steps else "",
            totals=self.totals,
            shapes={
                name: symbol.sides
                for name, symbol in symbols.items()
                if "@" not in name and name not in self.shapeless
            },
            spelt={name.name: symbol_latex(name) for name in self.names},
            flipped=flipped,
        )
        bodies = self._bodies(symbols, timed, names)
        names = replace(names, symbols={*symbols, *bodies}, defined=list(bodies))
        names = replace(names, functions=self._functions(names))
        ordered, known = self._ordered(names, bodies)
        if any(_hangs_on_shapes(equation.body) for equation in ordered):
            ordered, known = self._ordered(replace(names, shapes=known.shapes), bodies)
        self.derivatives: dict[str, f.Node] = {}
        kept = [each for each in ordered if not self._stands_for_a_derivative(each)]
        return System(known, symbols, tuple(kept), given, self.given.steps)

    def _ordered(
        self, names: Names, bodies: Mapping[str, tuple[f.Node, str, tuple[str, ...]]]
    ) -> tuple[list[Equation], Names]:
        """The equations as they are read under these names, and the names with what they show."""
        equations = [self._equation(names, name, *body) for name, body in bodies.items()]
        self.entrywise = {each.name for each in equations if _is_entrywise(each.body)}
        equations = [replace(each, body=self.with_powers(each.body)) for each in equations]
        ordered = list(in_order(equations))
        shapes = dict(names.shapes)
        leaves: dict[str, set[str]] = {}
        for equation in ordered:
            used = {node.name for node in equation.body.walk() if isinstance(node, f.Reference)}
            leaves[equation.name] = {leaf for name in used for leaf in leaves.get(name, [name])}
            if (shape := shape_of(equation.body, shapes)) is not None:
                shapes[equation.name] = shape
        return ordered, replace(names, shapes=shapes, leaves=leaves)

    def _equation(
        self, names: Names, name: str, body: f.Node, text: str, indices: tuple[str, ...]
    ) -> Equation:
        if isinstance(body, f.Unsaid):
            return Equation(name, body, text, not_read=body.text)
        try:
            resolver = Resolver(names, text.partition("=")[2])
            read = resolver.visit(body, frozenset(indices) | frozenset(names.indices))
        except FormulaError as error:
            return Equation(name, f.Unsaid(""), text, not_read=str(error))
        whole = f.Entries(indices, read) if indices else read
        return Equation(name, whole, text, alternatives=frozenset(resolver.alternatives))

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

    def _bodies(
        self, symbols: dict[str, Symbol], timed: set[str], names: Names
    ) -> dict[str, tuple[f.Node, str, tuple[str, ...]]]:
        """What each equation that is no function says, and by which entries."""
        values = {text: left for text, left in self.lefts.items() if left.parameters is None}
        read = {text: self._body(text.partition("=")[2]) for text in values}
        lefts = self._with_entries(values, read, timed, names)
        bodies: dict[str, tuple[f.Node, str, tuple[str, ...]]] = {}
        for text, left in lefts.items():
            plain, _ = without_step(left.name)
            key = plain if plain in timed and not left.entries else left.name.name
            if key in self.totals and left.name.name == plain:
                key += OVER_ALL_STEPS
            if key in names.sizes:
                raise WorkingsError(f"equation {text!r}: {key} is the name of a size; rename one")
            base = left.name.base
            if base in FUNCTIONS and not base.startswith("\\"):
                raise WorkingsError(f"equation {text!r}: {base} is the name of a function")
            if key in symbols or key in bodies:
                raise WorkingsError(f"equation {text!r}: {left.text.strip()} is declared already")
            bodies[key] = (read[text], text, left.entries)
        return bodies

    def _with_entries(
        self, lefts: dict[str, Left], bodies: dict[str, f.Node], timed: set[str], names: Names
    ) -> dict[str, Left]:
        """The left sides, with their indices where they are given by entries."""
        whole = {
            replace(left.name, sub="").name: text
            for text, left in lefts.items()
            if left.name.sub and left.name.label != TIME_LABEL
        }
        known = {*names.symbols, *(left.name.name for left in lefts.values())}
        able = {text for name, text in whole.items() if name not in {*known, *timed, *names.sizes}}
        while True:
            bases = [name for name, text in whole.items() if text in able]
            others = [left.name.name for text, left in lefts.items() if text not in able]
            inside = replace(names, symbols={*names.symbols, *bases, *others})
            read = {
                text: by_entries(left, bodies[text], inside) if text in able else left
                for text, left in lefts.items()
            }
            unlike = {text for text in able if not read[text].entries}
            if not unlike:
                return read
            # \mu_B without a B on its right is a name; then B is no index of z_i = x_i - \mu_B.
            names_alone = {
                each for each in unlike if not has_its_indices(lefts[each], bodies[each], inside)
            }
            able -= names_alone or unlike

    def _body(self, text: str) -> f.Node:
        """A formula; one that is not understood keeps the reason in its place."""
        try:
            return parse_expression(text, self.words, self.functions)
        except FormulaError as error:
            return f.Unsaid(str(error))

    def _functions(self, names: Names) -> dict[str, Function]:
        functions = {}
        for text, left in self.lefts.items():
            if left.parameters is None:
                continue
            arguments, right = left.parameters, text.partition("=")[2]
            shapes = {name: shape for name, shape in names.shapes.items() if name not in arguments}
            inside = replace(names, symbols={*names.symbols, *arguments}, shapes=shapes)
            body = self._body(right)
            try:
                body = body if isinstance(body, f.Unsaid) else inside.resolve(body, right)
            except FormulaError as error:
                body = f.Unsaid(str(error))
            functions[left.name.name] = Function(arguments, body)
        check_circles(functions)
        return functions


def _is_entrywise(body: f.Node) -> bool:
    return isinstance(body, f.Call) and body.function in POINTWISE and not body.primes


def _hangs_on_shapes(node: f.Node) -> bool:
    """Whether something in it means one thing of a matrix and another of a number: |z|, exp(z)."""
    return any(
        isinstance(part, f.TransposeOrPower)
        or (isinstance(part, f.Call) and part.function in BY_SHAPE)
        for part in node.walk()
    )
