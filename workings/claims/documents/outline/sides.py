"""Statements and their sides: a chain of relations, taken apart outside of all brackets."""

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from workings.claims.documents.files.sources import Text, join

MODES = ("define", "claim", "skip")
LONGEST = 20_000  # characters of a display
RELATION = (
    r"\\(?:leq?|leqslant|geq?|geqslant|neq?|lt|gt|approx|simeq|sim|equiv|coloneqq|triangleq|doteq"
    r"|in|to|rightarrow|longrightarrow|leftarrow|gets|mapsto|propto|Rightarrow|Longrightarrow"
    r"|implies|iff|Leftrightarrow|Longleftrightarrow"
    r"|ll|gg|subset|subseteq|mid)(?![A-Za-z])|:=|<=|>=|[=<>≤≥≠≈∈→←⇒∝≡≜≔]"
)
DEFINES = (":=", r"\coloneqq", r"\triangleq", "≜", "≔", r"\doteq", "\\equiv", "≡")
IMPLIES = (r"\Rightarrow", r"\implies", r"\iff", r"\Leftrightarrow", r"\Longleftrightarrow",
           r"\Longrightarrow", "⇒")  # fmt: skip
ARROWS = (r"\to", r"\rightarrow", r"\longrightarrow", "→")
BOUNDS = (r"\le", r"\leq", r"\leqslant", r"\ge", r"\geq", r"\geqslant", r"\lt", r"\gt", "<",
          ">", "≤", "≥", "<=", ">=")  # fmt: skip
INEXACT = (r"\approx", r"\simeq", r"\sim", r"\to", r"\rightarrow", r"\longrightarrow",
           r"\leftarrow", r"\gets", r"\mapsto", r"\propto", r"\neq", r"\ne", r"\ll", r"\gg",
           r"\subset", r"\subseteq", r"\mid", "≠", "≈", "→", "←", "∝")  # fmt: skip
TOKEN = re.compile(
    r"\\begin\s*\{[A-Za-z]+\*?\}|\\end\s*\{[A-Za-z]+\*?\}|\\(?:left|right)(?![A-Za-z])\s*(?:\\.|.)"
    rf"|{RELATION}|\\[A-Za-z]+|\\.|[^\\]",
    re.DOTALL,
)
_OPENS = frozenset(["{", "(", "[", r"\{", r"\lbrace", r"\lbrack", r"\langle", "⟨"])
_CLOSES = frozenset(["}", ")", "]", r"\}", r"\rbrace", r"\rbrack", r"\rangle", "⟩"])
IS_RELATION = re.compile(RELATION)
_OF_NUMBERS = re.compile(
    r"(?:[0-9\s.+*/^(){}\[\],~-]|\\(?:cdot|times|[dtc]?frac|left|right|[lr]floor|[lr]ceil|div|sqrt"
    r"|binom)(?![A-Za-z])|\\[,;:! ])+"
)
_OPERATION = re.compile(
    r"[0-9)}]\s*[-+*/^]|\\(?:cdot|times|[dtc]?frac|[lr]floor|[lr]ceil|div|sqrt|binom)"
)
_STACKED = re.compile(
    r"\\(?:stackrel|overset)\s*\{(?:[^{}]|\{[^{}]*\})*\}\s*\{\s*(" + RELATION + r")\s*\}"
)


@dataclass(frozen=True)
class Side:
    """One side of a statement, and the relation that stands before it."""

    relation: str
    text: Text


@dataclass(frozen=True)
class Row:
    """One statement of a display."""

    text: Text
    mode: str = ""
    """what a comment says that it is: define, claim or skip"""
    condition: str = ""
    """the words under which it is said to hold"""

    @property
    def sides(self) -> list[Side]:
        """The statement taken apart at its relations."""
        return split_sides(self.text)

    def without_first_side(self) -> "Row":
        """The chain from its second side on."""
        _, first, *others = self.sides
        parts = [first.text]
        for side in others:
            parts += [relation_of(side), side.text]
        return replace(self, text=join(parts, " "))

    def without_last_side(self) -> "Row":
        """The chain without its last step."""
        last = self.sides[-1]
        end = next(at for at, start in enumerate(self.text.starts) if start >= last.text.offset)
        kept = self.text[:end].text.rstrip()
        return replace(self, text=self.text[: len(kept) - len(last.relation)].strip())


