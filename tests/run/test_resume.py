"""A run killed at any moment and resumed ends with the very same weights, bit for bit."""

import itertools
import os
from pathlib import Path
from typing import Any

import pytest

from tests.run.faults import (
    Fault,
    Killed,
    assert_resumes,
    assert_same,
    kill_and_resume,
    outcome,
    uninterrupted,
)
from workings.run import resume, train
from workings.tasks.language.task import LanguageTask

SIZES = {"embed": 6, "hidden": 6, "dropout_input": 0.2, "dropout_output": 0.2}
DROPPED = {"dropout_between": 0.3, "dropout_types": 0.1, "dropout_recurrent": 0.2}
BLOCKS = {"kind": "attention", "width": 6, "heads": 2, "layers": 1, "context": 20, "dropout": 0.2}
KINDS = {
    "rnn": {**SIZES, "kind": "rnn", "activation": "sigmoid"},
    "lstm": {**SIZES, "kind": "lstm", "layers": 2, "tied": True, **DROPPED},
    "gru": {**SIZES, "kind": "gru", "dropout_locked": True},
    "attention": BLOCKS,
    "taylor": {**BLOCKS, "attention": "taylor"},
}
RECIPES = {
    "adam, plateau": {"schedule": "plateau", "lr": 0.05},
    "sgd, cosine, clipped": {
        "optimizer": "sgd",
        "momentum": 0.9,
        "schedule": "cosine",
        "clip": 0.1,
    },
    "asgd": {"optimizer": "asgd", "lr": 60.0, "clip": 1.0, "warmup": 2},
    "adamw, stops early": {"optimizer": "adamw", "lr": 0.5, "patience": 0, "weight_decay": 0.1},
}


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LanguageTask, "baselines", lambda self: {})


def config(book: Path, kind: str, recipe: str, **train_: Any) -> dict[str, Any]:
    return {
        "task": "language",
        "data": {"train": [str(book)], "valid_share": 0.1, "test_share": 0.1},
        "model": KINDS[kind],
        "train": {
            "batch": 8,
            "window": 40,
            "epochs": 3,
            "checkpoint_seconds": 0,
            "device": "cpu",
            **RECIPES[recipe],
            **train_,
        },
    }


@pytest.mark.parametrize(("mode", "step"), [("before", 5), ("middle", 1), ("after", 3)])
def test_killed_at_every_write(mode: str, step: int, book: Path, tmp_path: Path) -> None:
    """A checkpoint a step: so this is every step, both sides of every epoch's end, every file.

    Every write in its middle; of the two sides, which are whole files, some here and all of them
    in `make soak`.
    """
    values = config(book, "lstm", "adam, plateau", epochs=2, window=60)
    step = 1 if os.environ.get("WORKINGS_SOAK") else step
    assert assert_resumes(values, tmp_path, itertools.count(0, step), [mode]) > 40


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "lstm"])
def test_every_kind_resumes(kind: str, book: Path, tmp_path: Path) -> None:
    """What is written and when is the same for all; what a state holds is not."""
    values = config(book, kind, "adam, plateau", epochs=2, window=60)
    assert assert_resumes(values, tmp_path, itertools.count(0, 7)) > 40


@pytest.mark.parametrize("recipe", RECIPES)
def test_every_recipe_resumes(recipe: str, book: Path, tmp_path: Path) -> None:
    """Momentum, schedules, averages and early stopping are part of the checkpoint."""
    values = config(book, "lstm", recipe, epochs=5)
    assert assert_resumes(values, tmp_path, range(3, 400, 29), ["after"]) > 100


@pytest.mark.parametrize("kind", ["lstm", "taylor"])
def test_bfloat16_resumes(kind: str, book: Path, tmp_path: Path) -> None:
    """Products of few bits are the same ones again, and the carried state is kept as it was."""
    values = config(book, kind, "adam, plateau", precision="bfloat16")
    expected = uninterrupted(values, tmp_path)
    for at in (31, 74):
        path = tmp_path / f"at-{at}"
        assert kill_and_resume(values, path, at, "middle")
        assert_same(path, expected)


def test_killed_twice(book: Path, tmp_path: Path) -> None:
    values = config(book, "gru", "adam, plateau")
    expected = uninterrupted(values, tmp_path)
    path = tmp_path / "twice"
    for at, go in ((50, lambda: train(values, str(path))), (40, lambda: resume(str(path)))):
        with pytest.MonkeyPatch.context() as patch:
            Fault(patch, at, "middle")
            with pytest.raises(Killed):
                go()
    resume(str(path))
    assert_same(path, expected)


def test_recipes_do_what_they_say(book: Path, tmp_path: Path) -> None:
    """So that the tests above resume something: an average begins, an early stop happens."""
    train(config(book, "lstm", "asgd", epochs=5), str(tmp_path / "asgd"))
    assert any(name.startswith("average.") for name in outcome(tmp_path / "asgd")[0])
    train(config(book, "lstm", "adamw, stops early", epochs=30), str(tmp_path / "early"))
    state = outcome(tmp_path / "early")[2]["place"]
    assert state["epoch"] == state["best_epoch"] + 1 < 30
