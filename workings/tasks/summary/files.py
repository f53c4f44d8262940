"""Telling files of functions and texts with summaries from those of other tasks."""

from pathlib import Path

from workings.json_files import WrongJson, parse
from workings.tasks.summary.json_lines import LONGEST_LINE


def recognised(path: Path) -> bool:
    """Whether it is Python source, a folder of it, or JSON lines with a summary."""
    if path.is_dir():
        return any(path.glob("*.py"))
    return path.suffix == ".py" or (path.suffix in (".jsonl", ".ndjson") and _summaries(path))


def _summaries(path: Path) -> bool:
    """Whether the first line is an object that has a summary."""
    try:
        with path.open("rb") as file:
            first = parse(file.readline(LONGEST_LINE))
    except (OSError, WrongJson):
        return False
    return isinstance(first, dict) and "summary" in first
