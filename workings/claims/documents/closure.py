"""What a claim of a document rests on: the definitions it uses, and theirs, parsed."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from workings.claims.documents.infer import Equation
from workings.claims.documents.layers import at_layer, labels_in
from workings.claims.documents.outline import Outline, Role, Statement, call_of
from workings.claims.documents.shape_signs import (
    bold_letters,
    families_of,
    function_letters,
    losses_of,
    vectors_of,
)
from workings.claims.documents.sources import Text, constant, join
from workings.claims.documents.uses import is_index, letters_of, symbols_in, use_of
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
    """names that are free, or something else, in some definition, and not where the claim stands"""
    mentioned: list[Statement] = field(default_factory=list)
    """definitions in the running text among them"""
    any_functions: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """names that stand for any smooth function, with what they are functions of"""


class Definitions:
    """The definitions of a document; which one is in force where."""

    def __init__(self, outline: Outline) -> None:
        self.outline = outline
        self._known: dict[str, object] | None = None
        self.by_name: dict[str, list[tuple[int, Statement]]] = {}
        self.mentions: dict[str, list[tuple[int, Statement]]] = {}
        """definitions in the running text, which come after those that are displayed"""
        self.places: dict[int, int] = {}
        self.aliases: list[tuple[re.Pattern[str], str]] = []
        self.gradients: list[tuple[re.Pattern[str], str]] = []
        """∇f of an f(x) that was defined, and the x that it is taken by"""
        self.letters = function_letters(each.text for each in outline.statements)
        """letters that have arguments, so that they are functions even if nothing defines them"""
        self.trees: dict[str, f.Node] = {}
        self.statements: dict[str, f.Statement] = {}
        """formulas that were parsed, by their text"""
        for number, statement in enumerate(outline.statements):
            if statement.role is Role.DEFINITION and statement.name:
                self.add(number, statement)
            elif statement.role is Role.MENTION:
                self.places[id(statement)] = number
                self.mentions.setdefault(statement.name, []).append((number, statement))
        names = [*outline.declared, *self.by_name, *self.mentions]
        self.words = {
            word
            for symbol in map(_named, names)
            for word in (symbol.base, f"{symbol.base}_{symbol.sub}")
            if len(word) > 1
        }
        self._drop_mentions_not_read()
        self._known = None
        self.entries: dict[int, tuple[str, ...]] = {}
        """the indices of definitions that give a vector or matrix by its entries"""
        self._define_by_entries()
        self._define_for_all_layers()
        self._known = None
        self.varied = self._varied()
        self._note_shapes()

    def _note_shapes(self) -> None:
        """What the document shows about the shapes of its names anywhere."""
        nodes: list[f.Node] = []
        for statement in self.outline.statements:
            try:
                if statement.role is Role.CLAIM:
                    nodes += self.parsed(statement).sides
                elif statement.name and statement.role in (Role.DEFINITION, Role.MENTION):
                    nodes.append(self.body(statement))
            except WorkingsError:
                continue
        families = families_of(nodes, self.known)
        self.outline.families |= families | {*self.by_name, *self.mentions}
        self._known = None
        texts = (source.text for source in self.outline.document.sources.files)
        self.outline.vectors = vectors_of(nodes, self.known, bold_letters(texts))
        self.outline.losses = losses_of(nodes, self.known)

    def _drop_mentions_not_read(self) -> None:
        """Sentences have much that only looks like a definition."""
        for name in list(self.mentions):
            kept = [each for each in self.mentions[name] if self._is_read(each[1])]
            if kept:
                self.mentions[name] = kept
            else:
                del self.mentions[name]

    def _define_by_entries(self) -> None:
        """z_k = … with an entry of index k on its right gives z, if nothing else does."""
        for table in (self.by_name, self.mentions):
            for name in list(table):
                symbol = _named(name)
                whole = replace(symbol, sub="").name
                letters = letters_of(symbol.sub)
                (number, statement), *_ = table[name]
                indices = all(is_index(letter, self.known) for letter in letters)
                if not 1 <= len(letters) <= 2 or not indices or statement.parameters:
                    continue
                if not {*letters} <= self._free_indices(statement):
                    continue
                del table[name]
                known = {**self.mentions, **self.by_name}.get(whole)
                if whole in self.outline.declared or (known and known[0][0] < number):
                    continue  # it is said for the whole before
                statement.name = whole
                self.entries[id(statement)] = letters
                table[whole] = [(number, statement)]
                self._with_whole_derivative(statement, letters)

    def _with_whole_derivative(self, statement: Statement, letters: tuple[str, ...]) -> None:
        r"""δ = ∂C/∂z of δ_j = ∂C/∂z_j."""
        body = self.body(statement)
        if not isinstance(body, f.Derivative) or not isinstance(body.wrt, f.Symbol):
            return
        of, wrt = body.of, body.wrt
        if isinstance(of, f.Symbol) and letters_of(wrt.sub) == letters:
            del self.entries[id(statement)]
            top, bottom = plain_latex(of.name), plain_latex(replace(wrt, sub="").name)
            right = rf"\frac{{\partial {top}}}{{\partial {bottom}}}"
            text = f"{plain_latex(statement.name)} = {right}"
            at = statement.row.text.offset
            statement.row = replace(statement.row, text=constant(text, at, at))

    def _free_indices(self, statement: Statement) -> set[str]:
        """The letters by which entries are taken on the right side, bound by no sum."""
        try:
            body = self.body(statement)
        except WorkingsError:
            return set()
        return {
            letter
            for symbol, bound in symbols_in(body)
            for letter in letters_of(symbol.sub)
            if letter not in bound and symbol.name not in self.by_name
        }

    def _define_for_all_layers(self) -> None:
        """What is defined for layer l is defined for every layer that the document speaks of."""
        letters = self.outline.layers
        texts = [each.text for each in self.outline.statements]
        labels = labels_in(texts, letters) if letters else set()
        for table in (self.by_name, self.mentions):
            for name, (first, *_) in list(table.items()):
                place, statement = first
                symbol = _named(name)
                letter = symbol.label[1:-1]
                if letter not in letters - {"L"} or statement.parameters:
                    continue
                for layer in labels - {letter}:
                    label = symbol.label[0] + layer + symbol.label[-1]
                    other = f.Symbol(symbol.base, symbol.marks, symbol.sub, label).name
                    if other not in self.by_name and other not in self.mentions:
                        row = replace(statement.row, text=at_layer(statement.row.text, layer))
                        instance = replace(statement, row=row, name=other)
                        if id(statement) in self.entries:
                            self.entries[id(instance)] = self.entries[id(statement)]
                        self.places[id(instance)] = place
                        table[other] = [(place, instance)]

    def _is_read(self, statement: Statement) -> bool:
        try:
            body = self.body(statement)
        except WorkingsError:
            return False
        return any(isinstance(node, f.Symbol) for node in body.walk())

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
        self._known = None
        self.by_name.setdefault(statement.name, []).append((number, statement))
        self.places[id(statement)] = number
        left = statement.row.sides[0].text.text
        if call_of(left) and not statement.parameters:
            parts = re.findall(r"\\[A-Za-z]+|\\.|\S", left)
            sized = [part for part in parts if part not in (r"\left", r"\right")]
            pattern = r"\s*(?:\\left|\\right)?\s*".join(map(re.escape, sized))
            self.aliases.append((re.compile(pattern), plain_latex(statement.name)))
            self._note_argument(statement.name, left)
            self.trees.clear()
            self.statements.clear()

    @property
    def functions(self) -> set[str]:
        found = {**self.mentions, **self.by_name}
        defined = {name for name, each in found.items() if each[0][1].parameters}
        return defined | (self.letters - {*found, *self.outline.declared})

    @property
    def known(self) -> dict[str, object]:
        """All names that are declared or defined."""
        if self._known is None:
            families = dict.fromkeys(self.outline.families)
            self._known = {**families, **self.mentions, **self.by_name, **self.outline.declared}
        return self._known

    def in_force(self, name: str, number: int) -> Statement | None:
        """The last definition before a statement, or else one behind it ("where h = …").

        What was declared, or differentiated by, before it is defined was free until then.
        """
        for found in (self.by_name.get(name, []), self.mentions.get(name, [])):
            if before := [each for at, each in found if at < number]:
                return before[-1]
        for found in (self.by_name.get(name, []), self.mentions.get(name, [])):
            for at, statement in found[:1]:
                free = name in self.outline.declared or self.varied.get(name, at) < at
                return None if free else statement
        return None

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
        for pattern, argument in self.gradients:
            for match in reversed(list(pattern.finditer(text.text))):
                at, place = match.end(1), text.offset_of(match.end(1))
                by = constant(f"_{{{argument}}}", place, place)
                text = join([text[:at], by, text[at:]])
        return text

    def _note_argument(self, name: str, left: str) -> None:
        """Of f(x) = …, ∇f is taken by x."""
        called = call_of(left)
        if called and "," not in called[1]:
            shown = re.escape(plain_latex(name))
            font = r"(?:\\math[a-z]+\s*\{\s*)?"
            pattern = rf"(\\nabla)(?:\s*\^\s*(?:2|\{{2\}}))?\s*{font}{shown}(?![A-Za-z_^'])"
            self.gradients.append((re.compile(pattern), called[1].strip()))

    def parsed(self, statement: Statement) -> f.Statement:
        """A statement, parsed with the document's names of several letters."""
        found = self.statements.get(statement.text)
        if found is None:
            text = self.plain(statement.row.text)
            found = parse(text.text, self.words, self.functions)
            self.statements[statement.text] = found
        return found

    def body(self, statement: Statement) -> f.Node:
        """The right side of a definition."""
        right = statement.row.sides[1].text
        found = self.trees.get(right.text)
        if found is None:
            found = parse_expression(self.plain(right).text, self.words, self.functions)
            self.trees[right.text] = found = self.named(found)
        return found

    def named(self, node: f.Node) -> f.Node:
        """A formula in which W^Q is a name, and with steps in time h^{(t-1)} is h^{(t)}."""
        known = self.known
        node = with_labels(node, known)
        return at_one_step(node, known) if self.outline.steps else node

    def closure(self, nodes: list[f.Node], number: int, without: frozenset[str]) -> Closure:
        """All that formulas at statement `number` rest on, each definition read where it stands."""
        found = Closure()
        done: set[str] = set()
        free: set[str] = set()
        circles: set[str] = set()
        known = self.known

        def visit(
            node: f.Node, at: int, parameters: tuple[str, ...], path: tuple[str, ...]
        ) -> None:
            for name in _names_in(node, known):
                if name in parameters or name in done or name in without:
                    continue
                statement = self.in_force(name, at)
                if statement is None and name in path and self.outline.steps:
                    continue  # the step before of what was declared, too
                if statement is None:
                    free.add(name)
                    continue
                if name in path and (self.outline.steps or statement.role is Role.MENTION):
                    continue  # the step before, or a sentence that says it the other way round
                if name in path:
                    circles.add(name)
                    continue
                if len(done) > MOST_EQUATIONS:
                    raise NotDefined(f"it rests on more than {MOST_EQUATIONS} definitions")
                body = self._body(name, statement)
                # A name for a derivative is of what is differentiated where it is used.
                place = at if isinstance(body, f.Derivative) else self.places[id(statement)]
                visit(body, place, statement.parameters, (*path, name))
                if statement is not self.in_force(name, number):
                    found.free.add(name)
                done.add(name)
                self._add(found, name, statement, body)

        for node in nodes:
            visit(node, number, (), ())
        if circles:  # an update, or an equation to solve: no definition
            return self.closure(nodes, number, without | circles)
        if both := done & free:  # free in one definition, defined for another: free in all
            found = self.closure(nodes, number, without | both)
            found.free |= both
        return found

    def _body(self, name: str, statement: Statement) -> f.Node:
        try:
            return self.body(statement)
        except WorkingsError as error:
            line = self.outline.document.position(statement.row.text.offset).line
            raise NotDefined(
                f"the definition of {plain_latex(name)} in line {line} is not read: "
                + str(error).partition("\n")[0]
            ) from None

    def _add(self, found: Closure, name: str, statement: Statement, body: f.Node) -> None:
        if statement.role is Role.MENTION:
            found.mentioned.append(statement)
        right = " ".join(self.plain(statement.row.sides[1].text).text.split())
        if statement.parameters:
            found.functions[name] = (statement.parameters, body)
            found.texts.append(f"{name}({', '.join(statement.parameters)}) = {right}")
        else:
            entries = self.entries.get(id(statement), ())
            found.equations.append(Equation(name, body, entries))
            symbol = _named(name)
            left = replace(symbol, sub=symbol.sub + ",".join(entries)).name
            found.texts.append(f"{plain_latex(left)} = {right}")


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
