"""The same with real signals, sent to a real process."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.command import command
from tests.run.test_resume import assert_same, config, outcome
from workings.run import resume, train
from workings.run.config import resolve
from workings.run.folder.run_folder import RunFolder

EVALUATE_SLOWLY = """
import sys, time
from workings.tasks.language.task import LanguageTask
real = LanguageTask.evaluate
def slow(self, model, split, tick):
    print("EVALUATING", split, flush=True)
    while True:
        tick(0)
        time.sleep(0.01)
LanguageTask.evaluate = slow
from workings.cli import main
main()
"""


@pytest.fixture
def values(book: Path) -> dict[str, Any]:
    return config(book, "lstm", "adam, plateau", epochs=400, patience=400, threads=1)


@pytest.fixture
def toml(values: dict[str, Any], tmp_path: Path) -> Path:
    path = tmp_path / "tiny.toml"
    path.write_bytes(resolve(values).to_toml())
    return path


def start(toml: Path, run: Path, program: list[str] | None = None) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, *(program or ["-m", "workings"]), "train", str(toml), "--run", str(run)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
    )


def wait_for(there: Callable[[], Any], process: "subprocess.Popen[str]") -> None:
    for _ in range(6000):
        if there():
            return
        if process.poll() is not None:
            raise AssertionError(process.communicate())
        time.sleep(0.01)
    raise AssertionError("nothing happened for a minute")


def test_sigkill_at_several_moments(book: Path, values: dict[str, Any], tmp_path: Path) -> None:
    values["train"]["epochs"] = 30
    train(values, str(tmp_path / "whole"))
    expected = outcome(tmp_path / "whole")
    toml = tmp_path / "tiny.toml"
    toml.write_bytes(resolve(values).to_toml())
    for lines in (0, 25):
        run = tmp_path / f"killed-{lines}"
        process = start(toml, run)
        metrics = run / "metrics.jsonl"
        wait_for(
            lambda metrics=metrics, lines=lines: (
                metrics.parent.exists()
                and (metrics.read_text().count("\n") if metrics.exists() else 0) >= lines
            ),
            process,
        )
        process.send_signal(signal.SIGKILL)
        process.communicate()
        assert not (run / "result.json").exists()
        resume(str(run))
        assert_same(run, expected)


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)], ids=["SIGINT", "SIGTERM"]
)
def test_signal_leaves_a_checkpoint(number: int, code: int, toml: Path, tmp_path: Path) -> None:
    run = tmp_path / "stopped"
    process = start(toml, run)
    wait_for(lambda: (run / "metrics.jsonl").exists(), process)
    process.send_signal(number)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == code
    assert f"workings resume {run}" in errors
    assert "Traceback" not in errors
    assert RunFolder(run).state() == "stopped"


def test_signal_during_evaluation(toml: Path, tmp_path: Path) -> None:
    run = tmp_path / "stopped"
    process = start(toml, run, ["-c", EVALUATE_SLOWLY])
    assert process.stdout
    assert process.stdout.readline() == "EVALUATING valid\n"
    process.send_signal(signal.SIGTERM)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 143, errors
    assert f"workings resume {run}" in errors


def test_interrupted_evaluation_is_made_anew(
    values: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from workings.errors import Interrupted
    from workings.tasks.language.task import LanguageTask

    values["train"] |= {"epochs": 2, "checkpoint_seconds": 1000}
    train(values, str(tmp_path / "whole"))
    real = LanguageTask.evaluate
    for at in (1, 2, 3):  # the first epoch's, the second's, the final one on the test split
        calls = 0

        def evaluate(self: Any, model: Any, split: str, tick: Any, at: int = at) -> Any:
            nonlocal calls
            calls += 1
            if calls == at:
                raise Interrupted(15)
            return real(self, model, split, tick)

        run = tmp_path / f"at-{at}"
        monkeypatch.setattr(LanguageTask, "evaluate", evaluate)
        with pytest.raises(Interrupted):
            train(values, str(run))
        monkeypatch.setattr(LanguageTask, "evaluate", real)
        resume(str(run))
        assert_same(run, outcome(tmp_path / "whole"))


def test_two_processes_cannot_train_in_one_folder(toml: Path, tmp_path: Path) -> None:
    run = tmp_path / "one"
    first = start(toml, run)
    wait_for(lambda: (run / "metrics.jsonl").exists(), first)
    second = command("resume", run)
    assert second.code == 2
    assert "another process is training" in second.err
    assert command("runs", "remove", "-y", run).code == 2
    assert first.poll() is None
    first.kill()
    first.communicate()
