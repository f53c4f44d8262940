r"""The statements of a display: its rows put together and taken apart.

The later lines of an `align` that have nothing on their left go on with the line above; several
statements side by side ("a = b, \quad c = d", "where c = d") are taken one by one.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from workings.claims.documents.document import Display
from workings.claims.documents.sources import Text, join

MODES = ("define", "claim", "skip")
LONGEST = 20_000  # characters of a display
RELATION = (
    r"\\(?:leq?|leqslant|geq?|geqslant|neq?|lt|gt|approx|simeq|sim|equiv|coloneqq|triangleq|doteq"
    r"|in|to|rightarrow|longrightarrow|leftarrow|gets|mapsto|propto|Rightarrow|Longrightarrow"
    r"|implies|iff|Leftrightarrow|Longleftrightarrow"
    r"|ll|gg|subset|subseteq|mid)(?![A-Za-z])|:=|<=|>=|[=<>≤≥≠≈∈→←⇒∝≡≜≔]"
)
_TOKEN = re.compile(
    r"\\begin\s*\{[A-Za-z]+\*?\}|\\end\s*\{[A-Za-z]+\*?\}|\\left\s*(?:\\.|.)|\\right\s*(?:\\.|.)"
    rf"|{RELATION}|\\[A-Za-z]+|\\.|[^\\]",
    re.DOTALL,
)
_IS_RELATION = re.compile(RELATION)
_STACKED = re.compile(
    r"\\(?:stackrel|overset)\s*\{(?:[^{}]|\{[^{}]*\})*\}\s*\{\s*(" + RELATION + r")\s*\}"
)
_CLUTTER = re.compile(
    r"\\(?:label|tag\*?|intertext|shortintertext|hspace\*?|vspace\*?)\s*\{(?:[^{}]|\{[^{}]*\})*\}"
    r"|\\(?:nonumber|notag|space|displaystyle|allowdisplaybreaks|hfill|hline)(?![A-Za-z])"
    r"|\\(?:text)?color\s*(?:\[[^\[\]]*\])?\s*\{[^{}]*\}|\\bbox\s*\[[^\[\]]*\]"
)
_WRAPPED = re.compile(
    r"\\begin\s*\{(aligned|split|gathered|alignedat|align|gather|equation|multline)\*?\}(?:\s*\[[tcb]\]|\{\d+\})?"
    r"(.*)\\end\s*\{\1\*?\}[\s.,;]*",
    re.DOTALL,
)
_SYSTEM = re.compile(r"\\left\s*\\\{(.*)\\right\s*\.", re.DOTALL)
_BOXED = re.compile(r"\\(?:boxed|fbox|ensuremath)\s*\{(.*)\}\s*[.,;]?", re.DOTALL)
_TITLE = re.compile(r"[^=]*?:\s*(?=\\boxed|\\begin|\\fbox)", re.DOTALL)
_NAMED = re.compile(  # \text{Mean:} \quad \mu = …
    r"(?:\\(?:text|textbf|mathrm|mbox)\s*\{[^{}]*\}\s*:|\\(?:text|textbf|mathrm|mbox)\s*\{[^{}]*:\s*\}"
    r"|[A-Za-z][A-Za-z0-9]+\s*:(?!=))(?:\s|\\q?quad|~|\\[,;: ])*(?=[^=]*=)"
)
_BREAK = re.compile(r"(?:\\\\|\\newline)\*?(?:\s*\[[^\[\]\n]{0,20}\])?")
_LEADS_ON = re.compile(rf"\s*(?:{RELATION}|[-+*/·×⊙]|\\(?:cdot|times|odot|circ|otimes|pm)\b)")
_GOES_ON = re.compile(rf"(?:{RELATION}|[-+*/·×⊙]|\\(?:cdot|times|odot|circ|otimes))\s*$")
_SHAPE = re.compile(
    r"[^:=]{1,60}:[^:=+]{1,30}(?:\\times(?![A-Za-z])|×)[^:=+]{1,30}"
)  # x : N \times 1
_NUMBERED = re.compile(r"\s*\(\s*[\w.*'-]{1,8}\s*\)\s*")
_WORDS = re.compile(r"\\(?:text|mbox|textrm|textit|textbf|mathrm|textnormal)\s*\{([^{}]*)\}")
CONNECTIVES = frozenset(
    [
        "and",
        "or",
        "where",
        "with",
        "for",
        "if",
        "when",
        "unless",
        "provided",
        "assuming",
        "since",
        "because",
        "so",
        "thus",
        "hence",
        "therefore",
        "then",
        "otherwise",
        "as",
        "by",
        "from",
        "using",
        "is",
        "are",
        "on",
        "in",
        "which",
        "that",
        "we",
        "let",
        "suppose",
        "given",
    ]
)
_EQUAL_INDICES = re.compile(r"\s*[ijklmnst]\s*=\s*[ijklmnst]\s*[.,;]?\s*")
_CONDITION = re.compile(
    r"\b(?:if|when|unless|case|assum\w*|suppos\w*)\b[^.\n$]{0,40}"
    r"\$[^$]*(?:[=<>≤≥≠]|\\(?:neq?|leq?|geq?|lt|gt)(?![A-Za-z]))[^$]*\$[^.\n$]{0,30}\s*$",
    re.IGNORECASE,
)
_RESTRICTS = frozenset(["if", "when", "unless", "provided", "assuming", "otherwise", "suppose"])


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
        return split_sides(self.text)

    def without_last_side(self) -> "Row":
        """The chain without its last step."""
        last = self.sides[-1]
        end = next(at for at, start in enumerate(self.text.starts) if start >= last.text.offset)
        kept = self.text[:end].text.rstrip()
        return replace(self, text=self.text[: len(kept) - len(last.relation)].strip())


def rows_of(display: Display) -> list[Row]:
    """The statements of a display, in their order."""
    if len(display.text) > LONGEST:
        return [Row(display.text)]
    body = unwrapped(display.text)
    lines: list[Text] = []
    for cells in _lines(body):
        if display.environment == "multline":
            lines = [join([*lines, *cells], " ")]
        elif display.environment == "eqnarray":
            _go_on(lines, join(cells, " "), cells[0].text.strip() == "" and len(cells) > 1)
        else:
            for first in range(0, len(cells), 2):
                pair = cells[first : first + 2]
                blank = len(pair) > 1 and not pair[0].text.strip()
                _go_on(lines, join(pair, " "), blank and first == 0)
    found = [row for line in lines for row in _statements(line)]
    if before := _CONDITION.search(display.lead):
        condition = " ".join(before[0].split()).rstrip(":, ")
        found = [replace(row, condition=row.condition or condition) for row in found]
    return _with_modes(found, display)


def unwrapped(text: Text) -> Text:
    r"""A display's body without \label, an inner `aligned` or a box around all of it."""
    body = text.removed(_CLUTTER).strip()
    if title := _TITLE.match(body.text) or _NAMED.match(body.text):
        body = body[title.end() :]
    for _ in range(6):
        for pattern in (_WRAPPED, _SYSTEM, _BOXED):
            match = pattern.fullmatch(body.text)
            inner = match[match.re.groups] if match else ""
            if match and _balanced(inner):
                start = match.start(match.re.groups)
                body = body[start : start + len(inner)].strip()
                break
        else:
            break
    return body


