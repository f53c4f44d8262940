"""Large graphs: how the time and memory of a step, a sampled batch and an evaluation grow."""

import statistics
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TypedDict

import numpy as np

from workings.bench.planted import archive
from workings.bench.rows import Say
from workings.bench.sides import Side, Work, race
from workings.files import write_file
from workings.run import config as configs
from workings.run.optim import Learner
from workings.tasks.graph.task import GraphTask

SIZES = (100_000, 300_000, 1_000_000, 3_000_000)
QUICK = (30_000, 100_000)
EACH = 10  # edges for every node
REACH = (
    1_000  # between the numbers of joined nodes, where these are near: their states stay in a cache
)
METHODS = {
    "step, whole graph": "none",
    "step, 1,024 nodes sampled": "neighbours",
    "evaluation, exact": "neighbours",
}


class GrowthRow(TypedDict):
    """What one method takes at one size."""

    measured: str
    edges: int
    seconds: float
    peak_bytes: float


def make(kind: str, method: str, path: str) -> Work:
    """The work: one step of the optimizer, or the exact output for every node."""
    values: configs.Values = {
        "task": "graph",
        "data": {"path": path, "train_per_class": 1_000, "valid_per_class": 100},
        "model": {"kind": kind} | ({"hidden": 32} if kind == "gcn" else {"hidden": 8, "heads": 4}),
        "train": {"sampling": METHODS[method], "threads": 1},
    }
    config, task, _ = configs.resolve(values).settled()
    model = task.build()
    learner = Learner(model, config.train, steps=1)
    if method.startswith("evaluation"):
        assert isinstance(task, GraphTask)
        return lambda: task.outputs(model)
    batches: Iterator[object] = iter(())

    def step() -> None:
        nonlocal batches
        batch = next(batches, None)
        if batch is None:
            batches = iter(task.batches(0, 0))
            batch = next(batches)
        loss, _, _ = task.loss(model.train(), batch, None)
        learner.backward(loss)
        learner.step(0)

    return step


def run(
    kind: str, quick: bool, near: bool, rounds: int, seconds: float, say: Say
) -> list[GrowthRow]:
    """Every method at every size, each in a process of its own; near: edges reach REACH far."""
    rows: list[GrowthRow] = []
    for edges in QUICK if quick else SIZES:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "planted.npz"
            write_file(path, archive(edges // EACH, edges, reach=REACH if near else None))
            for method in METHODS:
                say(f"{kind}, {edges:,} edges: {method}")
                side = Side(make, (kind, method, str(path)), True)
                turns = race({"ours": side}, 1, rounds, seconds)["ours"]
                took = statistics.median(turn.seconds for turn in turns)
                peak = max(turn.peak for turn in turns)
                rows.append(GrowthRow(measured=method, edges=edges, seconds=took, peak_bytes=peak))
    return rows


def exponents(rows: list[GrowthRow]) -> dict[str, float]:
    """Of each method the slope of log time by log edges: 1 is linear growth, 0 is none."""
    made = {}
    for method in METHODS:
        own = [row for row in rows if row["measured"] == method]
        logs = np.log([[row["edges"], row["seconds"]] for row in own])
        made[method] = float(np.polyfit(logs[:, 0], logs[:, 1], 1)[0]) if len(own) > 1 else 0.0
    return made
