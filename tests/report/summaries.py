"""Studies as they are found on disk, made by hand: any state, any name, any figure."""

import math
from pathlib import Path
from typing import Any

from workings.study.file import Row, StudyFile
from workings.study.summary import RowSummary, RunSummary, StudySummary

NOWHERE = Path("/nowhere")
HOSTILE = [
    "<script>alert(1)</script>",
    "</script><b>bold",
    "a/b/../c",
    """'single' "double" & more""",
    "two\nlines",
    "x" * 300,
    "{{ 7 * 7 }}",
]


def lines(values: list[float | None], **more: Any) -> list[dict[str, Any]]:
    """Two lines an epoch, as a run writes them; the training figure is half the other."""
    made = []
    for epoch, value in enumerate(values, start=1):
        half = None if value is None else value / 2
        for split, one in (("train", half), ("valid", value)):
            loss = math.log(one) if one else None
            line = {"step": 10 * epoch, "epoch": epoch, "split": split, "perplexity": one}
            made.append(line | {"loss": loss} | more)
    return made


def run(seed: int, test: float | None, curve: list[float | None], **more: Any) -> RunSummary:
    """A finished run; a stopped one where there is no test figure."""
    config = {"task": "language", "seed": seed, "model.kind": "rnn", **more.pop("config", {})}
    if test is None:
        return RunSummary(NOWHERE, seed, "stopped", config=config, lines=lines(curve))
    result = {
        "metrics": {"test.perplexity": test, "valid.perplexity": 1.1 * test},
        "parameters": 1000,
        "seconds": 60.0,
        "data": {"sha256": "ab" * 32, "about": "a book"},
        "environment": {"python": "3.11.0", "threads": 2},
        "details": {},
    }
    return RunSummary(NOWHERE, seed, "finished", "", config, result | more, lines(curve))


def row(name: str, tests: list[float], published: float | None = None, **more: Any) -> RowSummary:
    """A row with a finished run for each figure, of the seeds 1, 2, …"""
    runs = [run(n, test, [3 * test, 2 * test, test], **more) for n, test in enumerate(tests, 1)]
    figures = {} if published is None else {"test.perplexity": published}
    return RowSummary(name, {}, figures, "Smith (2020)" if figures else "", runs)


def study(rows: list[RowSummary], **more: Any) -> StudySummary:
    file = {
        "title": "Gates",
        "question": "Does a gate help?",
        "base": "language",
        "metric": "test.perplexity",
        "plot": ["valid.perplexity", "train.perplexity"],
        "row": [Row(name=one.name) for one in rows],
    }
    file |= more.pop("file", {})
    return StudySummary("gates", StudyFile(**file), rows, more.pop("lower", True), **more)


def data(chart: dict[str, Any]) -> list[dict[str, Any]]:
    """The points of a chart's definition."""
    if "datasets" in chart:
        return next(iter(chart["datasets"].values()))
    return chart["data"]["values"]
