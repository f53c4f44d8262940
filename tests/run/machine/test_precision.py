"""`train.precision`: what auto chooses and why, that it is written down, and what it changes."""

import tomllib
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.tiny import language_values as values
from workings.errors import WorkingsError
from workings.run import config as configs
from workings.run import resume, train
from workings.run.machine import precision, step_times
from workings.run.machine.autocast import products
from workings.tasks.language.task import LanguageTask

CPU = torch.device("cpu")


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LanguageTask, "baselines", lambda self: {})
    monkeypatch.setattr(step_times, "LOOK", 0.0)


def choice(book: Path, monkeypatch: pytest.MonkeyPatch, ratio: float) -> tuple[str, str]:
    monkeypatch.setattr(precision, "has_bfloat16", lambda device: True)
    monkeypatch.setattr(precision, "_ratio", lambda *_: ratio)
    config = configs.resolve(values(book, precision="auto"))
    return precision.choose(config, config.build_task())


@pytest.mark.parametrize(("ratio", "chosen"), [(1.19, "float32"), (1.21, "bfloat16")])
def test_bfloat16_must_be_a_fifth_faster(
    ratio: float, chosen: str, book: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert choice(book, monkeypatch, ratio)[0] == chosen


@pytest.mark.parametrize("apart", [0.02, float("nan")])
def test_losses_that_differ_keep_float32(
    apart: float, book: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = precision._first_loss

    def loss(name: precision.Precision, *args: Any) -> float:
        return real(name, *args) * (1 if name == "float32" else 1 + apart)

    monkeypatch.setattr(precision, "_first_loss", loss)
    chosen, why = choice(book, monkeypatch, 9.0)
    assert chosen == "float32"
    assert "the first losses differ by" in why


@pytest.fixture
def without_bfloat16(monkeypatch: pytest.MonkeyPatch) -> None:
    """A layer as of a oneDNN that is held to AVX2."""

    def loss(self: LanguageTask, *args: Any) -> Any:
        if torch.is_autocast_enabled("cpu"):
            raise RuntimeError("could not create a primitive\nRun it with …")
        return real(self, *args)

    real = LanguageTask.loss
    monkeypatch.setattr(LanguageTask, "loss", loss)


def test_a_layer_without_bfloat16_keeps_float32(
    book: Path, monkeypatch: pytest.MonkeyPatch, without_bfloat16: None
) -> None:
    why = "bfloat16 fails here: could not create a primitive"
    assert choice(book, monkeypatch, 9.0) == ("float32", why)


def test_bfloat16_by_name_where_a_layer_has_none_is_one_line(
    book: Path, tmp_path: Path, without_bfloat16: None
) -> None:
    with pytest.raises(WorkingsError) as error:
        train(values(book, precision="bfloat16"), str(tmp_path / "half"))
    assert str(error.value) == (
        "train.precision: bfloat16 fails on this machine; set train.precision=auto or float32 "
        "(could not create a primitive)"
    )
    assert not (tmp_path / "half").exists()


def test_without_the_instructions_nothing_is_tried(
    book: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(precision, "has_bfloat16", lambda device: False)
    monkeypatch.setattr(precision, "_ratio", None)
    config = configs.resolve(values(book, precision="auto"))
    chosen, why = precision.choose(config, config.build_task())
    assert (chosen, why) == ("float32", "this machine has no instructions for bfloat16")


def test_a_graph_is_float32() -> None:
    config = configs.resolve({"task": "graph", "train": {"precision": "auto"}})
    assert precision.choose(config, config.build_task())[0] == "float32"
    with pytest.raises(configs.WorkingsError, match=r"train\.precision"):
        configs.resolve({"task": "graph", "train": {"precision": "bfloat16"}})


def test_the_measurement_is_of_both_and_changes_no_weights(book: Path, tmp_path: Path) -> None:
    """Measured for real: the run that follows is the one that asks for the choice by name."""
    config = configs.resolve(values(book))
    task = config.build_task()
    torch.manual_seed(0)
    batches = list(task.batches(0, 0))[:2]
    assert 0.01 < precision._ratio(config, task, task.build(), batches, CPU) < 100
    auto = train(values(book, precision="auto"), str(tmp_path / "auto"))
    written = tomllib.loads((tmp_path / "auto" / "config.toml").read_text())
    chosen = written["train"]["precision"]
    assert chosen in precision.PRECISIONS
    named = train(values(book, precision=chosen), str(tmp_path / "named"))
    for one, other in zip(auto.model.parameters(), named.model.parameters(), strict=True):
        assert torch.equal(one, other)


def test_bfloat16_is_another_training_and_evaluates_in_float32(book: Path, tmp_path: Path) -> None:
    runs = {
        name: train(values(book, precision=name), str(tmp_path / name))
        for name in precision.PRECISIONS
    }
    single, half = (run.result["metrics"]["test.loss"] for run in runs.values())
    assert single != half
    assert half == pytest.approx(single, rel=0.01)
    model = runs["bfloat16"].model
    assert all(weight.dtype == torch.float32 for weight in model.parameters())
    evaluated = runs["bfloat16"].task.evaluate(model, "test", lambda done: None)
    with products("bfloat16", CPU):
        rounded = runs["bfloat16"].task.evaluate(model, "test", lambda done: None)
    assert evaluated["loss"] == half != rounded["loss"]


def test_a_run_from_before_it_could_be_chosen_is_the_same_run(book: Path) -> None:
    config = configs.resolve(values(book))
    dumped = config.model_dump(mode="json")
    assert dumped["train"].pop("precision") == "float32"
    assert configs.resolve(dumped).fixed() == config.fixed()
    assert configs.resolve(values(book, precision="bfloat16")).fixed() != config.fixed()


def test_a_run_that_has_begun_keeps_its_precision(book: Path, tmp_path: Path) -> None:
    train(values(book, precision="bfloat16"), str(tmp_path / "run"))
    with pytest.raises(configs.WorkingsError, match="cannot change in a run that has begun"):
        resume(str(tmp_path / "run"), settings=["train.precision=float32"])
