"""What a document's formulas are: definitions, claims, and what they are said about.

A new name on the left defines it; a derivative, or something that is already defined, is a claim.
The second and later sides of a chain behind a definition are claims about what it defines.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from workings.claims.documents.declarations import Declared, Said, read_comment, read_member
from workings.claims.documents.document import Directive, Display, Document, Heading, Inline
from workings.claims.documents.layers import layer_letters, spelling_of, spelt
from workings.claims.documents.rows import LONGEST, Row, Side, rows_of, split_sides
from workings.claims.documents.shape_signs import index_letters
from workings.claims.documents.sources import Text, join
from workings.claims.documents.squares import named_squares, with_named_squares
from workings.claims.documents.uses import INDICES
from workings.claims.left_sides import name_of
from workings.errors import WorkingsError
from workings.formula import nodes as f
from workings.formula.functions import FUNCTIONS
from workings.formula.parse import parse_expression

DEFINES = (":=", r"\coloneqq", r"\triangleq", "≜", "≔", r"\doteq", "\\equiv", "≡")
_FONT = re.compile(
    r"\\(?:mathcal|mathrm|text|operatorname|mathbf|mathit|boldsymbol|bm)\s*\{([^{}]*)\}"
)
IMPLIES = (r"\Rightarrow", r"\implies", r"\iff", r"\Leftrightarrow", r"\Longleftrightarrow",
           r"\Longrightarrow", "⇒")  # fmt: skip
INEXACT = (r"\approx", r"\simeq", r"\sim", r"\to", r"\rightarrow", r"\longrightarrow",
           r"\leftarrow", r"\gets", r"\mapsto", r"\propto", r"\neq", r"\ne", r"\ll", r"\gg",
           r"\subset", r"\subseteq", r"\mid", "≠", "≈", "→", "←", "∝")  # fmt: skip
NAMES_OF_DERIVATIVES = frozenset(["\\delta", "\\Delta"])
LONGEST_MENTION = 200  # characters of a definition in the running text
_DERIVATIVE = re.compile(r"\s*\\(?:[cdt]?frac\s*\{\s*(?:\\partial|d)(?![A-Za-z])|nabla)")
_CLOSING = re.compile(r"\$\$|\\\]|\\end\s*\{[^{}]*\}")
MOST_WORDS_BETWEEN = 3  # of two displays of which the second goes on with the first
_ONE_DERIVATIVE = re.compile(
    r"\\[cdt]?frac\s*\{\s*\\partial(?:[^{}]|\{[^{}]*\})*\}\s*\{\s*\\partial(?:[^{}]|\{[^{}]*\})*\}"
)
_CLOSES = re.compile(r"(?:\\right\s*)?\)\s*$")


class Role(StrEnum):
    """What a statement of a document is."""

    DEFINITION = "definition"
    CLAIM = "claim"
    DECLARATION = "declaration"
    SKIPPED = "skipped"
    EXPRESSION = "expression"
    """it claims nothing exact: no relation, an approximation, an assignment"""
    CONDITION = "condition"
    """something is set to zero, or bounded, and may not be claimed"""
    MENTION = "mention"
    """a definition in the running text"""
    NOT_READ = "not read"


@dataclass
class Statement:
    """One statement of a document, and what was made of it."""

    row: Row
    role: Role
    section: int
    name: str = ""
    """what it defines, or what is already defined and stands on its left"""
    parameters: tuple[str, ...] = ()
    """of the function that it defines"""
    why: str = ""
    """why it is not read, or not checked"""
    again: bool = False
    """whether it says anew what something is that is no plain name"""
    continued: bool = False
    """whether it goes on with a statement before it, so that it is a claim about what that says"""

    @property
    def text(self) -> str:
        return self.row.text.text


@dataclass
class Outline:
    """A document's statements in their order, with what is declared for all of them."""

    document: Document
    declared: dict[str, Declared] = field(default_factory=dict)
    sizes: dict[str, str] = field(default_factory=dict)
    steps: int = 0
    statements: list[Statement] = field(default_factory=list)
    notes: list[tuple[int, str]] = field(default_factory=list)
    contradicted: set[str] = field(default_factory=set)
    """names that the text declares in two ways, so that it declares none"""
    vectors: frozenset[str] = frozenset()
    """names that are vectors or matrices somewhere in the document"""
    families: frozenset[str] = frozenset()
    """names whose entries may be written: what has an index i is an entry of one of them

    #c among them says that the letter c is an index.
    """
    layers: frozenset[str] = frozenset()
    """letters that count layers"""
    losses: frozenset[str] = frozenset()
    """names of losses, which are numbers"""
    in_sentences: int = 0
    """equations in the running text that define nothing"""
    squares: frozenset[str] = frozenset()
    """letters of which only the squares are names"""

    def spelt(self, text: Text) -> Text:
        """A formula in the one spelling in which it is parsed."""
        return with_named_squares(spelt(text, self.layers), self.squares)


