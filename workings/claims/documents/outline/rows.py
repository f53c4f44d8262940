r"""The statements of a display: its rows put together and taken apart.

The later lines of an `align` that have nothing on their left go on with the line above; several
statements in one line are taken one by one (`side_by_side`).
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from workings.claims.documents.files.document import Display
from workings.claims.documents.files.sources import Text, join
from workings.claims.documents.outline.side_by_side import REASONS, statements_of
from workings.claims.documents.outline.sides import (
    IS_RELATION,
    LONGEST,
    MODES,
    RELATION,
    TOKEN,
    Row,
    braces,
    is_balanced_text,
    split_sides,
)

_CLUTTER = re.compile(
    r"\\(?:label|tag\*?|intertext|shortintertext|hspace\*?|vspace\*?)\s*\{(?:[^{}]|\{[^{}]*\})*\}"
    r"|\\[hv]?phantom\s*\{[^{}]*\}|\\(?:onslide|only|uncover|visible)\s*<[^<>]*>"
    r"|\\(?:nonumber|notag|space|displaystyle|allowdisplaybreaks|hfill|hline|pause)(?![A-Za-z])"
    r"|\\(?:tiny|scriptsize|footnotesize|small|normalsize|large|Large|LARGE|huge)(?![A-Za-z])"
    r"|(?<!\\)\\\s*$"
    r"|\\(?:text)?color\s*(?:\[[^\[\]]*\])?\s*\{[^{}]*\}|\\bbox\s*\[[^\[\]]*\]"
)
_WRAPPED = re.compile(
    r"\\begin\s*\{(aligned|split|gathered|alignedat|align|gather|equation|multline|eqnarray|flalign|alignat)\*?\}(?:\s*\[[tcb]\]|\{\d+\})?"
    r"(.*)\\end\s*\{\1\*?\}[\s.,;]*",
    re.DOTALL,
)
_SYSTEM = re.compile(r"\\left\s*\\\{(.*)\\right\s*\.", re.DOTALL)
_BOXED = re.compile(
    r"\\(?:boxed|fbox|ensuremath|colorbox\s*\{[^{}]*\}|fcolorbox\s*\{[^{}]*\}\s*\{[^{}]*\})\s*"
    r"\{(.*)\}\s*[.,;]?",
    re.DOTALL,
)
_TITLE = re.compile(r"[^=]*?:\s*(?=\\boxed|\\begin|\\fbox)", re.DOTALL)
_NAMED = re.compile(  # \text{Mean:} \quad \mu = …
    r"(?:\\(?:text|textbf|mathrm|mbox)\s*\{[^{}]*\}\s*:|\\(?:text|textbf|mathrm|mbox)\s*\{[^{}]*:\s*\}"
    r"|\(\s*(?:\\text\s*\{)?\s*[A-Z][a-z]{2,}[a-z ]*\}?\s*\)"  # (Mean) \mu = …
    r"|[A-Za-z][A-Za-z0-9]+\s*:(?!=))(?:\s|\\q?quad|~|\\[,;: ])*(?=[^=]*=)"
)
_BREAK = re.compile(r"(?:\\\\|\\newline)\*?(?:\s*\[[^\[\]\n]{0,20}\])?")
_LEADS_ON = re.compile(rf"\s*(?:{RELATION}|[-+*/·×⊙]|\\(?:cdot|times|odot|circ|otimes|pm)\b)")
_GOES_ON = re.compile(rf"(?:{RELATION}|[-+*/·×⊙]|\\(?:cdot|times|odot|circ|otimes))\s*$")
_SHAPE = re.compile(
    r"[^:=]{1,60}:[^:=+]{1,30}(?:\\times(?![A-Za-z])|×)[^:=+]{1,30}"
)  # x : N \times 1
_CONDITION = re.compile(
    r"\b(?:if|when|unless|case|assum\w*|suppos\w*)\b[^.\n$]{0,40}"
    r"\$[^$]*(?:[=<>≤≥≠]|\\(?:neq?|leq?|geq?|lt|gt)(?![A-Za-z]))[^$]*\$[^.\n$]{0,30}\s*$",
    re.IGNORECASE,
)
_REASON = re.compile(  # in the last column of an align
    r"(?:\s|\\q?quad|~|\\[,;: ]|\()*\\(?:text\w*|mbox)\s*\{\s*\(?(?:"
    + "|".join(sorted(REASONS))
    + r")(?![A-Za-z])"
)
_ONLY_WORDS = re.compile(r"(?:\s|\\q?quad|~|\\[,;: ])*\\(?:text\w*|mbox)\s*\{[^{}]*\}\s*+:?\s*")
_INDENT = re.compile(r"(?:\\q?quad(?![A-Za-z])\s*)+(?=[-+])")  # a line that goes on with a sum
_GIVES_A_NAME = re.compile(r"\$\s*[^=$<>]{1,20}=[^=$<>]{4,}\$")  # when $z = W x + b$


def rows_of(display: Display) -> list[Row]:
    """The statements of a display, in their order."""
    if len(display.text) > LONGEST:
        return [Row(display.text)]
    body = unwrapped(display.text)
    lines: list[Text] = []
    rows_of_cells = list(_lines(body))
    only_set_off = all(len(cells) > 1 and not cells[0].text.strip() for cells in rows_of_cells)
    for cells in rows_of_cells:
        if display.environment == "multline":
            lines = [join([*lines, *cells], " ")]
        elif display.environment == "eqnarray":
            _go_on(lines, join(cells, " "), cells[0].text.strip() == "" and len(cells) > 1)
        else:
            for first in range(0, len(cells), 2):
                pair = cells[first : first + 2]
                if first and _REASON.match(pair[0].text + pair[-1].text):
                    break
                if first == 0 and len(pair) > 1 and IS_RELATION.match(pair[1].text.strip()):
                    words = _ONLY_WORDS.fullmatch(pair[0].text)
                    pair = [pair[0][:0], pair[1]] if words else pair  # "by the chain rule:"
                blank = len(pair) > 1 and not pair[0].text.strip() and not only_set_off
                _go_on(lines, join(pair, " "), blank and first == 0)
    rows = [row for line in lines for row in statements_of(line)]
    if (before := _CONDITION.search(display.lead)) and not _GIVES_A_NAME.search(before[0]):
        condition = " ".join(before[0].split()).rstrip(":, ")
        rows = [replace(row, condition=row.condition or condition) for row in rows]
    return _with_modes(rows, display)


def unwrapped(text: Text) -> Text:
    r"""A display's body without \label, an inner `aligned` or a box around all of it."""
    body = text.removed(_CLUTTER).strip()
    if title := _TITLE.match(body.text) or _NAMED.match(body.text):
        body = body[title.end() :]
    for _ in range(6):
        for pattern in (_WRAPPED, _SYSTEM, _BOXED):
            match = pattern.fullmatch(body.text)
            inner = match[match.re.groups] if match else ""
            if match and is_balanced_text(inner):
                start = match.start(match.re.groups)
                body = body[start : start + len(inner)].strip().strip("$").strip()
                break
        else:
            break
    return body


