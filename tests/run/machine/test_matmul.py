"""`train.matmul`: what auto chooses and why, that it is written down, and what it changes."""

import tomllib
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.tiny import language_values
from workings.nn.matmul import is_float32
from workings.run import config as configs
from workings.run import resume, train
from workings.run.machine import environment, matmul, measured, step_times
from workings.run.progress import Logged
from workings.tasks.language.task import LanguageTask


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LanguageTask, "baselines", lambda self: {})
    monkeypatch.setattr(step_times, "LOOK", 0.0)
    monkeypatch.setattr(matmul, "LOOK", 0.0)


def values(book: Path, hidden: int = 256, **train_: Any) -> dict[str, Any]:
    """A network whose matrices are large enough to be measured."""
    config = language_values(book, **train_)
    return config | {"model": config["model"] | {"hidden": hidden}}


def choose(book: Path, hidden: int = 256) -> tuple[str, str]:
    config = configs.resolve(values(book, hidden))
    return matmul.choose(config, config.build_task())


@pytest.mark.parametrize(("own", "chosen"), [(2.39, "torch"), (2.41, "onednn")])
def test_a_step_must_be_a_fifth_faster(
    own: float, chosen: str, book: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(matmul, "_ratio_of_products", lambda threads: 2.0)
    monkeypatch.setattr(matmul, "shortest_steps", lambda *_: [own, 2.0])
    assert choose(book)[0] == chosen


def test_steps_are_not_measured_where_they_cannot_gain(
    book: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(matmul, "shortest_steps", None)
    monkeypatch.setattr(matmul, "_ratio_of_products", lambda threads: 1.19)
    assert choose(book) == ("torch", "it makes products 1.19 times as fast, less than 1.2")
    monkeypatch.setattr(matmul, "_ratio_of_products", lambda threads: 2.0)
    assert choose(book, hidden=255) == ("torch", "the model's matrices are small")


def test_what_cannot_take_a_step_is_left_to_the_run(
    book: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def build(self: LanguageTask) -> None:
        raise RuntimeError("no such layer")

    monkeypatch.setattr(matmul, "_ratio_of_products", lambda threads: 2.0)
    monkeypatch.setattr(LanguageTask, "build", build)
    assert choose(book) == ("torch", "")


def test_where_onednn_would_round_torch_is_taken(
    book: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(matmul, "is_float32", lambda: False)
    monkeypatch.setattr(matmul, "choose", None)
    config = configs.resolve(values(book))
    assert matmul.settled(config, config.build_task()).train.matmul == "torch"


def test_the_choice_is_said_and_measured_for_real(
    book: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = configs.resolve(values(book))
    task = config.build_task()
    assert 0.1 < matmul._ratio_of_products(1) < 10
    assert measured.settled(config, task).train.matmul in matmul.LIBRARIES
    if is_float32():
        monkeypatch.setattr(matmul, "choose", lambda *_: ("onednn", "a step is 9 times as fast"))
        caplog.set_level("INFO")
        assert matmul.settled(config, task, Logged()).train.matmul == "onednn"
        assert "chosen oneDNN for matrix products in float32: a step is 9" in caplog.text


def test_a_run_by_onednn_is_float32_and_resumes_bit_for_bit(book: Path, tmp_path: Path) -> None:
    runs = {
        name: train(values(book, matmul=name, epochs=2, threads=1), str(tmp_path / name))
        for name in matmul.LIBRARIES
    }
    own, other = (run.result["metrics"]["test.loss"] for run in runs.values())
    assert other == pytest.approx(own, rel=1e-4)
    part = values(book, matmul="onednn", epochs=1, threads=1)
    train(part, str(tmp_path / "part"))
    resumed = resume(str(tmp_path / "part"), settings=["train.epochs=2"])
    for weight, same in zip(
        runs["onednn"].model.parameters(), resumed.model.parameters(), strict=True
    ):
        assert torch.equal(weight, same)


def test_auto_is_written_as_what_was_chosen(book: Path, tmp_path: Path) -> None:
    train(values(book), str(tmp_path / "auto"))
    written = tomllib.loads((tmp_path / "auto" / "config.toml").read_text())
    assert written["train"]["matmul"] in matmul.LIBRARIES


def test_a_run_works_with_its_choice_and_leaves_the_process_alone(book: Path) -> None:
    setting = torch.backends.mkldnn.matmul
    before = setting.fp32_precision
    config = configs.resolve(values(book, matmul="onednn"))
    with environment.prepared(config.train):
        assert (setting.fp32_precision == "bf16") == is_float32()
    assert setting.fp32_precision == before
