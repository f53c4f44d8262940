"""Run folders that released versions wrote stay usable: opened, read, used and resumed.

tests/stored/VERSION holds a few tiny ones as that version left them; only the paths of their data
were made relative to STORED. The figures below are what that version said of them.
"""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.command import Command
from workings.run.folder import examples_file

STORED = Path(__file__).parents[1] / "stored"
VERSIONS = sorted(path.name for path in STORED.iterdir())
RUNS = ("graph-finished", "images-finished", "language-finished")

pytestmark = pytest.mark.parametrize("version", VERSIONS)
Stored = Callable[[str], None]


@pytest.fixture
def stored(workings: Command, tmp_path: Path) -> Stored:
    """Put the folders of a version where the command finds them."""

    def put(version: str) -> None:
        shutil.copytree(STORED / version, tmp_path / "runs")
        for config in tmp_path.glob("runs/*/config.toml"):
            config.write_text(config.read_text().replace("STORED", str(tmp_path / "runs")))

    return put


def answer(command: tuple[int, str, str]) -> Any:
    code, out, err = command
    assert code == 0, err
    return json.loads(out)


@pytest.mark.parametrize("name", RUNS)
def test_evaluated_anew_it_has_the_metrics_of_its_result(
    version: str, name: str, stored: Stored, workings: Command
) -> None:
    stored(version)
    metrics = answer(workings("eval", name, "--json"))["metrics"]
    result = json.loads(Path("runs", name, "result.json").read_text())["metrics"]
    for metric, value in result.items():  # a newer version may measure more
        if metric.startswith("test."):
            assert metrics[metric.removeprefix("test.")] == pytest.approx(value, rel=1e-4), metric
    nll = examples_file.read(Path("runs", name))["test"].columns["nll"]  # made by this evaluation
    assert len(nll) > 1


def test_text_is_generated(version: str, stored: Stored, workings: Command) -> None:
    stored(version)
    options = ("--prompt", "the old", "--greedy", "--length", "8", "--json")
    (sample,) = answer(workings("generate", "language-finished", *options))
    assert sample["text"] == "the old dog bit the hen."
    assert sample["tokens"][0]["probability"] == pytest.approx(0.340857, rel=1e-4)


def test_nodes_are_predicted(version: str, stored: Stored, workings: Command) -> None:
    stored(version)
    third, thirtieth = answer(workings("predict", "graph-finished", "3", "30", "--json"))
    assert third["probabilities"]["Mr. Hi"] == pytest.approx(0.550580, rel=1e-4)
    assert thirtieth["probabilities"]["Officer"] == pytest.approx(0.543054, rel=1e-4)


def test_pictures_are_predicted(version: str, stored: Stored, workings: Command) -> None:
    stored(version)
    picture = "runs/pictures/upper/0.png"
    (predicted,) = answer(workings("predict", "images-finished", picture, "--json"))
    assert predicted["probabilities"]["upper"] == pytest.approx(0.626851, rel=1e-4)


def test_an_unfinished_run_goes_on_to_the_end_of_its_finished_twin(
    version: str, stored: Stored, workings: Command
) -> None:
    stored(version)
    code, _, err = workings("resume", "language-unfinished")
    assert code == 0, err
    assert "resuming at step 90, epoch 4" in err
    ended, twin = (Path(f"runs/language-{name}") for name in ("unfinished", "finished"))
    ours, theirs = (json.loads((run / "result.json").read_text()) for run in (ended, twin))
    assert ours["steps"] == theirs["steps"]
    known = {name: ours["metrics"][name] for name in theirs["metrics"]}
    assert known == pytest.approx(theirs["metrics"], rel=1e-4)
    assert losses(ended) == pytest.approx(losses(twin), rel=1e-4)


def losses(run: Path) -> list[float]:
    """The losses of the lines of a run's metrics.jsonl, in order."""
    return [json.loads(line)["loss"] for line in (run / "metrics.jsonl").read_text().splitlines()]


def test_they_are_listed_and_compared(version: str, stored: Stored, workings: Command) -> None:
    stored(version)
    listed = answer(workings("runs", "list", "--json"))
    assert {run["run"] for run in listed} == {*RUNS, "language-unfinished"}
    code, out, err = workings("runs", "compare", "language-finished", "language-unfinished")
    assert code == 0, err
    assert "1.8" in out
