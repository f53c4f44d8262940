r"""Writing repairs into a document, as small edits in the author's own notation.

A repair comes as a formula in the checker's notation. Token by token it is laid beside what the
author wrote; what is the same stays as it is, spaces and macros included. An edit is kept only if
the edited document, read again, holds there.
"""

import difflib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from workings.claims.documents.check import DocumentCheck, Known
from workings.claims.documents.document import Document
from workings.claims.documents.finding import Checked, Finding
from workings.claims.documents.notebook import cell_text, load_cells
from workings.claims.documents.outline import outline
from workings.claims.documents.rows import split_sides
from workings.claims.documents.sources import Source, Sources, Text
from workings.claims.documents.suffixes import read_document
from workings.files import write_file

_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|\d+(?:\.\d+)?|\s+|.", re.DOTALL)
_SILENT = re.compile(
    r"\s+|\\(?:left|right|[bB]ig+[lrm]?|[,;:! ]|quad|qquad|displaystyle|boldsymbol|mathbf|bm"
    r"|mathcal|mathsf|mathit)"
)
_SAME = {r"\top": "T", r"\intercal": "T", r"\leq": r"\le", r"\geq": r"\ge", r"\dfrac": r"\frac",
         r"\tfrac": r"\frac", r"\mathrm": r"\text", r"\operatorname": r"\text"}  # fmt: skip


@dataclass(frozen=True)
class Edit:
    """A range of one of the document's files, and what stands there instead."""

    source: Source
    start: int
    end: int
    text: str


@dataclass(frozen=True)
class Fixed:
    """The files that changed, with their new texts, and how many claims were repaired."""

    texts: Mapping[Path, str]
    repaired: int
    wrong: int


def fix(checked: Checked, known: Known | None = None) -> Fixed:
    """The document with every repair that can be written in and holds there."""
    document = checked.document
    kept: list[Edit] = []
    repaired = 0
    for number, finding in enumerate(checked.findings):
        if not finding.wrong:
            continue
        for edits in (small_edits(finding), whole_edit(finding)):
            if not edits or any(_overlap(a, b) for a in edits for b in kept):
                continue
            if _holds(document, [*kept, *edits], number, known):
                kept += edits
                repaired += 1
                break
    return Fixed(edited(document, kept), repaired, len(checked.wrong))


def write_fixed(fixed: Fixed, in_place: bool) -> list[Path]:
    """Write the changed files: beside the old ones as NAME.fixed.SUFFIX, or in their place."""
    written = []
    for path, text in fixed.texts.items():
        target = path.resolve() if in_place else path.with_name(f"{path.stem}.fixed{path.suffix}")
        write_file(target, text.encode())
        written.append(target)
    return written


def _holds(document: Document, edits: list[Edit], number: int, known: Known | None) -> bool:
    """Whether the claim of that number holds in the edited document, read again."""
    texts = {path.resolve(): text for path, text in edited(document, edits).items()}
    again = outline(read_document(document.path, texts))
    if number >= len(again.statements):
        return False
    check = DocumentCheck(again, known)
    result = check.finding(number).result
    return result is not None and result.holds


def edited(document: Document, edits: list[Edit]) -> dict[Path, str]:
    """The texts of the files that edits change."""
    by_source: dict[tuple[Path, int], list[Edit]] = {}
    for edit in edits:
        by_source.setdefault((edit.source.path, edit.source.cell), []).append(edit)
    texts: dict[Path, str] = {}
    cells: dict[Path, dict[int, str]] = {}
    for (path, cell), group in by_source.items():
        text = group[0].source.text
        for edit in sorted(group, key=lambda each: each.start, reverse=True):
            text = text[: edit.start] + edit.text + text[edit.end :]
        if cell:
            cells.setdefault(path, {})[cell] = text
        else:
            texts[path] = text
    for path, changed in cells.items():
        texts[path] = _notebook(path, changed)
    return texts


def _notebook(path: Path, changed: Mapping[int, str]) -> str:
    """A notebook with the text of some cells changed, laid out as Jupyter does."""
    before = path.read_text(encoding="utf-8")
    content = load_cells(before, path)
    for number, text in changed.items():
        cell = content["cells"][number - 1]
        as_lines = isinstance(cell["source"], list)
        assert cell_text(cell) != text
        cell["source"] = text.splitlines(keepends=True) if as_lines else text
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n" * before.endswith("\n")


