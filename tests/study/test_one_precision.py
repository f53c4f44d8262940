"""A study that leaves the precision open has one for all of its rows, and keeps it."""

from pathlib import Path
from typing import Any

import pytest

from tests.study.tiny import write_study
from workings.run import train
from workings.study import one_precision
from workings.study.plan import Job
from workings.study.study import Conductor, Wanted

OPEN = ["train.precision=auto", "train.epochs=1"]


def conductor(tmp_path: Path, book: Path) -> Conductor:
    file = write_study(tmp_path, book)
    return Conductor(file, Wanted(folder=tmp_path / "out", settings=OPEN))


def test_one_measurement_serves_all_rows(
    tmp_path: Path, book: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def measured(job: Job, threads: int) -> str:
        asked.append((job.row, threads))
        return "bfloat16"

    monkeypatch.setattr(one_precision, "_measured", measured)
    study = conductor(tmp_path, book)
    jobs = one_precision.settled(study.left(), study.jobs, study.where, 1)
    assert asked == [("rnn", 1)]
    assert [job.trained_on(1)["train"]["precision"] for job in jobs] == ["bfloat16"] * 2
    assert [study.where(job) for job in jobs] == [study.where(job) for job in study.jobs]


def test_a_study_goes_on_as_it_began(
    tmp_path: Path, book: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(one_precision, "_measured", None)
    study = conductor(tmp_path, book)
    first, second = study.jobs
    values: Any = first.values | {"train": first.values["train"] | {"precision": "bfloat16"}}
    train(values, str(study.where(first)))
    assert study.left() == [second]
    (left,) = one_precision.settled([second], study.jobs, study.where, 1)
    assert left.precision == "bfloat16"


def test_a_precision_that_is_named_is_not_asked_about(tmp_path: Path, book: Path) -> None:
    study = Conductor(write_study(tmp_path, book), Wanted(folder=tmp_path / "out"))
    assert one_precision.settled(study.left(), study.jobs, study.where, 1) == study.jobs
