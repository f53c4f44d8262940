"""steps.jsonl: at most 200 points an epoch; resumed as if the run had never stopped."""

import json
from pathlib import Path

import pytest

from tests.study.tiny import CONFIG
from workings.run import train
from workings.run.folder import step_log
from workings.run.folder.step_log import POINTS, StepLog


def log(steps: int, folder: Path) -> StepLog:
    made = StepLog(folder, steps)
    for step in range(1, steps + 1):
        made.add(float(step), 2, step, 1, step)
    made.end_point(steps, 1)
    return made


@pytest.mark.parametrize("steps", [2, 199, 200, 201, 1999])
def test_points_are_means_and_not_too_many(steps: int, tmp_path: Path) -> None:
    lines = log(steps, tmp_path).lines
    assert len(lines) <= POINTS
    assert lines[-1]["step"] == steps
    first = lines[0]["step"]
    assert lines[0]["loss"] == (first + 1) / 2


def test_an_epoch_of_one_step_has_none(tmp_path: Path) -> None:
    assert log(1, tmp_path).lines == []


def test_gone_on_with_it_is_as_if_never_stopped(tmp_path: Path) -> None:
    whole = log(1000, tmp_path).lines
    half = StepLog(tmp_path, 1000)
    for step in range(1, 504):
        half.add(float(step), 2, step, 1, step)
    point = json.loads(json.dumps(half.save()))
    half.add(0.0, 2, 504, 1, 504)
    half.end_point(504, 1)
    half.save()  # after the checkpoint: to be forgotten
    again = StepLog(tmp_path, 1000)
    again.restore(point, 503)
    for step in range(504, 1001):
        again.add(float(step), 2, step, 1, step)
    again.save()
    assert step_log.read(tmp_path) == whole


def test_who_looks_on_sees_the_points_before_the_next_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = log(50, tmp_path)
    made.show()
    assert step_log.read(tmp_path) == []  # seldom
    monkeypatch.setattr(step_log, "SHOW_SECONDS", -1.0)
    whole = made.lines
    made.show()
    made.show()
    assert step_log.read(tmp_path) == whole


def test_a_run_of_one_epoch_has_a_curve(tmp_path: Path, book: Path) -> None:
    data = {"train": [str(book)], "valid_share": 0.1, "test_share": 0.1}
    config = CONFIG | {"data": data, "train": CONFIG["train"] | {"epochs": 1}}
    run = train(config, str(tmp_path / "run"))
    points = step_log.read(run.folder.path)
    assert len(points) == run.task.steps > 5
    whole = [float(str(point["loss"])) for point in points[:-1]]  # the last window is shorter
    assert run.result
    mean = run.result["metrics"]["train.loss"]
    assert sum(whole) / len(whole) == pytest.approx(mean, rel=0.05)
    assert "loss-by-step" in run.charts()