def outline(document: Document) -> Outline:
    """Read a document's declarations, then tell its statements apart."""
    found = Outline(document, notes=[(note.offset, note.message) for note in document.notes])
    texts = [item.text.text for item in document.items if isinstance(item, Display | Inline)]
    found.layers = layer_letters(texts)
    found.families = index_letters(texts)
    found.squares = named_squares(_first_sides(document), texts)
    comments = _declarations(document, found)
    section, mode = 0, ""
    reader = Roles(found)
    for item in document.items:
        if isinstance(item, Display) and not item.unclosed:
            for row in rows_of(item):
                reader.note_derivative(Row(found.spelt(row.text)))
    for item in document.items:
        match item:
            case Heading():
                section += 1
            case Directive():
                said = comments.get(item.offset, Said())
                mode = said.mode or mode
                for equation in said.equations:
                    text = Text(
                        equation, [item.offset] * len(equation), [item.offset] * len(equation)
                    )
                    reader.add(Row(text, "define"), section)
            case Display(text, unclosed=opening) if opening:
                why = f"{opening} is never closed"
                found.statements.append(Statement(Row(text), Role.NOT_READ, section, why=why))
            case Display(lead=lead):
                reader.adjacent = len(_CLOSING.split(lead)[-1].split()) <= MOST_WORDS_BETWEEN
                for row in rows_of(item):
                    text = found.spelt(row.text)
                    reader.add(Row(text, row.mode or mode, row.condition), section)
                mode = ""
            case Inline(text):
                reader.mention(found.spelt(text), section)
    _without_arguments(found.statements)
    return found


def _first_sides(document: Document) -> Iterator[tuple[str, str]]:
    """The first two sides of every displayed equation."""
    for display in document.displays:
        for row in rows_of(display) if not display.unclosed and "^" in display.text.text else ():
            sides = row.sides
            if len(sides) > 1 and _is_equality(sides[1]):
                yield sides[0].text.text, sides[1].text.text


def _without_arguments(statements: list[Statement]) -> None:
    """h(x) = … is no function where the document says h alone, too: then it is that h."""
    alone = {each.name for each in statements if each.name and not call_of(_left_side(each))}
    for each in statements:
        if each.name in alone:
            each.parameters = ()


def _left_side(statement: Statement) -> str:
    return statement.row.sides[0].text.text


def _declarations(document: Document, found: Outline) -> dict[int, Said]:
    """Take in all that comments and the text declare; what each comment says, by its place."""
    comments: dict[int, Said] = {}
    from_text: dict[str, Declared] = {}
    for item in document.items:
        match item:
            case Inline(text):
                spelling = found.spelt(text).text
                _declare(from_text, read_member(spelling), found, text.offset)
            case Display(text, _, inside):
                for each in inside:
                    _take(each, comments, found)
                for row in rows_of(item):
                    shown = found.spelt(row.text)
                    _declare(from_text, read_member(shown.text), found, shown.offset)
            case Directive():
                _take(item, comments, found)
    for name in found.contradicted:
        from_text.pop(name, None)
    found.declared = {**from_text, **found.declared}  # a comment is for the checker, so it decides
    return comments


def _take(directive: Directive, comments: dict[int, Said], found: Outline) -> None:
    try:
        said = read_comment(spelling_of(directive.text, found.layers))
    except WorkingsError as error:
        found.notes.append((directive.offset, str(error).partition("\n")[0]))
        return
    comments[directive.offset] = said
    _declare(found.declared, said.symbols, found, directive.offset)
    found.sizes |= said.sizes
    found.steps = found.steps if said.steps is None else said.steps


def _declare(
    known: dict[str, Declared], new: Mapping[str, Declared], found: Outline, offset: int
) -> None:
    """Add declarations; the first stays where a later one says otherwise, and that is reported."""
    for name, declared in new.items():
        before = known.setdefault(name, declared)
        if before.sides != declared.sides:
            shown = [" x ".join(each.sides) or "a number" for each in (before, declared)]
            found.notes.append((offset, f"{name} is {shown[1]} here and {shown[0]} before"))
            found.contradicted.add(name)


