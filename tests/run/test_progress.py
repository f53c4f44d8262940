"""What is shown: plain lines without a terminal, a bar with one, nothing when quiet."""

import io
import logging
from typing import Any

import pytest
from rich.console import Console

from workings.run.progress import Live, Logged, Plain, Progress, clock, progress
from workings.run.state import TrainingState


class Task:
    unit, best, units = "tokens", "perplexity", 1000

    def training_metrics(self, loss: float) -> dict[str, float]:
        return {"loss": loss, "perplexity": 2.0**loss}


def run_an_epoch(view: Progress) -> None:
    state = TrainingState()
    task: Any = Task()
    view.epoch(1, 3, task, state)
    state.units, state.loss_sum, state.step = 250, 250 * 5.0, 1
    view.step(state)
    view.evaluating("valid", 77, "tokens")
    state.seconds = 65
    view.evaluated(state, task.training_metrics(5.0), task.training_metrics(6.0), True)
    view.warn("careful [now]")
    view.close()


def test_plain_lines() -> None:
    stream = io.StringIO()
    view = Plain(stream)
    view.every = 0
    run_an_epoch(view)
    lines = stream.getvalue().splitlines()
    assert lines[0].startswith("epoch 1/3  25%  loss 5.000  perplexity 32.00")
    assert "left in the epoch" in lines[0]
    assert lines[1] == "evaluating valid: 77 tokens"
    assert "train     32.00  valid     64.00 * perplexity" in lines[2]
    assert lines[2].endswith("1:05")
    assert lines[3] == "warning: careful [now]"


def test_a_program_that_calls_us_has_the_same_lines_in_its_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    stream = io.StringIO()
    plain, logged = Plain(stream), Logged()
    plain.every = logged.every = 0
    run_an_epoch(plain)
    with caplog.at_level(logging.INFO, logger="workings"):
        run_an_epoch(logged)
    *lines, warning = stream.getvalue().splitlines()
    assert warning == f"warning: {caplog.messages[-1]}"
    assert [line[:40] for line in caplog.messages[:-1]] == [line[:40] for line in lines]
    assert [record.levelname for record in caplog.records] == ["INFO"] * 3 + ["WARNING"]


def test_the_loss_is_shown_once() -> None:
    view, task = Progress(), Task()
    task.best = "loss"
    view.task, view.rate = task, 25.0  # type: ignore[assignment]
    assert view.words(TrainingState(units=1, loss_sum=5.0)) == "loss 5.000  25 tokens/s"


@pytest.mark.parametrize(
    ("number", "expected"),
    [(1, "0:30 left in the epoch, 1:50 in all"), (3, "0:30 left")],
)
def test_the_time_left_is_of_the_epoch_and_of_all(number: int, expected: str) -> None:
    """250 of 1,000 tokens are done, at 25 a second; an epoch takes 40 s."""
    view, task = Progress(), Task()
    view.task, view.number, view.epochs, view.rate = task, number, 3, 25.0  # type: ignore[assignment]
    assert view.left(TrainingState(units=250)) == expected


def test_a_bar_in_a_terminal() -> None:
    stream = io.StringIO()
    console = Console(file=stream, force_terminal=True, width=120)
    run_an_epoch(Live(console))
    shown = stream.getvalue()
    for words in ("epoch 1/3", "evaluating valid", "train     32.00", "careful [now]"):
        assert words in shown


def test_the_view_fits_where_the_output_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    assert type(progress(quiet=True)) is Progress
    assert type(progress()) is Plain


@pytest.mark.parametrize(("seconds", "text"), [(5, "0:05"), (65, "1:05"), (3725, "1:02:05")])
def test_clock(seconds: int, text: str) -> None:
    assert clock(seconds) == text