def split_at_implications(row: Row) -> list[Row]:
    """a = b ⇒ c = d as two statements."""
    rows: list[Row] = []
    parts: list[Text] = []
    sides = row.sides
    for number, side in enumerate(sides):
        if side.relation in IMPLIES or _leads_on(sides, number):
            rows.append(replace(row, text=join(parts, " ")))
            parts = [side.text]
        else:
            parts += [relation_of(side), side.text] if side.relation else [side.text]
    rows.append(replace(row, text=join(parts, " ")))
    return rows if len(rows) > 1 else [row]


def _leads_on(sides: list[Side], number: int) -> bool:
    """Whether an arrow stands between two equations: f = x^2 → df/dx = 2x."""
    around = [*sides[number - 1 : number], *sides[number + 1 : number + 2]]
    return sides[number].relation in ARROWS and len([s for s in around if is_equality(s)]) == 2


def split_at_bounds(row: Row) -> list[Row]:
    """a = b and b ≤ c of a = b ≤ c: its equalities, and each inequality by itself."""
    sides = row.sides
    bounds = [number for number, side in enumerate(sides) if side.relation in BOUNDS]
    equalities = [side for side in sides[1:] if is_equality(side)]
    if not bounds or len(bounds) + len(equalities) < len(sides) - 1 or not equalities:
        return [row]
    rows: list[Row] = []
    for start, end in itertools.pairwise([0, *bounds, len(sides)]):
        if start:
            pair = [sides[start - 1].text, relation_of(sides[start]), sides[start].text]
            rows.append(replace(row, text=join(pair, " "), mode=row.mode or "claim"))
        if end - start > 1:
            parts = [sides[start].text]
            for side in sides[start + 1 : end]:
                parts += [relation_of(side), side.text]
            mode = row.mode or "claim" if start else row.mode
            rows.append(replace(row, text=join(parts, " "), mode=mode))
    return rows


def exact_part(row: Row) -> Row:
    """a = b of a = b ≈ c; only a, which claims nothing, of a ≈ b."""
    kept: list[Text] = []
    for side in row.sides:
        if side.relation in INEXACT:
            return replace(row, text=join(kept, " "))
        kept += [relation_of(side), side.text] if side.relation else [side.text]
    return row


def split_sides(text: Text) -> list[Side]:
    """The sides of a chain of relations, outside of all brackets."""
    if len(text) > LONGEST:
        return [Side("", text)]
    stacked = _STACKED.search(text.text)
    if stacked:
        before, after = text[: stacked.start()], text[stacked.end() :]
        text = join([before, text[stacked.start(1) : stacked.end(1)], after], " ")
    sides: list[Side] = []
    start, relation = 0, ""
    for match, depth in with_depth(text.text):
        if depth == 0 and IS_RELATION.fullmatch(match[0]):
            sides.append(Side(relation, text[start : match.start()].strip()))
            relation, start = match[0], match.end()
    return [*sides, Side(relation, text[start:].strip())]


def with_depth(text: str) -> Iterator[tuple["re.Match[str]", int]]:
    """The tokens, each with the number of brackets that are open around it."""
    depth = 0
    for match in TOKEN.finditer(text):
        token = match[0]
        bare = re.sub(r"^\\(?:left|right)\s*", "", token)
        if bare in _OPENS or token.startswith(r"\begin"):
            depth += 1
        elif bare in _CLOSES or token.startswith(r"\end"):
            depth = max(0, depth - 1)
        yield match, depth


def is_balanced_text(text: str) -> bool:
    """Whether what is opened in a text is closed in it, and not before."""
    depth = 0
    for match in TOKEN.finditer(text):
        depth += braces(match[0])
        if depth < 0:
            return False
    return depth == 0


def braces(token: str) -> int:
    """By how much a token changes the number of open braces and environments."""
    if token == "{" or token.startswith("\\begin"):
        return 1
    return -1 if token == "}" or token.startswith("\\end") else 0


def is_equality(side: Side) -> bool:
    """Whether a side is equated with the one before it."""
    return side.relation == "=" or side.relation in DEFINES


def is_arithmetic(row: Row) -> bool:
    r"""Whether it is an equation between numbers alone, and works something out: 3 \cdot 4 = 12."""
    sides = row.sides
    plain = all(_OF_NUMBERS.fullmatch(side.text.text) for side in sides)
    works_out = any(_OPERATION.search(side.text.text) for side in sides)
    return plain and works_out and all(side.relation == "=" for side in sides[1:])


def relation_of(side: Side) -> Text:
    """The relation before a side, standing where the side does."""
    at = side.text.offset
    return Text(side.relation, [at] * len(side.relation), [at] * len(side.relation))
