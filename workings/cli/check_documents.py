"""`workings check` of documents: findings as they come, fixes, and watching for changes."""

import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import Progress

from workings.cli.shared import show

if TYPE_CHECKING:
    from workings.claims.documents.deciding.decide import Known
    from workings.claims.documents.finding import Checked, Finding
    from workings.claims.documents.formats import Format

POLL_SECONDS = 0.3


def check_documents(
    paths: list[Path],
    form: "Format",
    seed: int,
    fix: bool = False,
    in_place: bool = False,
    explain: bool = False,
) -> int:
    """Check documents and write what is found; the exit code."""
    from workings.claims.documents import formats

    known: Known = {}
    checked = [_check(path, form, known, seed, explain) for path in paths]
    if form is formats.Format.SARIF:
        print(formats.as_sarif(checked))
    elif form is formats.Format.JSON:
        print(formats.as_json(checked))
    if fix or in_place:
        _fix(checked, in_place, known)
    if form is formats.Format.TEXT:
        show.say(f"{formats.summary(checked)} (--seed {seed})")
    return formats.exit_code(checked)


def _check(
    path: Path, form: "Format", known: "Known", seed: int, explain: bool = False
) -> "Checked":
    """Check one document, with a bar on a terminal and each finding as it comes.

    explain: every statement, with how it was read, not only what is wrong or not read.
    """
    from workings.claims.documents import formats, read_document
    from workings.claims.documents.check import check_document

    caret = sys.stdout.isatty()
    with Progress(
        console=Console(stderr=True, markup=False, highlight=False),
        transient=True,
        disable=not sys.stderr.isatty(),
        redirect_stdout=caret,  # a finding stands above the bar; in a pipe it stays in the pipe
    ) as bar:
        task = bar.add_task(path.name, total=None)

        def each(finding: "Finding", total: int) -> None:
            bar.update(task, total=total, advance=1)
            if form is formats.Format.TEXT and (explain or finding.wrong or finding.not_read):
                show.say(formats.as_text(finding, caret, explain), flush=True)

        checked = check_document(read_document(path), known, each, seed)
    if form is formats.Format.TEXT:
        for position, text in checked.notes:
            show.say(f"{position}: note: {text}")
    elif form is formats.Format.GITHUB:
        for line in formats.as_github(checked):
            show.say(line)
    return checked


def _fix(checked: "list[Checked]", in_place: bool, known: "Known") -> None:
    """Write the repairs that hold in their documents; what was written goes to standard error."""
    from workings.claims.documents.fix import fix, write_fixed

    for each in checked:
        fixed = fix(each, known)
        paths = ", ".join(map(str, write_fixed(fixed, in_place)))
        written = f", written to {paths}" if paths else ""
        show.say(
            f"{each.document.path}: {fixed.repaired} of {fixed.wrong} wrong repaired{written}",
            error=True,
        )
        for finding, why in fixed.left:
            show.say(f"{finding.position}: left as it is: {why}", error=True)


def watch_documents(
    paths: list[Path], form: "Format", seed: int, rounds: int | None = None
) -> None:
    """Check documents again when they change; of a changed one, only what changed in it."""
    from workings.claims.documents import formats
    from workings.errors import WorkingsError

    known: Known = {}
    stamps: dict[Path, dict[Path, int]] = {}
    seen = 0
    while rounds is None or seen < rounds:
        for path in paths:
            before = _stamps(stamps.get(path, [path]))
            if stamps.get(path) == before:
                continue
            files = {path}
            try:
                checked = _check(path, form, known, seed)
                files |= {source.path for source in checked.document.sources.files}
                show.say(formats.summary([checked]), flush=True)
            except WorkingsError as error:
                show.say(f"workings: {error}", error=True, flush=True)
            # As they were before they were read: what is saved meanwhile is a change.
            stamps[path] = _stamps(files) | {each: before[each] for each in files & before.keys()}
            seen += 1
        time.sleep(POLL_SECONDS)


def _stamps(paths: Iterable[Path]) -> dict[Path, int]:
    """When each file was last changed; 0 for one that is gone."""
    stamps = {}
    for path in paths:
        try:
            stamps[path] = path.stat().st_mtime_ns
        except OSError:
            stamps[path] = 0
    return stamps