def _lines(text: Text) -> Iterator[list[Text]]:
    r"""The cells between & of each line between \\; not those of a matrix inside."""
    cells: list[Text] = []
    depth = cell = skip = 0
    for match in TOKEN.finditer(text.text):
        if match.start() < skip:
            continue
        token = match[0]
        depth += braces(token)
        if depth == 0 and token == "&":
            cells.append(text[cell : match.start()])
            cell = match.end()
        elif depth == 0 and token in ("\\\\", r"\newline"):
            line_break = _BREAK.match(text.text, match.start())
            assert line_break is not None
            yield [*cells, text[cell : match.start()]]
            skip = cell = line_break.end()
            cells = []
    yield [*cells, text[cell:]]


def _go_on(lines: list[Text], text: Text, blank: bool) -> None:
    """Add a line: as one of its own, or to the one before if it goes on with that."""
    text = text.strip()
    if lines and (indent := _INDENT.match(text.text)):
        text = text[indent.end() :]
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
    relation = IS_RELATION.match(text.text)
    if relation and goes_on and goes_on[0].strip() == relation[0]:
        text = text[relation.end() :]  # a relation that ends a line and begins the next
    lines[-1] = join([lines[-1], text], " ")


def _with_modes(rows: list[Row], display: Display) -> list[Row]:
    """The rows, each with what a comment before it, or in it, says that it is."""
    with_modes = list(rows)
    for directive in display.directives:
        mode = next((word for word in MODES if re.search(rf"\b{word}\b", directive.text)), "")
        if not mode or not with_modes:
            continue
        behind = (
            number
            for number, row in enumerate(with_modes)
            if row.text.offset_of(len(row.text)) > directive.offset
        )
        at = next(behind, len(with_modes) - 1)
        with_modes[at] = replace(with_modes[at], mode=mode)
    return with_modes
