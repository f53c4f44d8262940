r"""Writing repairs into a document, as small edits in the author's own notation.

A repair comes as a formula in the checker's notation. Token by token it is laid beside what the
author wrote; what is the same stays as it is, spaces and macros included. An edit is kept only if
the edited document, read again, says the same as before but for that claim, and the claim holds.
"""

import difflib
import itertools
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from workings.claims.documents.check import DocumentCheck
from workings.claims.documents.deciding.decide import Known
from workings.claims.documents.files.document import Document
from workings.claims.documents.files.notebook import cell_text, load_cells
from workings.claims.documents.files.sources import Source, Sources, Text
from workings.claims.documents.files.suffixes import read_document
from workings.claims.documents.finding import Checked, Finding
from workings.claims.documents.notation import (
    derivatives,
    is_balanced,
    tokens,
    with_transposes,
)
from workings.claims.documents.outline.outline import outline
from workings.claims.documents.outline.sides import split_sides
from workings.claims.documents.outline.squares import as_written
from workings.claims.documents.outline.statements import Outline, Role
from workings.files import write_file

Reading = list[tuple[Role, str, str]]
"""of each statement of a document: what it is, the name on its left, its text"""


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
    left: tuple[tuple[Finding, str], ...] = ()
    """what is wrong and stays as it is, with the reason"""


def fix(checked: Checked, known: Known | None = None) -> Fixed:
    """The document with every repair that can be written in and holds there."""
    writing = _Writing(checked, known)
    repairs: list[int] = []
    for finding in checked.wrong:
        if why := _says_nothing(finding):
            writing.left.append((finding, why))
        else:
            repairs.append(finding.number)
    writing.write(repairs)
    wrong, left = len(checked.wrong), tuple(writing.left)
    return Fixed(edited(checked.document, writing.kept), wrong - len(left), wrong, left)


class _Writing:
    """The edits that are kept so far, and what the document with them says."""

    def __init__(self, checked: Checked, known: Known | None) -> None:
        self.checked, self.known = checked, known
        self.current = _reading(outline(checked.document))
        self.findings = {each.number: each for each in checked.findings}
        self.redefined = [
            number
            for number, finding in self.findings.items()
            if finding.statement.role is Role.DEFINITION
            and self.current[number][0] is not Role.DEFINITION
        ]
        self.kept: list[Edit] = []
        self.left: list[tuple[Finding, str]] = []

    def write(self, numbers: Sequence[int]) -> None:
        """Repair these claims: all at once where that holds, else half of them and the others.

        A document is read again as a whole, so that many repairs one by one would take long.
        """
        findings = self.findings
        if not numbers or self._keep(numbers, [small_edits(findings[at]) for at in numbers]):
            return
        if len(numbers) > 1:
            middle = len(numbers) // 2
            self.write(numbers[:middle])
            self.write(numbers[middle:])
        elif not self._keep(numbers, [whole_edit(findings[numbers[0]])]):
            why = "the repair cannot be written in the author's notation"
            self.left.append((findings[numbers[0]], why))

    def _keep(self, numbers: Sequence[int], edits_of: Sequence[list[Edit]]) -> bool:
        """Keep the edits of these claims if the document then says the same but for them."""
        edits = [edit for edits in edits_of for edit in edits]
        others = [*self.kept, *edits]
        apart = all(not _overlap(a, b) for a, b in itertools.combinations(others, 2))
        if not apart or not all(edits_of):
            return False
        document = self.checked.document
        texts = edited(document, others)
        again = outline(read_document(document.path, {p.resolve(): texts[p] for p in texts}))
        reading = _reading(again)
        if not _differ_in(self.current, reading, numbers) or not self._hold(again, numbers):
            return False
        self.kept, self.current = others, reading
        return True

    def _hold(self, again: Outline, numbers: Sequence[int]) -> bool:
        """Whether the claims of these numbers hold, with what was defined again before them."""
        check = DocumentCheck(again, self.checked.seed + 1, self.known)
        for at in self.redefined:
            check.definitions.add(at, again.statements[at])
        results = (check.finding(number).result for number in numbers)
        return all(result is not None and result.holds for result in results)


def _says_nothing(finding: Finding) -> str:
    """Why a repair is not to be written in: there is none, or it leaves the work to the reader."""
    if finding.result is None or finding.result.repair is None:
        return "no repair is known"
    sides = _written_and_right(finding)
    if sides is None:
        return "the repair is not of the side that is wrong"
    written, right = sides
    new = derivatives(right) - derivatives(written.text) - derivatives(finding.statement.text)
    if new:
        return f"the repair only leads on to {min(new)}"
    return ""


def write_fixed(fixed: Fixed, in_place: bool) -> list[Path]:
    """Write the changed files: beside the old ones as NAME.fixed.SUFFIX, or in their place."""
    written = []
    for path, text in fixed.texts.items():
        target = path.resolve() if in_place else path.with_name(f"{path.stem}.fixed{path.suffix}")
        write_file(target, text.encode())
        written.append(target)
    return written


def _reading(found: Outline) -> Reading:
    """What a document says, before its claims are looked at."""
    return [(each.role, each.name, each.text) for each in found.statements]


def _differ_in(before: Reading, after: Reading, numbers: Sequence[int]) -> bool:
    """Whether two readings of a document are the same but for claims, which are well formed."""
    if len(before) != len(after):
        return False
    changed = {at for at, (old, new) in enumerate(zip(before, after, strict=True)) if old != new}
    if changed != set(numbers):
        return False
    return all(
        before[at][:2] == after[at][:2]
        and is_balanced(after[at][2], brackets=is_balanced(before[at][2]))
        for at in numbers
    )


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
    old, new = tokens(written.text), tokens(right)
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
        text = _apart(written.text[:start], as_written(text), written.text[end:])
        edit = _edit(finding.document.sources, written, start, end, text)
        if edit is None:
            return []
        edits.append(edit)
    return edits


def whole_edit(finding: Finding) -> list[Edit]:
    """The whole side, in the checker's notation; none where the author has commands in it."""
    sides = _written_and_right(finding)
    if sides is None:
        return []
    written, right = sides
    edit = _edit(finding.document.sources, written, 0, len(written), right)
    return [edit] if edit else []


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
    sources = (source.text for source in finding.document.sources.files)
    return sides[step].text, with_transposes(right[1].text.text, finding.statement.text, sources)


def _apart(before: str, text: str, after: str) -> str:
    """The text, with a space where a command, or a name, would run into a letter."""
    after_command = re.search(r"\\[A-Za-z]+$", before) and text[:1].isalpha()
    if after_command or re.search(r"[A-Za-z0-9}] ?\\?[A-Za-z]", before[-1:] + text[:2]):
        text = f" {text}"
    if re.search(r"\\[A-Za-z]+$", text) and after[:1].isalpha():
        return f"{text} "
    return text


def _edit(sources: Sources, written: Text, start: int, end: int, text: str) -> Edit | None:
    """An edit of the author's file; None where the range is not the author's own text."""
    own = all(written.ends[at] == written.starts[at] + 1 for at in range(start, end))
    if start == end:
        at_end = start == len(written)
        offset = written.ends[-1] if at_end else written.starts[start]
        # not in the midst of what a command stands for
        own = at_end or start == 0 or written.starts[start - 1] != offset
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
