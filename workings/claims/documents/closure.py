"""What a claim of a document rests on: the definitions it uses, and theirs, parsed."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from workings.claims.documents.infer import Equation
from workings.claims.documents.outline import Outline, Role, Statement, call_of
from workings.claims.documents.sources import Text, constant, join
from workings.claims.documents.uses import symbols_in, use_of
from workings.claims.left_sides import name_of
from workings.errors import WorkingsError
from workings.formula import nodes as f
from workings.formula.latex import plain_latex
from workings.formula.parse import parse, parse_expression

MOST_EQUATIONS = 60  # that one claim may rest on


class NotDefined(WorkingsError):
    """A definition that a claim rests on was not read."""


@dataclass
class Closure:
    """The equations that a claim rests on, each after those it uses."""

    equations: list[Equation] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    functions: dict[str, tuple[tuple[str, ...], f.Node]] = field(default_factory=dict)
    free: set[str] = field(default_factory=set)
    """names that are free in some definition, though the claim stands where they are defined"""


class Definitions:
    """The definitions of a document; which one is in force where."""

    def __init__(self, outline: Outline) -> None:
        self.outline = outline
        self.by_name: dict[str, list[tuple[int, Statement]]] = {}
        self.aliases: list[tuple[re.Pattern[str], str]] = []
        for number, statement in enumerate(outline.statements):
            if statement.role is Role.DEFINITION:
                self.add(number, statement)
        names = [*outline.declared, *self.by_name]
        self.words = {
            word
            for symbol in map(_named, names)
            for word in (symbol.base, f"{symbol.base}_{symbol.sub}")
            if len(word) > 1
        }
        self.trees: dict[int, f.Node] = {}
        self.statements: dict[int, f.Statement] = {}
        self.varied = self._varied()

    def _varied(self) -> dict[str, int]:
        """The names that derivatives are taken by, with the number of the first such statement."""
        found: dict[str, int] = {}
        for number, statement in enumerate(self.outline.statements):
            if statement.role is not Role.CLAIM:
                continue
            try:
                sides = self.parsed(statement).sides
            except WorkingsError:
                continue
            for side in sides:
                for node in side.walk():
                    if isinstance(node, f.Derivative) and isinstance(node.wrt, f.Symbol):
                        found.setdefault(node.wrt.name, number)
        return found

    def add(self, number: int, statement: Statement) -> None:
        """Take a definition in; L(w) = … of a known w is written L from then on."""
        self.by_name.setdefault(statement.name, []).append((number, statement))
        left = statement.row.sides[0].text.text
        if call_of(left) and not statement.parameters:
            parts = re.findall(r"\\[A-Za-z]+|\\.|\S", left)
            sized = [part for part in parts if part not in (r"\left", r"\right")]
            pattern = r"\s*(?:\\left|\\right)?\s*".join(map(re.escape, sized))
            self.aliases.append((re.compile(pattern), plain_latex(statement.name)))

    @property
    def functions(self) -> set[str]:
        return {name for name, each in self.by_name.items() if each[0][1].parameters}

    def in_force(self, name: str, number: int) -> Statement | None:
        """The last definition before a statement, or else one behind it ("where h = …").

        What was declared, or differentiated by, before it is defined was free until then.
        """
        found = self.by_name.get(name, [])
        before = [each for at, each in found if at < number]
        if before or not found:
            return before[-1] if before else None
        at, statement = found[0]
        free = name in self.outline.declared or self.varied.get(name, at) < at
        return None if free else statement

    def plain(self, text: Text) -> Text:
        """A formula in which L(w) of a defined L is written L."""
        for pattern, name in self.aliases:
            parts, at = [], 0
            for match in pattern.finditer(text.text):
                start, end = text.offset_of(match.start()), text.ends[match.end() - 1]
                parts += [text[at : match.start()], constant(f"{name} ", start, end)]
                at = match.end()
            if parts:
                text = join([*parts, text[at:]])
        return text

    def parsed(self, statement: Statement) -> f.Statement:
        """A statement, parsed with the document's names of several letters."""
        found = self.statements.get(id(statement))
        if found is None:
            text = self.plain(statement.row.text)
            found = parse(text.text, self.words, self.functions)
            self.statements[id(statement)] = found
        return found

    def body(self, statement: Statement) -> f.Node:
        """The right side of a definition."""
        found = self.trees.get(id(statement))
        if found is None:
            text = self.plain(statement.row.sides[1].text)
            found = parse_expression(text.text, self.words, self.functions)
            self.trees[id(statement)] = found = self.named(found)
        return found

    def named(self, node: f.Node) -> f.Node:
        """A formula in which W^Q is a name, and with steps in time h^{(t-1)} is h^{(t)}."""
        known = {**self.by_name, **self.outline.declared}
        node = with_labels(node, known)
        return at_one_step(node, known) if self.outline.steps else node

    def closure(self, nodes: list[f.Node], number: int, without: frozenset[str]) -> Closure:
        """All that formulas at statement `number` rest on, each definition read where it stands."""
        found = Closure()
        done: set[str] = set()
        free: set[str] = set()
        known = {**self.by_name, **self.outline.declared}

        def visit(
            node: f.Node, at: int, parameters: tuple[str, ...], path: tuple[str, ...]
        ) -> None:
            for name in _names_in(node, known):
                if name in parameters or name in done or name in without:
                    continue
                statement = self.in_force(name, at)
                if statement is None:
                    free.add(name)
                    continue
                if name in path and self.outline.steps:
                    continue  # the step before
                if name in path or len(done) > MOST_EQUATIONS:
                    raise NotDefined(f"the definitions of {name} go in a circle")
                body = self._body(name, statement)
                place = next(n for n, each in self.by_name[name] if each is statement)
                visit(body, place, statement.parameters, (*path, name))
                done.add(name)
                self._add(found, name, statement, body)

        for node in nodes:
            visit(node, number, (), ())
        if both := done & free:  # free in one definition, defined for another: free in all
            found = self.closure(nodes, number, without | both)
            found.free |= both
        return found

    def _body(self, name: str, statement: Statement) -> f.Node:
        try:
            body = self.body(statement)
            if any(isinstance(node, f.Derivative) for node in body.walk()):
                raise NotDefined("it has a derivative in it")
            return body
        except WorkingsError as error:
            line = self.outline.document.position(statement.row.text.offset).line
            raise NotDefined(
                f"the definition of {plain_latex(name)} in line {line} is not read: "
                + str(error).partition("\n")[0]
            ) from None

    def _add(self, found: Closure, name: str, statement: Statement, body: f.Node) -> None:
        right = " ".join(self.plain(statement.row.sides[1].text).text.split())
        if statement.parameters:
            found.functions[name] = (statement.parameters, body)
            found.texts.append(f"{name}({', '.join(statement.parameters)}) = {right}")
        else:
            found.equations.append(Equation(name, body))
            found.texts.append(f"{plain_latex(name)} = {right}")