class Roles:
    """Tells what each statement is, knowing those before it."""

    def __init__(self, found: Outline) -> None:
        self.found = found
        self.defined: dict[str, int] = {}
        """names that are defined so far, with the section of the definition"""
        self.derivatives: set[str] = set()
        """names that stand for a derivative somewhere in the document"""
        self.adjacent = True
        """whether hardly a word stands between this display and the one before"""
        self.abstract: set[str] = set()
        """names that are some function f(x) so far, so that a later formula says what it is"""
        self.introduced: set[str] = set()
        """left sides that are no plain names, and stood for something new"""

    def note_derivative(self, row: Row) -> None:
        """Note that δ stands for a derivative, where a row says that it is ∂C/∂z."""
        sides = row.sides
        if len(sides) < 2 or not _is_equality(sides[1]):
            return
        if _ONE_DERIVATIVE.fullmatch(sides[1].text.text.strip(" \t\r\n.,;")):
            name, parameters = self._left(sides[0].text.text, "")
            if name and not parameters:
                whole = re.sub(r"_[ijk](?=\^|$)", "", name)
                self.derivatives |= {name, whole}
                self.derivatives |= {re.sub(r"(?=\^|$)", f"_{i}", whole, count=1) for i in "ijk"}

    def add(self, row: Row, section: int) -> None:
        """Take a statement in; what is said to follow from one is said under its condition."""
        first, *more = _split_at_implications(row)
        condition = "if what stands before it holds"
        if first.text.text.strip() or not more:
            statement = self._add(first, section)
            condition = "" if statement.role is Role.DEFINITION else f"if {first.text.text}"
        for each in more:
            self._add(replace(each, condition=each.condition or condition), section)

    def mention(self, text: Text, section: int) -> None:
        """Take a definition in the running text in; whatever else stands there claims nothing."""
        sides = split_sides(text.strip().strip(" \t\r\n.,;:"))
        if len(sides) < 2 or not _is_equality(sides[1]) or not sides[0].text.text:
            return
        row = Row(join([sides[0].text, _relation(sides[1]), sides[1].text], " "))
        name, parameters = self._left(sides[0].text.text, sides[1].text.text)
        right = sides[1].text.text
        if not name or name in self.found.declared or not _says_much(name, right):
            self.found.in_sentences += not name and _is_formula(right)
            return
        if not self._in_itself(name, right, parameters):
            statement = Statement(row, Role.MENTION, section, name, parameters)
            self.found.statements.append(statement)

    def _add(self, row: Row, section: int) -> Statement:
        """A definition with more than two sides is a claim about them, too."""
        whole = self._continued(row)
        statement = self._read(whole, section)
        statement.continued = statement.continued or whole is not row
        row = whole
        self.found.statements.append(statement)
        sides = row.sides
        if statement.role is Role.CLAIM and (name := self._named_at_the_end(sides)):
            self._define_by_end(statement, name, section)
        elif statement.role is Role.DEFINITION and len(sides) > 2:
            text = sides[0].text
            parts = [text]
            for side in sides[2:]:
                parts += [_relation(side), side.text]
            statement.row = Row(join([text, _relation(sides[1]), sides[1].text], " "))
            claim = Statement(
                Row(join(parts, " ")), Role.CLAIM, section, statement.name, continued=True
            )
            if not statement.parameters:
                self.found.statements.append(claim)
        return statement

    def _named_at_the_end(self, sides: list[Side]) -> str:
        r"""δ of \frac{\partial L}{\partial z} = δ, which gives the derivative a new name."""
        if sides[-1].relation != "=" or not _DERIVATIVE.match(sides[0].text.text):
            return ""
        name, parameters = self._left(sides[-1].text.text, "")
        new = name not in {*self.defined, *self.found.declared} and name in NAMES_OF_DERIVATIVES
        return name if new and not parameters else ""

    def _define_by_end(self, statement: Statement, name: str, section: int) -> None:
        """Take the definition in before the claim that the rest of the chain makes."""
        *sides, last = statement.row.sides
        text = join([last.text, _relation(last), sides[0].text], " ")
        self.found.statements.pop()
        self.found.statements.append(Statement(Row(text), Role.DEFINITION, section, name))
        self.defined[name] = section
        if len(sides) > 1:
            statement.row = statement.row.without_last_side()
            self.found.statements.append(statement)

    def _continued(self, row: Row) -> Row:
        """A display that begins with = goes on with what the one before said."""
        sides = row.sides
        shown = (each for each in reversed(self.found.statements) if each.role is not Role.MENTION)
        before = next(shown, None) if self.adjacent else None
        if len(sides) < 2 or sides[0].text.text or sides[1].relation != "=" or before is None:
            return row
        if before.role not in (Role.CLAIM, Role.DEFINITION):
            return row
        text = join([before.row.sides[0].text, row.text], " ")
        return Row(text, row.mode or "claim", row.condition or before.row.condition)

    def _read(self, row: Row, section: int) -> Statement:
        def made(role: Role, name: str = "", why: str = "") -> Statement:
            return Statement(row, role, section, name, (), why)

        if row.mode == "skip":
            return made(Role.SKIPPED, why="a comment skips it")
        inexact = len(row.sides)
        row = _exact_part(row)
        if len(row.text) > LONGEST:
            return made(Role.NOT_READ, why=f"a formula of {len(row.text):,} characters")
        sides = row.sides
        if len(sides) == 1 or not sides[0].text.text:
            if read_member(row.text.text):
                return made(Role.DECLARATION)
            exact = len(sides) == inexact
            why = "it relates nothing" if exact else "≈, →, ∼ and ∝ claim nothing exact"
            return made(Role.EXPRESSION, why=why)
        if sides[1].relation in (r"\in", "∈"):
            if new := read_member(row.text.text):
                taken = {*self.defined, *self.found.contradicted}
                fresh = {name: each for name, each in new.items() if name not in taken}
                self.found.declared = {**fresh, **self.found.declared}
                if len(fresh) == len(new):
                    return made(Role.DECLARATION)
            return made(Role.CLAIM)
        if not _is_equality(sides[1]) or row.mode == "claim":
            return made(Role.CLAIM)
        return self._definition(row, sides, section, made(Role.CLAIM))

    def _definition(self, row: Row, sides: list[Side], section: int, claim: Statement) -> Statement:
        left = sides[0].text.text
        name, parameters = self._left(left, sides[1].text.text)
        if not name:
            return self._introduction(row, left, section) or claim
        explicit = row.mode == "define" or sides[1].relation in DEFINES
        if name in self.defined and not explicit and name not in self.abstract:
            claim.name = name
            return claim
        if name in self.derivatives and not _DERIVATIVE.match(sides[1].text.text):
            claim.name = name  # δ is defined as a derivative elsewhere
            claim.continued = True
            return claim
        if row.condition:
            claim.role = Role.NOT_READ
            claim.why = f"it is said under a condition ({row.condition})"
            return claim
        if self._in_itself(name, sides[1].text.text, parameters):
            claim.role = Role.EXPRESSION
            claim.why = "it gives a name another value, as in w = w - g"
            return claim
        self.defined[name] = section
        if _is_abstract(sides[1].text.text):
            self.abstract.add(name)
        else:
            self.abstract.discard(name)
        return Statement(row, Role.DEFINITION, section, name, parameters)

    def _introduction(self, row: Row, left: str, section: int) -> Statement | None:
        r"""\Delta w_j = … or \kappa(x_i, x_j) = … of nothing that is known gives it a name, too."""
        spelling = "".join(_FONT.sub(r"\1", left).split())
        if spelling in self.introduced:
            return Statement(row, Role.CLAIM, section, again=True)
        if row.condition:
            return None
        try:
            node = parse_expression(left, [word for word in self.defined if len(word) > 1])
        except WorkingsError:
            return None
        if not self._is_new(node) or self._is_property(node, row):
            return None
        self.introduced.add(spelling)
        return Statement(row, Role.DEFINITION, section)

    def _is_new(self, node: f.Node) -> bool:
        """Whether a left side is a new name with something on it, and no formula."""
        match node:
            case f.Symbol():
                plain = f.Symbol(node.base, node.marks)
                return not {node.name, plain.name} & {*self.defined, *self.found.declared}
            case f.Power(body, f.Symbol() | f.Number()) | f.Index(body):
                return self._is_new(body)
            case f.Call(name):
                return name not in FUNCTIONS and name not in self.defined
            case f.Product((f.Symbol("\\Delta"), *rest)):
                return bool(rest)
            case f.Product((f.Symbol() as head, f.Matrix())):
                return self._is_new(head)
        return False

    def _is_property(self, node: f.Node, row: Row) -> bool:
        """H^2 = H says something about H, and does not say what H^2 is."""
        base = node.base if isinstance(node, f.Power) else None
        return isinstance(base, f.Symbol) and self._in_itself(base.name, row.sides[1].text.text, ())

    def _in_itself(self, name: str, right: str, parameters: tuple[str, ...]) -> bool:
        if parameters:
            return False
        try:
            body = parse_expression(right, [word for word in self.defined if len(word) > 1])
        except WorkingsError:
            return False
        return any(isinstance(node, f.Symbol) and node.name == name for node in body.walk())

    def _left(self, left: str, right: str) -> tuple[str, tuple[str, ...]]:
        """The name that a left side gives, and its parameters if it is a function's."""
        if called := call_of(left):
            name, arguments = called
            bare = _FONT.sub(r"\1", name).strip()
            if bare.lstrip("\\") in FUNCTIONS or bare in FUNCTIONS or self._is_known_call(left):
                return "", ()
            parameters = tuple(part.strip() for part in arguments.split(","))
            if re.fullmatch(r"\\?[A-Za-z]+", bare) and self._is_function(parameters, right):
                return bare, parameters
            left = name
        try:
            symbol = self._symbol(left)
        except WorkingsError:
            return "", ()
        if symbol is None or (symbol.base in FUNCTIONS and not symbol.sub):
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
        known = {*self.defined, *self.found.declared}
        return all(part.name in known for part in node.walk() if isinstance(part, f.Symbol))

    def _is_function(self, parameters: tuple[str, ...], right: str) -> bool:
        """f(x) = … with an x that means nothing else here; L(w) of a declared w is L."""
        for parameter in parameters:
            if not re.fullmatch(r"\\?[A-Za-z]+", parameter) or parameter not in right:
                return False
            if parameter in self.found.declared or parameter in self.defined:
                return False
        return bool(parameters)

    def _symbol(self, left: str) -> f.Symbol | None:
        """The left side as a name; None for an entry of something known, a power, a product."""
        plain = parse_expression(left)
        if not isinstance(plain, f.Symbol):
            letters = re.fullmatch(r"\s*([A-Za-z]+)\s*", left)
            known = {*self.defined, *self.found.declared}
            if letters and set(letters[1]) <= known:
                return None  # AB of a known A and B
            if isinstance(plain, f.Power) and not re.fullmatch(r"[A-Z*]|\[\w+\]", plain.text):
                return None
        symbol = name_of(left)
        indexed = len(symbol.sub.replace(",", "")) <= 2
        if indexed and symbol.sub and symbol.name not in {*self.defined, *self.found.declared}:
            whole = f.Symbol(symbol.base, symbol.marks, "", symbol.label).name
            if whole in self.defined or whole in self.found.declared:
                return None
        return symbol