def small_edits(finding: Finding) -> list[Edit]:
    """Only the tokens that differ; none where one of them comes out of a macro."""
    sides = _written_and_right(finding)
    if sides is None:
        return []
    written, right = sides
    old, new = _tokens(written.text), _tokens(right)
    matcher = difflib.SequenceMatcher(None, [t[0] for t in old], [t[0] for t in new], False)
    edits = []
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag == "equal":
            continue
        start = old[i1][1] if i1 < len(old) else len(written)
        end = old[i2 - 1][2] if i2 > i1 else start
        text = right[new[j1][1] : new[j2 - 1][2]] if j2 > j1 else ""
        if not text:  # without what stood there, one space is enough
            end += len(written.text[end:]) - len(written.text[end:].lstrip(" "))
        text = _apart(written.text[:start], text, written.text[end:])
        edit = _edit(finding.document.sources, written, start, end, text)
        if edit is None:
            return []
        edits.append(edit)
    return edits


def whole_edit(finding: Finding) -> list[Edit]:
    """The whole side, in the checker's notation."""
    sides = _written_and_right(finding)
    if sides is None:
        return []
    written, right = sides
    start, end = written.starts[0], written.ends[-1]
    source, local = finding.document.sources.locate(start)
    other, over = finding.document.sources.locate(end)
    return [Edit(source, local, over, right)] if other is source else []


def _written_and_right(finding: Finding) -> tuple[Text, str] | None:
    """The side that is wrong as it was written, and as it would be right."""
    result = finding.result
    if result is None or result.repair is None:
        return None
    sides = finding.statement.row.sides
    step = result.evidence.departs_at_step or 1
    formula = result.repair.formula
    right = split_sides(Text(formula, range(len(formula)), range(1, len(formula) + 1)))
    if step >= len(sides) or len(right) != 2 or not sides[step].text.text:
        return None
    return sides[step].text, _in_notation(right[1].text.text, finding)


def _in_notation(text: str, finding: Finding) -> str:
    """The formula with the author's sign of the transpose."""
    written = "".join(source.text for source in finding.document.sources.files)
    for sign in (r"\top", "T", r"{\top}", "{T}", r"\intercal", r"{\mathsf{T}}", r"\mathsf{T}"):
        if f"^{sign}" in finding.statement.text:
            return text.replace(r"\top", sign)
    uses = written.count("^T") + written.count("^{T}") > written.count(r"^\top")
    return text.replace(r"\top", "T") if uses else text


def _tokens(text: str) -> list[tuple[str, int, int]]:
    """Tokens that mean something, with their places; {T} is T, and \\top too."""
    found: list[tuple[str, int, int]] = []
    for match in _TOKEN.finditer(text):
        if _SILENT.fullmatch(match[0]):
            continue
        found.append((_SAME.get(match[0], match[0]), match.start(), match.end()))
        last = found[-3:]
        if len(last) == 3 and last[0][0] == "{" and last[2][0] == "}" and last[1][0] != "}":
            found[-3:] = [(last[1][0], last[0][1], last[2][2])]
    return found


def _apart(before: str, text: str, after: str) -> str:
    """The text, with a space where a command would run into a letter."""
    if re.search(r"\\[A-Za-z]+$", before) and text[:1].isalpha():
        text = f" {text}"
    if re.search(r"\\[A-Za-z]+$", text) and after[:1].isalpha():
        return f"{text} "
    return text


def _edit(sources: Sources, written: Text, start: int, end: int, text: str) -> Edit | None:
    """An edit of the author's file; None where the range is not the author's own text."""
    own = all(written.ends[at] == written.starts[at] + 1 for at in range(start, end))
    if start == end:
        if start < len(written):
            offset = written.starts[start]
            own = written.ends[start] == offset + 1
        else:
            offset = written.ends[-1]
            own = written.starts[-1] + 1 == offset
        first = last = offset
    else:
        first, last = written.starts[start], written.ends[end - 1]
        own = own and last - first == end - start
    if not own:
        return None
    source, local = sources.locate(first)
    return Edit(source, local, local + (last - first), text)


def _overlap(a: Edit, b: Edit) -> bool:
    same = a.source is b.source
    return same and a.start < max(b.end, b.start + 1) and b.start < max(a.end, a.start + 1)