def _balanced(text: str) -> bool:
    """Whether what is opened in a text is closed in it, and not before."""
    depth = 0
    for match in _TOKEN.finditer(text):
        depth += _braces(match[0])
        if depth < 0:
            return False
    return depth == 0


def _braces(token: str) -> int:
    if token == "{" or token.startswith("\\begin"):
        return 1
    return -1 if token == "}" or token.startswith("\\end") else 0


def _lines(text: Text) -> Iterator[list[Text]]:
    r"""The cells between & of each line between \\; not those of a matrix inside."""
    cells: list[Text] = []
    depth = cell = skip = 0
    for match in _TOKEN.finditer(text.text):
        if match.start() < skip:
            continue
        token = match[0]
        depth += _braces(token)
        if depth == 0 and token == "&":
            cells.append(text[cell : match.start()])
            cell = match.end()
        elif depth == 0 and token in ("\\\\", r"\newline"):
            found = _BREAK.match(text.text, match.start())
            assert found is not None
            yield [*cells, text[cell : match.start()]]
            skip = cell = found.end()
            cells = []
    yield [*cells, text[cell:]]


def _go_on(lines: list[Text], text: Text, blank: bool) -> None:
    """Add a line: as one of its own, or to the one before if it goes on with that."""
    text = text.strip()
    if not text.text:
        return
    leads = _LEADS_ON.match(text.text)
    goes_on = bool(lines) and _GOES_ON.search(lines[-1].text)
    first, *others = split_sides(text)
    relates = bool(others) and bool(first.text.text.strip())
    starts_new = relates or _SHAPE.fullmatch(text.text) is not None
    if not lines or not (blank or goes_on or leads or not starts_new):
        lines.append(text)
        return
    if leads and not blank and not goes_on and starts_new and text.text[0] in "-+":
        lines.append(text)  # a statement of its own that begins with a sign
        return
    relation = _IS_RELATION.match(text.text)
    if relation and goes_on and goes_on[0].strip() == relation[0]:
        text = text[relation.end() :]  # a relation that ends a line and begins the next
    lines[-1] = join([lines[-1], text], " ")