def with_labels(node: f.Node, known: Mapping[str, object]) -> f.Node:
    """W^Q and W^{[1]} are names, not powers; e^x is the exponential, unless e is declared."""
    if isinstance(node, f.Power) and isinstance(node.base, f.Symbol) and not node.base.label:
        base = node.base
        if base.name == "e" and "e" not in known:
            return f.Call("exp", (with_labels(node.exponent, known),))
        labelled = f.Symbol(base.base, base.marks, base.sub, node.text)
        capital = re.fullmatch(r"[A-Z]", node.text) and base.base[-1:].isupper()
        if labelled.name in known or capital or re.fullmatch(r"\[\w+\]", node.text):
            return labelled
    return node.rebuilt(lambda child: with_labels(child, known))


def at_one_step(node: f.Node, known: Mapping[str, object]) -> f.Node:
    """What lives in time, at step t wherever it is used."""
    if isinstance(node, f.Symbol) and node.name not in known:
        for step in (
            f.Symbol(node.base, node.marks, node.sub, "(t)"),
            f.Symbol(node.base, node.marks, "", "(t)"),
            f.Symbol(node.base, node.marks, "t", node.label),
        ):
            if step.name in known and (node.label or node.sub):
                sub = node.sub if step.label and step.sub == node.sub else step.sub
                return f.Symbol(step.base, step.marks, sub, step.label)
    return node.rebuilt(lambda child: at_one_step(child, known))


def _names_in(node: f.Node, known: Mapping[str, object]) -> Iterator[str]:
    for symbol, bound in symbols_in(node):
        yield use_of(symbol, known, bound).name
    for part in node.walk():
        if isinstance(part, f.Call):
            yield part.function


def _named(name: str) -> f.Symbol:
    return name_of(plain_latex(name))
