"""As a library it leaves the caller's process alone: threads, random state, what is printed."""

import logging
from pathlib import Path
from typing import Any

import pytest
import torch

import workings
from workings.errors import WorkingsError
from workings.run import train
from workings.run.folder import listing


@pytest.fixture
def values(book: Path) -> dict[str, Any]:
    return {
        "task": "language",
        "data": {"train": [str(book)]},
        "model": {"embed": 4, "hidden": 4},
        "train": {"epochs": 1, "batch": 2, "window": 8, "threads": 2},
    }


def test_threads_and_random_state_are_the_callers(
    values: dict[str, Any], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    threads = torch.get_num_threads()
    torch.manual_seed(5)
    wanted = torch.rand(3)
    torch.manual_seed(5)
    with caplog.at_level(logging.INFO, logger="workings"):
        run = train(values, str(tmp_path / "run"))
    assert run.result is not None
    assert run.result["environment"]["threads"] == 2
    opened = workings.open(str(tmp_path / "run"))
    opened.generate(length=3)
    opened.evaluate()
    workings.assert_gradient(torch.sin, lambda g, x: g * x.cos(), torch.ones(2))
    assert torch.equal(torch.rand(3), wanted)
    assert torch.get_num_threads() == threads
    assert any(line.startswith("data ") for line in caplog.messages)


def test_what_fails_before_its_first_step_leaves_no_folder(
    values: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from workings.tasks.language.task import LanguageTask

    real = LanguageTask.loss

    def fails(*args: Any) -> Any:
        raise WorkingsError("the first step fails")

    monkeypatch.setattr(LanguageTask, "loss", fails)
    with pytest.raises(WorkingsError, match="the first step fails"):
        train(values, str(tmp_path / "run"))
    assert not (tmp_path / "run").exists()
    steps = iter(range(100))
    monkeypatch.setattr(
        LanguageTask, "loss", lambda *args: real(*args) if next(steps) < 3 else fails()
    )
    with pytest.raises(WorkingsError, match="the first step fails"):
        train(values, str(tmp_path / "run"))
    assert listing.state(tmp_path / "run") == "failed"
    monkeypatch.undo()


def test_runs_are_sorted_by_time_whatever_the_clock_says(tmp_path: Path) -> None:
    for name, made in (("b", "2026-10-25T02:30:00+02:00"), ("a", "2026-10-25T02:10:00+01:00")):
        (tmp_path / name).mkdir()
        record = f'{{"format": 1, "made": "{made}", "task": "graph"}}'
        (tmp_path / name / "run.json").write_text(record)
    assert [path.name for path in listing.folders(tmp_path)] == ["b", "a"]


def test_what_a_model_cannot_compute_is_no_figure(values: dict[str, Any], tmp_path: Path) -> None:
    """Weights that are finite, and so large that what is computed with them is not."""
    run = train(values, str(tmp_path / "run"))
    with torch.no_grad():
        for weight in run.model.parameters():
            weight.fill_(3e38)
    with pytest.raises(WorkingsError, match="run: the loss is not a number: the model overflows"):
        run.evaluate()


def test_a_prediction_is_of_finite_numbers() -> None:
    from workings.tasks.prediction import classified

    assert classified("a", {"x": 0.25, "y": 0.75})["prediction"] == "y"
    with pytest.raises(WorkingsError, match=r"^a: the model gives no finite number for it"):
        classified("a", {"x": float("nan"), "y": float("nan")})