def split_sides(text: Text) -> list[Side]:
    """The sides of a chain of relations, outside of all brackets."""
    if len(text) > LONGEST:
        return [Side("", text)]
    stacked = _STACKED.search(text.text)
    if stacked:
        before, after = text[: stacked.start()], text[stacked.end() :]
        text = join([before, text[stacked.start(1) : stacked.end(1)], after], " ")
    found: list[Side] = []
    start, relation = 0, ""
    for match, depth in _with_depth(text.text):
        if depth == 0 and _IS_RELATION.fullmatch(match[0]):
            found.append(Side(relation, text[start : match.start()].strip()))
            relation, start = match[0], match.end()
    return [*found, Side(relation, text[start:].strip())]


def _with_depth(text: str) -> Iterator[tuple["re.Match[str]", int]]:
    """The tokens, each with the number of brackets that are open around it."""
    depth = 0
    for match in _TOKEN.finditer(text):
        token = match[0]
        bare = re.sub(r"^\\(?:left|right)\s*", "", token)
        if bare in ("{", "(", "[", r"\{", r"\lbrace", r"\lbrack") or token.startswith(r"\begin"):
            depth += 1
        elif bare in ("}", ")", "]", r"\}", r"\rbrace", r"\rbrack") or token.startswith(r"\end"):
            depth = max(0, depth - 1)
        yield match, depth


def _statements(line: Text) -> Iterator[Row]:
    """The statements that stand side by side in a line."""
    current: Row | None = None
    connective, in_range = "", False
    for separator, piece in _pieces(line):
        words = _WORDS.fullmatch(separator)
        connective = words[1].strip().lower() if words else connective if not separator else ""
        first = connective.split(" ")[0] if connective else ""
        if not piece.text.strip(" \t\r\n.,;") or _NUMBERED.fullmatch(piece.text):
            if current and first in _RESTRICTS:
                current = replace(current, condition=connective)
            continue
        sides = split_sides(piece.strip())
        whole = len(sides) > 1 and all(side.text.text for side in sides)
        if current is None:
            current = Row(piece)
        elif _is_range(piece.text, first) or (in_range and not whole):
            in_range = True
            continue
        elif whole and (
            first in _RESTRICTS
            or first == "for"
            or not _equates(sides)
            or _EQUAL_INDICES.fullmatch(piece.text)
        ):
            current = replace(current, condition=f"{connective} {piece.text.strip()}".strip())
        elif whole and len(split_sides(current.text)) > 1:
            yield replace(current, text=current.text.strip(" \t\r\n.,;"))
            current = Row(piece)
        elif not words:
            current = replace(current, text=join([current.text, piece], separator or " "))
        if words:
            connective = ""
    if current is not None:
        text = current.text.strip().strip(" \t\r\n.,;")
        if text.text:
            yield replace(current, text=text)


def _pieces(line: Text) -> Iterator[tuple[str, Text]]:
    r"""What stands between \quad, words and commas, with what stood before it."""
    start, separator = 0, ""
    over = 0
    for match, depth in _with_depth(line.text):
        if match.start() < over or depth:
            continue
        end = match.end()
        words = _WORDS.match(line.text, match.start())
        if words and not _is_prose(words[1]):
            over = words.end()
            continue
        if words:
            end = words.end()
        elif match[0] not in (r"\quad", r"\qquad", ",", ";"):
            continue
        over = end
        piece = line[start : match.start()]
        if piece.text.strip() or words:
            yield separator, piece
            separator = words[0] if words else match[0]
        start = end
    yield separator, line[start:]


def _is_prose(words: str) -> bool:
    """Whether \\text{…} holds words between formulas and not a function's or a symbol's name."""
    first = words.strip().lower().split(" ")[0].strip(".,:;")
    return first in CONNECTIVES or " " in words.strip() or words != words.strip()


def _is_range(piece: str, connective: str) -> bool:
    """i = 1, …, n and "for all i" restrict nothing."""
    if re.match(r"\s*(?:\\[ld]?dots|\\cdots|\.\.\.|…)", piece):
        return True
    if re.match(r"\s*[a-zA-Z]\s*(?:=\s*[01]\s*$|\\in(?![a-z]))", piece):
        return True
    return connective == "for" and not _IS_RELATION.search(piece)


def _equates(sides: list[Side]) -> bool:
    return sides[1].relation in ("=", ":=", r"\equiv", r"\triangleq", r"\coloneqq", "≡", "≜", "≔")


def _with_modes(rows: list[Row], display: Display) -> list[Row]:
    """The rows, each with what a comment before it, or in it, says that it is."""
    found = list(rows)
    for directive in display.directives:
        mode = next((word for word in MODES if re.search(rf"\b{word}\b", directive.text)), "")
        if not mode or not found:
            continue
        behind = (
            number
            for number, row in enumerate(found)
            if row.text.offset_of(len(row.text)) > directive.offset
        )
        at = next(behind, len(found) - 1)
        found[at] = replace(found[at], mode=mode)
    return found
