"""What a claim of a document rests on: the definitions it uses, and theirs, parsed."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from workings.claims.documents.inference.infer import Equation
from workings.claims.documents.inference.uses import names_in
from workings.claims.documents.outline.definitions import Definitions
from workings.claims.documents.outline.implied import named
from workings.claims.documents.outline.listed import has_dots
from workings.claims.documents.outline.statements import Role, Statement
from workings.errors import WorkingsError
from workings.formula import nodes as f
from workings.formula.printing.latex import plain_latex

MOST_EQUATIONS = 60  # that one claim may rest on


class NotDefined(WorkingsError):
    """A definition that a claim rests on was not read."""

    def __init__(self, message: str, name: str = "") -> None:
        super().__init__(message)
        self.name = name
        """what it would define"""


@dataclass
class Closure:
    """The equations that a claim rests on, each after those it uses."""

    equations: list[Equation] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    functions: dict[str, tuple[tuple[str, ...], f.Node]] = field(default_factory=dict)
    free: set[str] = field(default_factory=set)
    """names that are free, or something else, in some definition, and not where the claim stands"""
    mentioned: list[Statement] = field(default_factory=list)
    """definitions in the running text among them"""
    any_functions: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """names that stand for any smooth function, with what they are functions of"""


def closure_of(
    definitions: Definitions,
    nodes: list[f.Node],
    number: int,
    without: frozenset[str] = frozenset(),
    instead: Mapping[str, Statement] | None = None,
) -> Closure:
    """All that formulas at statement `number` rest on, each definition read where it stands.

    without: names that are free, whatever defines them.
    instead: statements that say anew what names are, to be used in the place of their definitions.
    """
    walk = _Walk(definitions, number, without, instead or {})
    for node in nodes:
        walk.visit(node, number, (), ())
    if walk.circles:  # an update, or an equation to solve: no definition
        return closure_of(definitions, nodes, number, without | walk.circles, instead)
    if both := walk.done & walk.free:  # free in one definition, defined for another: free in all
        closure = closure_of(definitions, nodes, number, without | both, instead)
        closure.free |= both
        return closure
    return walk.closure


@dataclass
class _Walk:
    """Collects the equations that formulas rest on, those that an equation uses before it."""

    definitions: Definitions
    number: int
    without: frozenset[str]
    instead: Mapping[str, Statement]
    closure: Closure = field(default_factory=Closure)
    done: set[str] = field(default_factory=set)
    free: set[str] = field(default_factory=set)
    circles: set[str] = field(default_factory=set)

    def visit(
        self, node: f.Node, at: int, parameters: tuple[str, ...], path: tuple[str, ...]
    ) -> None:
        """Take in what a formula at statement `at` rests on; path: the definitions around it."""
        definitions, steps = self.definitions, self.definitions.outline.steps
        lengths = _lengths(node)
        for name in names_in(node, definitions.known):
            if name in parameters or name in self.done or name in self.without:
                continue
            statement = self.instead.get(name) or definitions.in_force(name, at)
            if statement and name in lengths and statement.role is Role.MENTION:
                continue  # K of a sum up to K is no matrix K of a sentence
            free = name in definitions.outline.declared or name in definitions.varied
            if statement is None and not free and name not in path:
                statement = definitions.in_force(name, self.number)
            if statement is None and name in path and steps:
                continue  # the step before of what was declared, too
            if statement is None:
                self.free.add(name)
                continue
            if name in path and (steps or statement.role is Role.MENTION):
                continue  # the step before, or a sentence that says it the other way round
            if name in path:
                self.circles.add(name)
                continue
            if len(self.done) > MOST_EQUATIONS:
                raise NotDefined(f"it rests on more than {MOST_EQUATIONS} definitions")
            body = self._body(name, statement)
            # A name for a derivative is of what is differentiated where it is used.
            is_name = isinstance(body, f.Derivative)
            stands_at = at if is_name else definitions.numbers.get(id(statement), at)
            self.visit(body, stands_at, statement.parameters, (*path, name))
            if not self.instead and statement is not definitions.in_force(name, self.number):
                self.closure.free.add(name)
            self.done.add(name)
            self._add(name, statement, body)

    def _body(self, name: str, statement: Statement) -> f.Node:
        try:
            body = self.definitions.body(statement)
            if not has_dots(body):
                return body
            raise WorkingsError("dots cannot be computed")
        except WorkingsError as error:
            document = self.definitions.outline.document
            line = document.position(statement.row.text.offset).line
            raise NotDefined(
                f"the definition of {plain_latex(name)} in line {line} is not read: "
                + str(error).partition("\n")[0],
                name,
            ) from None

    def _add(self, name: str, statement: Statement, body: f.Node) -> None:
        closure = self.closure
        if statement.role is Role.MENTION:
            closure.mentioned.append(statement)
        right = " ".join(self.definitions.plain(statement.row.sides[1].text).text.split())
        if statement.parameters:
            closure.functions[name] = (statement.parameters, body)
            closure.texts.append(f"{name}({', '.join(statement.parameters)}) = {right}")
        else:
            entries = self.definitions.entries.get(id(statement), ())
            closure.equations.append(Equation(name, body, entries))
            symbol = named(name)
            left = replace(symbol, sub=symbol.sub + ",".join(entries)).name
            closure.texts.append(f"{plain_latex(left)} = {right}")


def _lengths(node: f.Node) -> set[str]:
    """The names up to which sums of a formula run."""
    ranges = [part for part in node.walk() if isinstance(part, f.Range)]
    return {each.high.name for each in ranges if isinstance(each.high, f.Symbol)}
