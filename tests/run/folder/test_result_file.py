"""result.json: figures that no evaluation can give are damage, and the file and key are named."""

import json
import math
from pathlib import Path
from typing import Any

import pytest

from tests.run.folder.test_listing import make, rows
from workings.errors import WorkingsError
from workings.run.folder.result_file import LEAST, SHARES, SHIFTED, read_result
from workings.run.folder.run_folder import RunFolder
from workings.tasks import TASKS


def change(folder: RunFolder, **figures: float) -> None:
    """Other figures of the test data, sealed as if the run had written them."""
    result: Any = json.loads((folder.path / "result.json").read_bytes())
    result["metrics"] |= {f"test.{name}": value for name, value in figures.items()}
    folder.write_result(result)


@pytest.mark.parametrize(
    ("name", "value", "wanted"),
    [
        ("accuracy", 1e308, "a share from 0 to 1, found 1e+308"),
        ("accuracy", math.inf, "a share from 0 to 1, found inf"),
        ("accuracy", math.nan, "a share from 0 to 1, found nan"),
        ("roc_auc", -0.1, "a share from 0 to 1, found -0.1"),
        ("accuracy_shifted_3", 1.5, "a share from 0 to 1, found 1.5"),
        ("f1", 98.7, "a share from 0 to 1, found 98.7"),
        ("perplexity", 0.5, "at least 1, found 0.5"),
        ("perplexity", math.nan, "at least 1, found nan"),
        ("word_error_rate", -1.0, "at least 0, found -1"),
    ],
)
def test_a_figure_that_cannot_be_is_named(
    tmp_path: Path, name: str, value: float, wanted: str
) -> None:
    folder = make(tmp_path / "a")
    change(folder, **{name: value})
    path = tmp_path / "a" / "result.json"
    said = f"{path}: damaged: metrics.test.{name}: expected {wanted}"
    for reading in (folder.result, lambda: read_result(path)):
        with pytest.raises(WorkingsError) as raised:
            reading()
        assert str(raised.value) == said
    row = rows(tmp_path)["a"]
    assert (row["state"], row["test"], row["problem"]) == ("damaged", None, said)


@pytest.mark.parametrize(
    "figures",
    [
        {"accuracy": 0.0, "roc_auc": 1.0},
        {"accuracy": 1.0000001},  # a sum of rounded numbers
        {"word_error_rate": 2.5},  # insertions count
        {"perplexity": math.inf, "loss": 900.0},
        {"loss": math.nan, "calibration_error": math.nan, "accuracy": 0.5},
        {"my_metric": math.nan, "loss": -3.0},
    ],
)
def test_a_figure_that_an_evaluation_gives_is_read(
    tmp_path: Path, figures: dict[str, float]
) -> None:
    folder = make(tmp_path / "a")
    change(folder, **figures)
    result = folder.result()
    assert result
    assert {f"test.{name}" for name in figures} <= result["metrics"].keys()
    assert rows(tmp_path)["a"]["state"] == "finished"


def test_a_baseline_is_held_to_the_same(tmp_path: Path) -> None:
    folder = make(tmp_path / "a")
    result: Any = folder.result()
    folder.write_result(result | {"baselines": {"guess": {"test.accuracy": 7.0}}})
    with pytest.raises(WorkingsError, match=r"baselines\.guess\.test\.accuracy: expected a share"):
        folder.result()


def test_a_metric_of_ones_own_may_be_any_number(tmp_path: Path) -> None:
    folder = make(tmp_path / "a")
    change(folder, f1=98.7)
    config = tmp_path / "a" / "config.toml"
    config.write_text(config.read_text().replace("metrics = []", 'metrics = ["mine.scores:f1"]'))
    assert 'mine.scores:f1"' in config.read_text()
    assert read_result(tmp_path / "a" / "result.json")["metrics"]["test.f1"] == 98.7


def test_every_metric_of_the_tasks_has_a_range_but_the_loss() -> None:
    names = {SHIFTED.sub("", name) for task in TASKS.values() for name in task.METRICS}
    assert names - SHARES - LEAST.keys() <= {"loss", "decoded"}
