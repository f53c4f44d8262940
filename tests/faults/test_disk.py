"""Whatever call the disk refuses: nothing is lost, and what is resumed ends as if it had not.

Some of the calls, drawn with a fixed seed; with WORKINGS_SOAK set, every one of them.
"""

import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.faults.failing_disk import MODES, FailingDisk, using
from tests.run.faults import assert_same, outcome
from tests.run.test_resume import config
from tests.study.tiny import study_here, write_study
from workings.errors import WorkingsError
from workings.run import resume, train
from workings.tasks.language.task import LanguageTask

NEVER = 10**9
SAMPLED = 12  # of the calls of a run or study, where not all are asked for


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LanguageTask, "baselines", lambda self: {})


def chosen(calls: int, mode: str) -> list[int]:
    """The calls to refuse: all, or the first, the last and some between."""
    if os.environ.get("WORKINGS_SOAK"):
        return list(range(calls))
    drawn = random.Random(mode).sample(range(1, calls - 1), min(SAMPLED, calls) - 2)
    return sorted({0, calls - 1, *drawn})


def in_one_line(work: Callable[[], Any]) -> None:
    """Do it; a failure must be one line that a user can read."""
    message = ""
    try:
        work()
    except WorkingsError as error:
        message = str(error)
    assert "\n" not in message


def values(book: Path) -> dict[str, Any]:
    """Two epochs, a checkpoint after every few steps."""
    return config(book, "lstm", "adam, plateau", epochs=2, window=60)


@pytest.mark.parametrize("mode", MODES)
def test_a_run(mode: str, book: Path, tmp_path: Path) -> None:
    with using(FailingDisk(NEVER)):  # which also leaves the text's ids in the cache
        train(values(book), str(tmp_path / "whole"))
    expected = outcome(tmp_path / "whole")
    counting = FailingDisk(NEVER)
    with using(counting):
        train(values(book), str(tmp_path / "counted"))
    assert counting.calls > 100
    for at in chosen(counting.calls, mode):
        path = tmp_path / f"at-{at}"
        disk = FailingDisk(at, *MODES[mode])
        with using(disk):
            in_one_line(lambda path=path: train(values(book), str(path)))
        assert disk.failed
        with using(FailingDisk(NEVER)):
            if path.exists():
                resume(str(path))
            else:
                train(values(book), str(path))
        assert_same(path, expected)
        left = [entry for entry in tmp_path.iterdir() if entry.name.startswith(".")]
        assert not left, "what could not be finished was not removed"
        shutil.rmtree(path)


@pytest.mark.parametrize("mode", MODES)
def test_a_run_that_is_resumed(mode: str, book: Path, tmp_path: Path) -> None:
    """The second process meets the bad disk."""
    with using(FailingDisk(NEVER)):
        train(values(book), str(tmp_path / "whole"))
    expected = outcome(tmp_path / "whole")
    first = FailingDisk(60)
    with using(first), pytest.raises(WorkingsError):
        train(values(book), str(tmp_path / "stopped"))
    counting = FailingDisk(NEVER)
    shutil.copytree(tmp_path / "stopped", tmp_path / "counted")
    with using(counting):
        resume(str(tmp_path / "counted"))
    for at in chosen(counting.calls, mode)[::2]:
        path = tmp_path / f"at-{at}"
        shutil.copytree(tmp_path / "stopped", path)
        with using(FailingDisk(at, *MODES[mode])):
            in_one_line(lambda path=path: resume(str(path)))
        with using(FailingDisk(NEVER)):
            resume(str(path))
        assert_same(path, expected)


def figures(done: Any) -> dict[str, dict[int, float]]:
    return {row.name: row.values("test.perplexity") for row in done.summary.rows}


@pytest.mark.parametrize("mode", MODES)
def test_a_study(mode: str, book: Path, tmp_path: Path) -> None:
    file = write_study(tmp_path, book)
    with using(FailingDisk(NEVER)):
        expected = figures(study_here(file, tmp_path / "whole"))
    counting = FailingDisk(NEVER)
    with using(counting):
        assert figures(study_here(file, tmp_path / "counted")) == expected
    assert all(len(values) == 1 for values in expected.values())
    for at in chosen(counting.calls, mode)[::2]:
        folder = tmp_path / f"at-{at}"
        with using(FailingDisk(at, *MODES[mode])):
            in_one_line(lambda folder=folder: study_here(file, folder))
        with using(FailingDisk(NEVER)):
            assert figures(study_here(file, folder)) == expected
        shutil.rmtree(folder)
