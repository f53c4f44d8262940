r"""Telling definitions from claims.

A new name on the left defines it; a derivative, or something that is already defined, is a claim.
The second and later sides of a chain behind a definition are claims about what it defines.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from workings.claims.documents.files.sources import Text, join
from workings.claims.documents.inference.uses import INDICES
from workings.claims.documents.outline.declarations import read_member
from workings.claims.documents.outline.left_names import LeftSides, bare, call_of, is_abstract
from workings.claims.documents.outline.listed import read_list
from workings.claims.documents.outline.problems import CONSTRAINT, OPTIMUM, is_optimum
from workings.claims.documents.outline.sides import (
    DEFINES,
    LONGEST,
    Row,
    Side,
    exact_part,
    is_arithmetic,
    is_equality,
    relation_of,
    split_at_bounds,
    split_at_implications,
    split_sides,
)
from workings.claims.documents.outline.statements import Outline, Role, Statement
from workings.formula import nodes as f

NAMES_OF_DERIVATIVES = frozenset(["\\delta", "\\Delta"])
_PLAIN = r"\s*(?:\d+|[A-Za-z](?:_(?:\w|\{\w+\}))?)\s*"  # K = n_y: of one length, two names
_VALUE = re.compile(r"\s*-?[0-9.]+\s*")
LONGEST_MENTION = 200  # characters of a definition in the running text
_COUNTS = re.compile(
    r"^[^(\[{]*,|^\s*(?:\\\{|\\lbrace)|^[^(\[{]*(?:\\[lc]?dots|\.\.\.)"
)  # k = 1, …, K
_DERIVATIVE = re.compile(r"\s*\\(?:[cdt]?frac\s*\{\s*(?:\\partial|d)(?![A-Za-z])|nabla)")
_FORMULA = re.compile(r"[-+*/]|\\(?:log|ln|[dt]?frac|sum|prod|int|mathbb\s*\{?\s*E)(?![A-Za-z])")
_SECOND = re.compile(
    r"\s*(?:\\nabla\s*(?:_\s*(?:\{[^{}]*\}|\\?\w+)\s*)?|\\[dt]?frac\s*\{\s*(?:\\partial|d)\s*)\^\s*\{?\s*2"
)  # a second derivative, which no name stands for
_ONE_DERIVATIVE = re.compile(
    r"\\[cdt]?frac\s*\{\s*\\partial(?:[^{}]|\{[^{}]*\})*\}\s*\{\s*\\partial(?:[^{}]|\{[^{}]*\})*\}"
    r"|\\partial[^/{}=+]+/\s*\\partial[^/{}=+]+"
)


class Roles:
    """Tells what each statement is, knowing those before it."""

    def __init__(self, outline: Outline) -> None:
        self.outline = outline
        self.left_sides = LeftSides(outline)
        self.defined = self.left_sides.defined
        self.derivatives: set[str] = set()
        """names that stand for a derivative somewhere in the document"""
        self.adjacent = True
        """whether hardly a word stands between this display and the one before"""
        self.constrained_from: int | None = None
        """the offset from which this display's statements are constraints, if they are"""
        self.abstract: set[str] = set()
        """names that are some function f(x) so far, so that a later formula says what it is"""
        self.introduced: set[str] = set()
        """left sides that are no plain names, and stood for something new"""

    def note_derivative(self, row: Row) -> None:
        """Note that δ stands for a derivative, where a row says that it is ∂C/∂z."""
        sides = row.sides
        if len(sides) < 2 or not is_equality(sides[1]):
            return
        if _ONE_DERIVATIVE.fullmatch(sides[1].text.text.strip(" \t\r\n.,;")):
            name, parameters = self.left_sides.name(sides[0].text.text, "")
            if name and not parameters:
                whole = re.sub(r"_[ijk](?=\^|$)", "", name)
                self.derivatives |= {name, whole}
                self.derivatives |= {re.sub(r"(?=\^|$)", f"_{i}", whole, count=1) for i in "ijk"}

    def add(self, row: Row, section: int) -> None:
        """Take a statement in; what is said to follow from one is said under its condition."""
        first, *more = split_at_implications(row)
        if not more:
            for part in split_at_bounds(row):
                self._add(part, section)
            return
        condition = "if what stands before it holds"
        if first.text.text.strip() or not more:
            statement = self._add(first, section)
            condition = "" if statement.role is Role.DEFINITION else f"if {first.text.text}"
        for each in more:
            self._add(replace(each, condition=each.condition or condition), section)

    def mention(self, text: Text, section: int) -> None:
        """Take a definition, or a sum of numbers, in the running text in; the rest is no claim."""
        sides = split_sides(text.without_stops())
        if len(sides) < 2 or not is_equality(sides[1]) or not sides[0].text.text:
            return
        row = Row(join([sides[0].text, relation_of(sides[1]), sides[1].text], " "))
        name, parameters = self.left_sides.name(sides[0].text.text, sides[1].text.text)
        right = sides[1].text.text
        is_size = name in self.outline.lengths and re.fullmatch(_PLAIN, right)
        chooses = any(_VALUE.fullmatch(side.text.text) for side in sides[2:])  # a = b = 1
        known = name in self.outline.declared or is_size or chooses
        whole = Row(text.without_stops(), "claim")
        if not name and is_arithmetic(whole):
            self.outline.statements.append(Statement(whole, Role.CLAIM, section, in_sentence=True))
            return
        if not name or known or not _says_much(name, right):
            self.outline.in_sentences += not name and _is_formula(right)
            return
        if not self.left_sides.in_itself(name, right, parameters):
            statement = Statement(row, Role.MENTION, section, name, parameters)
            self.outline.statements.append(statement)

    def _add(self, row: Row, section: int) -> Statement:
        """A definition with more than two sides is a claim about them, too."""
        whole = self._continued(row)
        statement = self._read(whole, section)
        statement.continued = statement.continued or whole is not row
        row = whole
        self.outline.statements.append(statement)
        sides = row.sides
        if statement.role is Role.CLAIM and (name := self._named_at_the_end(sides)):
            self._define_by_end(statement, name, section)
        elif statement.role is Role.DEFINITION and len(sides) > 2:
            self._say_more(statement, sides, section)
        return statement

    def _say_more(self, statement: Statement, sides: list[Side], section: int) -> None:
        """Take in what a chain says behind the definition that it begins with."""
        first, second, *more = sides
        statement.row = Row(_chain([first, second]))
        if self._is_new_name(second, more[0]):
            self._add(Row(_chain([second, *more])), section)  # y = a = σ(z) says what a is
            return
        named = statement.name and not statement.parameters
        begins = first if named and not _SECOND.match(second.text.text) else second
        row = Row(_chain([begins, *more]))
        name = statement.name if begins is first else ""
        self.outline.statements.append(Statement(row, Role.CLAIM, section, name, continued=True))

    def _is_new_name(self, side: Side, behind: Side) -> bool:
        """Whether a side is nothing but a name that is not defined yet, and the next says it."""
        if not isinstance(self.left_sides.parsed(side.text.text), f.Symbol):
            return False
        name, parameters = self.left_sides.name(side.text.text, behind.text.text)
        new = name and not parameters and name not in {*self.defined, *self.derivatives}
        return bool(new) and is_equality(behind) and _is_formula(behind.text.text)

    def _named_at_the_end(self, sides: list[Side]) -> str:
        r"""δ of \frac{\partial L}{\partial z} = δ, which gives the derivative a new name."""
        if sides[-1].relation != "=" or not _DERIVATIVE.match(sides[0].text.text):
            return ""
        name, parameters = self.left_sides.name(sides[-1].text.text, "")
        new = name not in {*self.defined, *self.outline.declared} and name in NAMES_OF_DERIVATIVES
        return name if new and not parameters else ""

    def _define_by_end(self, statement: Statement, name: str, section: int) -> None:
        """Take the definition in before the claim that the rest of the chain makes."""
        *sides, last = statement.row.sides
        text = join([last.text, relation_of(last), sides[0].text], " ")
        self.outline.statements.pop()
        self.outline.statements.append(Statement(Row(text), Role.DEFINITION, section, name))
        self.defined[name] = section
        if len(sides) > 1:
            statement.row = statement.row.without_last_side()
            self.outline.statements.append(statement)

    def _continued(self, row: Row) -> Row:
        """A display that begins with = goes on with what the one before said."""
        sides = row.sides
        shown = (
            each
            for each in reversed(self.outline.statements)
            if each.role is not Role.MENTION and not each.in_sentence
        )
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
        row = exact_part(row)
        if len(row.text) > LONGEST:
            return made(Role.NOT_READ, why=f"a formula of {len(row.text):,} characters")
        sides = row.sides
        asked = self.constrained_from is not None and row.mode != "claim"
        if asked and sides[-1].text.offset >= (self.constrained_from or 0):
            return made(Role.EXPRESSION, why=CONSTRAINT)
        if len(sides) == 2 and is_optimum(sides[1].text.text):
            return made(Role.EXPRESSION, why=OPTIMUM)
        if len(sides) == 1 or not sides[0].text.text:
            if read_member(row.text.text):
                return made(Role.DECLARATION)
            exact = len(sides) == inexact
            why = "it relates nothing" if exact else "≈, →, ∼ and ∝ claim nothing exact"
            return made(Role.EXPRESSION, why=why)
        if sides[1].relation in (r"\in", "∈"):
            if new := self.outline.members(row.text.text):
                taken = {*self.defined, *self.outline.contradicted}
                fresh = {name: each for name, each in new.items() if name not in taken}
                self.outline.declared = {**fresh, **self.outline.declared}
                if len(fresh) == len(new):
                    return made(Role.DECLARATION)
            return made(Role.CLAIM)
        if not is_equality(sides[1]) or row.mode == "claim":
            return made(Role.CLAIM)
        if is_update(sides[0].text.text, sides[1].text.text):
            return made(Role.EXPRESSION, why="it gives a name another value, as in w = w - g")
        if not read_list(row.text.text).keys() <= {*self.defined}:
            return made(Role.DECLARATION)
        return self._definition(row, sides, section, made(Role.CLAIM))

    def _definition(self, row: Row, sides: list[Side], section: int, claim: Statement) -> Statement:
        left = sides[0].text.text
        name, parameters = self.left_sides.name(left, sides[1].text.text)
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
        if self.left_sides.in_itself(name, sides[1].text.text, parameters):
            claim.role = Role.EXPRESSION
            claim.why = "it gives a name another value, as in w = w - g"
            return claim
        self.defined[name] = section
        if is_abstract(sides[1].text.text):
            self.abstract.add(name)
        else:
            self.abstract.discard(name)
        return Statement(row, Role.DEFINITION, section, name, parameters)

    def _introduction(self, row: Row, left: str, section: int) -> Statement | None:
        r"""\Delta w_j = … or \kappa(x_i, x_j) = … of nothing that is known gives it a name, too."""
        spelling = "".join(bare(left).split())
        if spelling in self.introduced:
            return Statement(row, Role.CLAIM, section, again=True)
        if row.condition:
            return None
        node = self.left_sides.parsed(left)
        called = call_of(left)
        is_call = called is not None and _FORMULA.search(called[0]) is None
        if not (self.left_sides.is_new(node) if node else is_call):
            return None
        if node and self.left_sides.is_property(node, row):
            return None
        self.introduced.add(spelling)
        return Statement(row, Role.DEFINITION, section)


def _chain(sides: Sequence[Side]) -> Text:
    """Sides with the relations between them."""
    parts = [sides[0].text]
    for side in sides[1:]:
        parts += [relation_of(side), side.text]
    return join(parts, " ")


def is_update(left: str, right: str) -> bool:
    """Whether an entry gets another value: w_j = w_j - g, w_j := w_j + g."""
    plain, new = ("".join(text.split()) for text in (left, right))
    entry = re.fullmatch(r"\\?[A-Za-z]+(?:_(?:\w|\{\w+\})|\^(?:\w|\{[^{}]*\}))+", plain)
    return entry is not None and re.match(rf"{re.escape(plain)}[-+]", new) is not None


def _is_formula(right: str) -> bool:
    """Whether a right side has letters, so that it says more than a value."""
    return re.search("[A-Za-z]", right) is not None


def _says_much(name: str, right: str) -> bool:
    """Whether $a = …$ in a sentence defines a; $k = 3$ and $i = j$ only choose a case."""
    letters = re.findall(r"\\?[A-Za-z]+", right)
    if not letters or len(right) > LONGEST_MENTION or _COUNTS.search(right):
        return False
    return len(letters) > 1 or name not in INDICES
