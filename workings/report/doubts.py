"""Why figures of a study may be too good to be true: leaks of its runs, and questions."""

from workings.errors import WorkingsError
from workings.run.folder.run_folder import RunFolder
from workings.study.summary import RunSummary, StudySummary


def doubts(study: StudySummary) -> list[str]:
    """A line for each doubt, with the rows whose runs have it."""
    rows: dict[str, dict[str, None]] = {}
    for row in study.rows:
        for run in row.runs:
            for doubt in [*_leaks(run), *_questions(run)]:
                rows.setdefault(doubt, {})[row.name] = None
    if len(study.rows) == 1:
        return list(rows)
    return [f"{', '.join(names)}: {doubt}" for doubt, names in rows.items()]


def _questions(run: RunSummary) -> list[str]:
    return run.result.get("questions", []) if run.result else []


def _leaks(run: RunSummary) -> list[str]:
    """What the probes noticed before the first step; a measurement has no such record."""
    if not (run.folder / "run.json").is_file():
        return []
    try:
        return RunFolder(run.folder).about().get("leaks", [])
    except WorkingsError:
        return []  # damaged: its row says so
