"""The definitions of a document: which one is in force where, each parsed once."""

import re
from dataclasses import replace

from workings.claims.documents.files.sources import Text, constant, join
from workings.claims.documents.inference.uses import names_in
from workings.claims.documents.outline.implied import (
    at_all_layers,
    define_by_entries,
    define_declared_entries,
    define_for_all_layers,
    named,
)
from workings.claims.documents.outline.labels import at_one_step, with_labels
from workings.claims.documents.outline.left_names import call_of
from workings.claims.documents.outline.listed import has_dots, lists_itself
from workings.claims.documents.outline.shape_signs import (
    bold_letters,
    families_of,
    function_letters,
    losses_of,
    losses_with_arguments,
    matrices_of,
    vectors_of,
)
from workings.claims.documents.outline.statements import Outline, Role, Statement
from workings.errors import WorkingsError
from workings.formula import nodes as f
from workings.formula.parsing.parse import parse, parse_expression
from workings.formula.printing.latex import plain_latex

MOST_BEHIND = 6  # statements between a claim and a definition that another section has
Numbered = list[tuple[int, Statement]]
"""statements with their numbers in the document"""


class Definitions:
    """The definitions of a document; which one is in force where."""

    def __init__(self, outline: Outline) -> None:
        self.outline = outline
        self._known: dict[str, object] | None = None
        self.by_name: dict[str, Numbered] = {}
        self.mentions: dict[str, Numbered] = {}
        """definitions in the running text, which come after those that are displayed"""
        self.numbers: dict[int, int] = {}
        """the number in the document of each definition, by its identity"""
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
                self.numbers[id(statement)] = number
                self.mentions.setdefault(statement.name, []).append((number, statement))
        self._name_losses_alone()
        names = [*outline.declared, *self.by_name, *self.mentions]
        self.words = {
            word
            for symbol in map(named, names)
            for word in (symbol.base, f"{symbol.base}_{symbol.sub}")
            if len(word) > 1
        }
        self._drop_mentions_not_read()
        self._drop_lists()
        self._prefer_what_is_written_out()
        self._known = None
        self.entries: dict[int, tuple[str, ...]] = {}
        """the indices of definitions that give a vector or matrix by its entries"""
        define_by_entries(self)
        define_declared_entries(self)
        define_for_all_layers(self)
        self._known = None
        self.varied = self._varied()
        self._note_shapes()

    def _name_losses_alone(self) -> None:
        """J for J(W, b) of a J that is differentiated and that nothing defines."""
        for loss, written in losses_with_arguments(self.outline.texts).items():
            if loss not in {*self.by_name, *self.mentions}:
                self.aliases += [(re.compile(re.escape(each)), f"{loss} ") for each in written]

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
        families = at_all_layers(self, families_of(nodes, self.known))
        self.outline.families |= families | {*self.by_name, *self.mentions}
        self._known = None
        self.outline.matrices = at_all_layers(self, matrices_of(nodes, self.known))
        bold = bold_letters(self.outline.document.formulas)
        self.outline.vectors = vectors_of(nodes, self.known, bold)
        self.outline.losses = losses_of(nodes, self.known)

    def _drop_mentions_not_read(self) -> None:
        """Sentences have much that only looks like a definition."""
        for name in list(self.mentions):
            kept = [each for each in self.mentions[name] if self._is_read(each[1])]
            if kept:
                self.mentions[name] = kept
            else:
                del self.mentions[name]

    def _drop_lists(self) -> None:
        r"""x = (x_1, \dots, x_n) says how long x is, and defines nothing."""
        for name, numbered in list(self.by_name.items()):
            first = numbered[0][1]
            if not first.parameters and lists_itself(name, self._body_or_nothing(first)):
                del self.by_name[name]

    def _body_or_nothing(self, statement: Statement) -> f.Node:
        try:
            return self.body(statement)
        except WorkingsError:
            return f.Unsaid("")

    def _prefer_what_is_written_out(self) -> None:
        r"""h(x) = θ^T x in the place of h(x) = θ_0 + θ_1 x_1 + \dots, where both are said."""
        for name, ((number, first), *_) in self.by_name.items():
            if self._is_written_out(first):
                continue
            for statement in self.outline.statements[number + 1 :]:
                claims = statement.name == name and statement.role is Role.CLAIM
                if claims and not statement.row.condition and self._is_written_out(statement):
                    other = replace(statement, role=Role.DEFINITION, parameters=first.parameters)
                    self.by_name[name][0] = (number, other)
                    self.numbers[id(other)] = number
                    break

    def _is_written_out(self, statement: Statement) -> bool:
        """Whether a body is read, without dots, and with no entry that is counted from 0."""
        body = self._body_or_nothing(statement)
        if isinstance(body, f.Unsaid):
            return False
        from_0 = (isinstance(node, f.Symbol) and node.sub == "0" for node in body.walk())
        return not has_dots(body) and not any(from_0)

    def _is_read(self, statement: Statement) -> bool:
        body = self._body_or_nothing(statement)
        return not has_dots(body) and any(isinstance(node, f.Symbol) for node in body.walk())

    def _varied(self) -> dict[str, int]:
        """The names that derivatives are taken by, with the number of the first such statement."""
        varied: dict[str, int] = {}
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
                        varied.setdefault(node.wrt.name, number)
        return varied

    def add(self, number: int, statement: Statement) -> None:
        """Take a definition in; L(w) = … of a known w is written L from then on."""
        self._known = None
        self.by_name.setdefault(statement.name, []).append((number, statement))
        self.numbers[id(statement)] = number
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
        """Letters and words that are functions: defined, or written with arguments."""
        return self.functions_in(len(self.outline.statements))

    def functions_in(self, section: int) -> set[str]:
        """Those of a section: f of f(z) is one before the first section that says what f is."""
        firsts = {name: each[0][1] for name, each in {**self.mentions, **self.by_name}.items()}
        defined = {name for name, first in firsts.items() if first.parameters}
        others = {name for name, first in firsts.items() if first.section <= section}
        return defined | (self.letters - others - {*self.outline.declared})

    @property
    def known(self) -> dict[str, object]:
        """All names that are declared or defined."""
        if self._known is None:
            families = dict.fromkeys(self.outline.families)
            self._known = {**families, **self.mentions, **self.by_name, **self.outline.declared}
        return self._known

    def in_force(self, name: str, number: int) -> Statement | None:
        """The last definition before a statement, or else one soon behind it ("where h = …").

        What was declared, or differentiated by, before it is defined was free until then.
        """
        here = self.outline.statements[number].section
        declared_here = self.outline.in_sections.get(here, {})
        is_declared_here = name in declared_here and name in self.outline.contradicted
        before = []
        for table in (self.by_name, self.mentions):
            before += [each for at, each in table.get(name, []) if at < number][-1:]
        before = [each for each in before if each.section == here] or before
        if before and not (is_declared_here and before[0].section != here):
            return before[0]
        for table in (self.by_name, self.mentions):
            for at, statement in table.get(name, [])[:1]:
                free = is_declared_here or name in self.outline.declared
                free = free or self.varied.get(name, at) < at
                elsewhere = statement.section != here or statement.role is Role.MENTION
                far = at - number > MOST_BEHIND and elsewhere
                far = far or (name in self.letters and statement.section > here)  # some f(z)
                return None if free or far else statement
        return None

    def restated(self, name: str, by: str, number: int) -> Statement | None:
        """A statement before `number` that says what a name is by means of another name."""
        for statement in reversed(self.outline.statements[:number]):
            if statement.name != name or statement.row.condition or len(statement.row.sides) < 2:
                continue
            try:
                if by in names_in(self.body(statement), self.known):
                    return statement
            except WorkingsError:
                continue
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
                at, offset = match.end(1), text.offset_of(match.end(1))
                by = constant(f"_{{{argument}}}", offset, offset)
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
        tree = self.statements.get(statement.text)
        if tree is None:
            text = self.plain(statement.row.text)
            tree = parse(text.text, self.words, self.functions_in(statement.section))
            self.statements[statement.text] = tree
        return tree

    def body(self, statement: Statement) -> f.Node:
        """The right side of a definition."""
        right = statement.row.sides[1].text
        tree = self.trees.get(right.text)
        if tree is None:
            functions = self.functions_in(statement.section)
            tree = self.named(parse_expression(self.plain(right).text, self.words, functions))
            self.trees[right.text] = tree
        return tree

    def named(self, node: f.Node) -> f.Node:
        """A formula in which W^Q is a name, and with steps in time h^{(t-1)} is h^{(t)}."""
        known = self.known
        node = with_labels(node, known)
        return at_one_step(node, known) if self.outline.steps else node