def _is_equality(side: Side) -> bool:
    return side.relation == "=" or side.relation in DEFINES


def _relation(side: Side) -> Text:
    """The relation before a side, standing where the side does."""
    at = side.text.offset
    return Text(side.relation, [at] * len(side.relation), [at] * len(side.relation))


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


def _split_at_implications(row: Row) -> list[Row]:
    """a = b ⇒ c = d as two statements."""
    rows: list[Row] = []
    parts: list[Text] = []
    for side in row.sides:
        if side.relation in IMPLIES:
            rows.append(replace(row, text=join(parts, " ")))
            parts = [side.text]
        else:
            parts += [_relation(side), side.text] if side.relation else [side.text]
    rows.append(replace(row, text=join(parts, " ")))
    return rows if len(rows) > 1 else [row]


def _exact_part(row: Row) -> Row:
    """a = b of a = b ≈ c; only a, which claims nothing, of a ≈ b."""
    kept: list[Text] = []
    for side in row.sides:
        if side.relation in INEXACT:
            return replace(row, text=join(kept, " "))
        kept += [_relation(side), side.text] if side.relation else [side.text]
    return row


def _is_abstract(right: str) -> bool:
    """Whether a right side is only f(x), of a function that the checker does not know."""
    called = call_of(right.strip())
    if called is None:
        return False
    bare = _FONT.sub(r"\1", called[0]).strip()
    return (
        bool(re.fullmatch(r"\\?[A-Za-z]+", bare))
        and bare.lstrip("\\") not in FUNCTIONS
        and (bare not in FUNCTIONS)
    )


def _is_formula(right: str) -> bool:
    """Whether a right side has letters, so that it says more than a value."""
    return re.search("[A-Za-z]", right) is not None


def _says_much(name: str, right: str) -> bool:
    """Whether $a = …$ in a sentence defines a; $k = 3$ and $i = j$ only choose a case."""
    letters = re.findall(r"\\?[A-Za-z]+", right)
    if not letters or len(right) > LONGEST_MENTION:
        return False
    return len(letters) > 1 or name not in INDICES
