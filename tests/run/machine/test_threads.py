"""`train.threads`: what is chosen by a measurement, that it is written down, and when it is not."""

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.tiny import language_values as values
from workings.run import config as configs
from workings.run import resume, train
from workings.run.config import RunConfig
from workings.run.machine import step_times, threads
from workings.tasks.language.task import LanguageTask


@pytest.fixture(autouse=True)
def _two_threads(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(LanguageTask, "baselines", lambda self: {})
    monkeypatch.setattr(step_times, "LOOK", 0.0)
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(1)


def settled(config: RunConfig) -> int:
    return threads.settled(config, config.build_task()).train.threads


@pytest.mark.parametrize(("several", "chosen"), [(1.0, 2), (2.19, 2), (2.21, 1)])
def test_one_thread_must_be_a_tenth_faster(
    several: float, chosen: int, book: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(threads, "shortest_steps", lambda *_: [several, 2.0])
    assert settled(configs.resolve(values(book))) == chosen


def test_nothing_is_measured_where_there_is_no_choice(
    book: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(threads, "shortest_steps", None)
    assert settled(configs.resolve(values(book, threads=7))) == 7
    torch.set_num_threads(1)
    assert settled(configs.resolve(values(book))) == 0


def test_steps_are_measured_on_the_threads_of_their_way(
    book: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = configs.resolve(values(book))
    task, used = config.build_task(), []
    real = task.loss

    def loss(*args: Any) -> Any:
        used.append(torch.get_num_threads())
        return real(*args)

    monkeypatch.setattr(task, "loss", loss)
    assert threads.settled(config, task).train.threads in (1, 2)
    assert used == [2, 2, 1, 1] * 2
    assert torch.get_num_threads() == 2


def test_the_choice_is_written_and_changes_nothing_else(book: Path, tmp_path: Path) -> None:
    chosen = train(values(book), str(tmp_path / "chosen"))
    written = tomllib.loads((tmp_path / "chosen" / "config.toml").read_text())
    count = written["train"]["threads"]
    assert count in (1, 2)
    assert chosen.result["environment"]["threads"] == count
    named = train(values(book, threads=count), str(tmp_path / "named"))
    for weight, other in zip(chosen.model.parameters(), named.model.parameters(), strict=True):
        assert torch.equal(weight, other)
    assert resume(str(tmp_path / "chosen")).config.train.threads == count


def test_what_cannot_take_a_step_is_left_to_the_run(
    book: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def build(self: LanguageTask) -> None:
        raise RuntimeError("no such layer")

    monkeypatch.setattr(LanguageTask, "build", build)
    assert settled(configs.resolve(values(book))) == 2


def test_times_are_written_in_full() -> None:
    said = [threads.milliseconds(seconds) for seconds in (1.2249, 0.65, 0.0999, 0.001249)]
    assert said == ["1,225 ms", "650 ms", "99.9 ms", "1.25 ms"]
