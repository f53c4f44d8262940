"""A few words for each function or text that was typed."""

import tempfile
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from workings.errors import WorkingsError
from workings.page.trying.opened import run_at
from workings.run.run import Run

FUNCTION = """def f(values, wanted):
    for number, value in enumerate(values):
        if value == wanted:
            return number
    return -1
"""


def first(run: Run) -> dict[str, object]:
    """A function to begin with."""
    return {"text": FUNCTION}


def summarise(path: str, trust: bool, text: str, suffix: str) -> Iterator[list[dict[str, object]]]:
    """What the model calls each function of a Python text, or each text; nothing of it is run."""
    run = run_at(path, trust)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / ("text.py" if suffix == "python" else "text.txt")
        file.write_text(text, encoding="utf-8")
        try:
            yield [asdict(each) for each in run.summarise(file)]
        except WorkingsError as error:
            raise WorkingsError(str(error).replace(str(file), "the text")) from None
