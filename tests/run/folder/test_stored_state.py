"""A checkpoint whose checksums are right and whose content is wrong is named, in one line."""

import dataclasses
import json
import math
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import safetensors.torch
import torch
from torch import Tensor

from tests.run.faults import assert_same, outcome
from tests.run.test_resume import config
from workings.errors import Interrupted, WorkingsError
from workings.json_files import WrongJson
from workings.run import open_run, resume, train
from workings.run.folder import checkpoint
from workings.run.machine.signals import Stop
from workings.run.progress import Progress
from workings.run.state import TrainingState
from workings.tasks.language.task import LanguageTask

Saved = tuple[dict[str, Tensor], dict[str, Any]]


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that was stopped in the middle of an epoch, with one checkpoint of its state."""
    folder = tmp_path_factory.mktemp("stopped")
    book = folder / "book.txt"
    book.write_text("the old fox saw the hen .\nthe new dog bit the cow .\n" * 60)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LanguageTask, "baselines", lambda self: {})
        values = config(book, "lstm", "asgd", epochs=4, checkpoint_seconds=1e9)
        real, steps = LanguageTask.loss, iter(range(999))

        def loss(self: Any, *args: Any) -> Any:
            if self.train.epochs == 4 and next(steps) == 10:  # of 12, three an epoch
                patch.setattr(Stop, "signal", 2, raising=False)
            return real(self, *args)

        train(values, str(folder / "whole"))
        patch.setattr(LanguageTask, "loss", loss)
        steps = iter(range(999))
        patch.setattr(Stop, "__init__", lambda self: None)
        patch.setattr(Stop, "signal", 0, raising=False)
        with pytest.raises(Interrupted):
            train(values, str(folder / "run"))
    shutil.rmtree(folder / "whole" / "figures", ignore_errors=True)
    return folder


def rewrite(run: Path, kind: str, change: Callable[[Saved], Any]) -> None:
    """Change a checkpoint, and its checksums with it."""
    for folder in (run / "checkpoint").glob(f"{kind}-*"):
        tensors = safetensors.torch.load((folder / checkpoint.TENSORS).read_bytes())
        state = json.loads((folder / checkpoint.STATE).read_bytes())
        change((tensors, state))
        shutil.rmtree(folder)
        checkpoint.write(folder, tensors, state)


def put(path: str, value: object) -> Callable[[Saved], Any]:
    """Set a key of state.json."""
    *sections, name = path.split(".")

    def change(saved: Saved) -> None:
        target: Any = saved[1]
        for section in sections:
            target = target[section]
        target[name] = value

    return change


def drop(path: str) -> Callable[[Saved], Any]:
    """Remove a key of state.json."""
    *sections, name = path.split(".")

    def change(saved: Saved) -> None:
        target: Any = saved[1]
        for section in sections:
            target = target[section]
        del target[name]

    return change


def tensor(prefix: str, value: Callable[[Tensor], Tensor] | None) -> Callable[[Saved], Any]:
    """Change or remove the first tensor whose name begins so."""

    def change(saved: Saved) -> None:
        name = next(name for name in saved[0] if name.startswith(prefix))
        if value is None:
            del saved[0][name]
        else:
            saved[0][name] = value(saved[0][name])

    return change


HARM: dict[str, Callable[[Saved], Any]] = {
    "no place": drop("place"),
    "no step": drop("place.step"),
    "a step of words": put("place.step", "seven"),
    "a step below zero": put("place.step", -7),
    "beyond the epoch": put("place.position", 10**6),
    "best as a list": put("place.best", [1]),
    "no learner": drop("learner"),
    "learner of a number": put("learner", 3),
    "no factor": drop("learner.factor"),
    "optimizer of nothing": put("learner.optimizer", {}),
    "optimizer of two": put("learner.optimizer", {"dict": [], "list": []}),
    "optimizer of a list": put("learner.optimizer", {"list": [1]}),
    "optimizer without groups": put("learner.optimizer", {"dict": [["state", {"dict": []}]]}),
    "average of another": put("learner.average", {"dict": [["x", {"tensor": "random.cpu"}]]}),
    "carry of a missing tensor": put("carry", {"tensor": "nowhere"}),
    "carry of a number": put("carry", 3),
    "carry of nothing": put("carry", None),
    "carry of an empty list": put("carry", {"list": []}),
    "carry of an empty dict": put("carry", {"dict": []}),
    "carry of a layer too many": lambda saved: saved[1]["carry"]["list"].append({"list": []}),
    "carry of another shape": tensor("carry", lambda t: torch.zeros(1, 2)),
    "data of a number": put("data", 3),
    "environment of a text": put("environment", "x"),
    "weight of another shape": tensor("model.", lambda t: torch.zeros(2, 2)),
    "weight of another type": tensor("model.", lambda t: t.double()),
    "no weight": tensor("model.", None),
    "no random state": tensor("random.cpu", None),
    "random state of another size": tensor("random.cpu", lambda t: t[:-8]),
    "random state of another type": tensor("random.cpu", lambda t: t.float()),
    "random state of zeros": tensor("random.cpu", torch.zeros_like),
    "random state of ones": tensor("random.cpu", lambda t: torch.full_like(t, 255)),
}


@pytest.mark.parametrize("harm", HARM)
def test_wrong_content_is_named(harm: str, stopped: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    shutil.copytree(stopped / "run", run)
    rewrite(run, "last", HARM[harm])
    with pytest.raises(WorkingsError) as raised:
        resume(str(run))
    message = str(raised.value)
    assert "\n" not in message
    assert any(words in message for words in ("checkpoint", "data has changed"))


@pytest.mark.parametrize("counter", ["best", "loss_sum", "seconds"])
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_counter_that_is_not_finite_is_named(counter: str, value: float) -> None:
    with pytest.raises(WrongJson, match=f"place.{counter}: expected a finite number"):
        TrainingState.from_json(dataclasses.asdict(TrainingState()) | {counter: value})


def test_untouched_it_resumes_bit_for_bit(
    stopped: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(LanguageTask, "baselines", lambda self: {})
    run = tmp_path / "run"
    shutil.copytree(stopped / "run", run)
    rewrite(run, "last", lambda saved: None)
    resume(str(run))
    assert_same(run, outcome(stopped / "whole"))


OPTIMIZER: dict[str, Callable[[Saved], Any]] = {
    "moment of another shape": tensor("optimizer.state.0.exp_avg", lambda t: t[:1, :1]),
    "moment of another type": tensor("optimizer.state.0.exp_avg", lambda t: t.double()),
}


@pytest.mark.parametrize("harm", OPTIMIZER)
def test_a_moment_that_does_not_fit_is_named(harm: str, book: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    train(config(book, "lstm", "adam, plateau", epochs=1), str(run))
    rewrite(run, "last", OPTIMIZER[harm])
    with pytest.raises(WorkingsError, match=r"learner\.optimizer\.state\.0\.exp_avg\w*: is "):
        resume(str(run), settings=["train.epochs=2"])


BEST: dict[str, Callable[[Saved], Any]] = {
    "no metrics": drop("metrics"),
    "metrics of words": put("metrics", {"loss": "low"}),
    "no weight": tensor("", None),
    "weight of another shape": tensor("", lambda t: torch.zeros(2, 2)),
}


@pytest.mark.parametrize("harm", BEST)
def test_wrong_best_weights_are_named(harm: str, stopped: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    shutil.copytree(stopped / "whole", run)
    rewrite(run, "best", BEST[harm])
    warned: list[str] = []
    progress = Progress()
    progress.warn = warned.append  # type: ignore[method-assign]
    with pytest.raises(WorkingsError, match=r"does not fit the model|best weights are damaged"):
        open_run(str(run), progress=progress)
