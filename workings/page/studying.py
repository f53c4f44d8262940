"""What the Studies page asks: shipped studies, and the table of one that has begun; in a worker."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path

from workings.errors import WorkingsError
from workings.page.run_details import require_own_files
from workings.report.table import Line, lines, shown
from workings.run.folder import listing
from workings.study.file import load, shipped
from workings.study.folder import StudyFolder
from workings.study.metric_names import words
from workings.study.summary import RunSummary, StudySummary


def known() -> Iterator[list[dict[str, object]]]:
    """The shipped studies: what each asks, its parts or its rows, and its seeds."""
    yield _known()


@cache  # they come with the package
def _known() -> list[dict[str, object]]:
    studies: list[dict[str, object]] = []
    for name in shipped():
        _, file = load(name)
        studies.append(
            {
                "name": name,
                "title": file.title,
                "question": file.question,
                "source": file.source,
                "parts": file.parts,
                "metric": words(file.metric) if file.metric else "",
                "seeds": file.seeds,
                "rows": [
                    {
                        "name": row.name,
                        "settings": row.set,
                        "published": {words(each): value for each, value in row.published.items()},
                    }
                    for row in file.rows()
                ],
            }
        )
    return studies


def table(path: str) -> Iterator[dict[str, object]]:
    """How far a study is, and its table so far; of one that is made of parts, theirs."""
    folder = Path(path)
    for study in (folder, *folder.glob("parts/*")):
        StudyFolder(study).require_own_files()
        for run in study.glob("runs/*"):
            require_own_files(run)
    yield _summed(StudyFolder(folder).summary())


def _summed(study: StudySummary) -> dict[str, object]:
    runs = [run for row in study.rows for run in row.runs]
    summed: dict[str, object] = {
        "name": study.name,
        "title": study.file.title,
        "question": study.file.question,
        "notes": study.file.notes,
        "metric": words(study.file.metric) if study.file.metric else "",
        "narrowed": study.narrowed,
        "wanted": [row.name for row in study.rows],
        "seeds": sorted({run.seed for run in runs}),
        "done": sum(run.state == "finished" for run in runs),
        "runs": len(runs),
        "parts": [_summed(part) for part in study.parts],
        "claims": _claims(study),
    }
    try:
        summed |= _table(study)
    except WorkingsError as error:  # one damaged run: the others are in its list of runs
        summed |= {"error": str(error), "heads": [], "rows": []}
    return summed


def _table(study: StudySummary) -> dict[str, object]:
    metrics = shown(study)
    heads = ["", "state", *(words(metric) for metric in metrics), "published", "parameters", "time"]
    summaries = {row.name: row for row in study.rows}
    rows = []
    for line in lines(study):
        beside = line.beside.get(study.file.metric)
        published = f"{beside.value:,g} {beside.words}".strip() if beside else ""
        figures = [str(line.figures[m]) if m in line.figures else "" for m in metrics]
        rows.append(
            {
                "badges": line.compared.badges,
                "error": "; ".join(line.errors),
                "cells": [
                    *(line.name, _state(line, summaries[line.name].runs), *figures, published),
                    "" if line.parameters is None else f"{line.parameters:,}",
                    "" if line.seconds is None else f"{line.seconds:,.0f} s",
                ],
            }
        )
    return {"heads": heads, "rows": rows}


def _state(line: Line, runs: list[RunSummary]) -> str:
    """Of a row; the summary does not know what trains now."""
    running = sum(run.state == "stopped" and listing.held(run.folder) for run in runs)
    if not running:
        return line.state
    return "running" if len(runs) == 1 else f"{running} of {len(runs)} running"


def _claims(study: StudySummary) -> dict[str, int]:
    verdicts = [claim.verdict for claim in study.claims]
    holds = sum(verdict.holds for verdict in verdicts)
    return {"holds": holds, "not": len(verdicts) - holds} if verdicts else {}
