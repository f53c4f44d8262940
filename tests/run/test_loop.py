"""The loop: early stopping, bad numbers, warnings, what a result carries."""

import math
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.run.test_resume import config
from workings.errors import WorkingsError
from workings.run import open_run, resume, train
from workings.run.folder.run_folder import RunFolder
from workings.run.progress import Progress
from workings.tasks.language.task import LanguageTask


class Heard(Progress):
    def __init__(self) -> None:
        self.warnings: list[str] = []
        self.said: list[str] = []

    def warn(self, text: str) -> None:
        self.warnings.append(text)

    def say(self, text: str) -> None:
        self.said.append(text)


@pytest.fixture
def values(book: Path) -> dict[str, Any]:
    return config(book, "rnn", "adam, plateau", checkpoint_seconds=1000)


def valid_perplexities(monkeypatch: pytest.MonkeyPatch, figures: list[float]) -> None:
    """Let the evaluations give these, one after the other."""
    left = iter(figures)

    def evaluate(self: Any, model: Any, split: str, tick: Any) -> dict[str, float]:
        value = next(left) if split == "valid" else 7.0
        return {"loss": 1.0, "perplexity": value}

    monkeypatch.setattr(LanguageTask, "evaluate", evaluate)


@pytest.mark.parametrize(
    ("patience", "figures", "epochs", "best"),
    [
        (0, [5, 6, 4, 3], 2, 1),
        (1, [5, 6, 4, 5, 6, 1], 5, 3),
        (2, [5, 6, 7, 8, 1], 4, 1),
        (2, [5, float("nan"), float("inf"), 8, 1], 4, 1),
        (2, [5, 5, 5, 5, 1], 4, 1),
    ],
)
def test_patience_stops_when_the_epoch_is_more_than_that_past_the_best(
    patience: int,
    figures: list[float],
    epochs: int,
    best: int,
    values: dict[str, Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    valid_perplexities(monkeypatch, [float(figure) for figure in figures])
    values["train"] |= {"patience": patience, "epochs": 10}
    result = train(values, str(tmp_path / "run")).result
    assert result
    assert (result["epochs"], result["best_epoch"]) == (epochs, best)
    assert result["metrics"]["valid.perplexity"] == figures[best - 1]


def test_a_training_figure_beyond_all_numbers_is_kept(
    values: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The perplexity of a loss over 710 is infinite, as an epoch that began badly may have it."""
    monkeypatch.setattr(LanguageTask, "evaluate_training", lambda *_: {"perplexity": math.inf})
    values["train"] |= {"epochs": 1}
    result = train(values, str(tmp_path / "run")).result
    assert result
    assert result["metrics"]["train.perplexity"] == math.inf
    again = resume(str(tmp_path / "run"), settings=["train.epochs=2"]).result
    assert again
    assert again["epochs"] == 2


def test_the_best_weights_are_tested_not_the_last(
    values: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: dict[str, list[torch.Tensor]] = {"valid": [], "test": []}
    figures = iter([5.0, 3.0, 4.0])

    def evaluate(self: Any, model: Any, split: str, tick: Any) -> dict[str, float]:
        seen[split].append(model.output.weight.detach().clone())
        value = next(figures) if split == "valid" else 1.0
        return {"loss": 0.0, "perplexity": value}

    monkeypatch.setattr(LanguageTask, "evaluate", evaluate)
    train(values, str(tmp_path / "run"))
    assert torch.equal(seen["test"][0], seen["valid"][1])
    assert not torch.equal(seen["test"][0], seen["valid"][2])


def test_infinite_loss_names_the_step_and_the_tensor(
    values: dict[str, Any], tmp_path: Path
) -> None:
    values["train"] |= {"optimizer": "sgd", "lr": 1e30, "checkpoint_seconds": 0}
    values["model"] = {"kind": "rnn", "activation": "relu", "embed": 6, "hidden": 6}
    with pytest.raises(WorkingsError, match=r"step \d+: .*(weight|output of|loss)") as raised:
        train(values, str(tmp_path / "run"))
    assert "train.lr" in str(raised.value)
    assert "\n" not in str(raised.value)
    found = RunFolder(tmp_path / "run")
    assert found.state() == "failed"


def test_first_bad_tensor_is_named(values: dict[str, Any], tmp_path: Path) -> None:
    from workings.run.config import resolve
    from workings.run.finite import first_bad

    task = resolve(values).build_task()
    model = task.build().train()
    batch = next(iter(task.batches(0, 0)))
    assert first_bad(model, task, batch, None) == "the loss itself"
    with torch.no_grad():
        model.layers[0].b += 3e38  # type: ignore[index, union-attr]
    model.layers[0].activation = "relu"  # type: ignore[index, union-attr]
    with torch.no_grad():
        model.layers[0].H.fill_(3e38)  # type: ignore[index, union-attr]
    assert first_bad(model, task, batch, None) == "output of 'layers.0'"
    with torch.no_grad():
        model.output.bias[0] = float("nan")  # type: ignore[index, union-attr]
    assert first_bad(model, task, batch, None) == "weight 'output.bias'"


def test_first_loss_far_from_uniform_is_reported(
    values: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard = Heard()
    values["train"]["max_steps"] = 1
    train(values, str(tmp_path / "good"), progress=heard)
    assert not heard.warnings
    real = LanguageTask.build

    def shouting(self: Any) -> Any:
        model = real(self)
        with torch.no_grad():
            model.output.bias[0] = 50.0  # type: ignore[index, union-attr]
        return model

    monkeypatch.setattr(LanguageTask, "build", shouting)
    train(values, str(tmp_path / "bad"), progress=heard)
    assert "first loss" in heard.warnings[0]


def test_a_first_loss_as_standardised_features_give_it_is_not_doubted(
    values: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard = Heard()
    values["train"]["max_steps"] = 1
    loss = math.log(len(train(values, str(tmp_path / "one"), progress=heard).task.vocabulary))
    monkeypatch.setattr(LanguageTask, "first_loss", lambda self: loss - 1.3)
    train(values, str(tmp_path / "two"), progress=heard)
    assert not heard.warnings
    monkeypatch.setattr(LanguageTask, "first_loss", lambda self: loss - 1.7)
    train(values, str(tmp_path / "three"), progress=heard)
    assert "far from" in heard.warnings[0]


def test_result_carries_what_repeats_it(values: dict[str, Any], tmp_path: Path) -> None:
    run = train(values, str(tmp_path / "run"))
    result = run.result
    assert result
    assert result["seed"] == 1
    assert len(result["data"]["sha256"]) == 64
    assert {"torch", "python", "threads", "device", "workings"} <= result["environment"].keys()
    assert result["parameters"] == sum(p.numel() for p in run.model.parameters())
    assert result["baselines"]["unigram"]["test.perplexity"] > 1
    again = train(run.folder.config(), str(tmp_path / "again")).result
    assert again
    assert again["metrics"] == result["metrics"]
    assert run.evaluate("test")["perplexity"] == result["metrics"]["test.perplexity"]
    assert run.evaluate("valid")["perplexity"] == result["metrics"]["valid.perplexity"]


def test_max_steps_ends_the_run(values: dict[str, Any], tmp_path: Path) -> None:
    values["train"]["max_steps"] = 5
    result = train(values, str(tmp_path / "run")).result
    assert result
    assert result["steps"] == 5


def test_it_learns(values: dict[str, Any], tmp_path: Path) -> None:
    values["model"] = {"kind": "lstm", "embed": 16, "hidden": 16}
    values["train"] |= {"epochs": 12, "lr": 0.02, "schedule": "constant", "window": 10}
    result = train(values, str(tmp_path / "run")).result
    assert result
    assert (
        result["metrics"]["test.perplexity"]
        < 0.6 * result["baselines"]["unigram"]["test.perplexity"]
    )


def test_resume_goes_on_longer_when_asked(values: dict[str, Any], tmp_path: Path) -> None:
    path = str(tmp_path / "run")
    values["train"]["patience"] = 9
    train(values, path)
    heard = Heard()
    resume(path, progress=heard)
    assert "finished already" in heard.said[0]
    longer = resume(path, settings=["train.epochs=5"]).result
    assert longer
    assert longer["epochs"] == 5
    assert open_run(path).config.train.epochs == 5
    with pytest.raises(WorkingsError, match="cannot change"):
        resume(path, settings=["model.hidden=9"])


def test_resume_refuses_changed_data(values: dict[str, Any], book: Path, tmp_path: Path) -> None:
    path = str(tmp_path / "run")
    train(values, path)
    book.write_text(book.read_text() + "one more line\n")
    with pytest.raises(WorkingsError, match="data has changed"):
        resume(path, settings=["train.epochs=5"])


def test_resume_elsewhere_says_so(
    values: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from workings.run.machine import environment

    path = str(tmp_path / "run")
    train(values, path)
    real = environment.record
    monkeypatch.setattr(environment, "record", lambda *given: real(*given) | {"torch": "9.9"})
    heard = Heard()
    resume(path, settings=["train.epochs=4"], progress=heard)
    assert "not bit for bit" in heard.warnings[0]
    assert "torch" in heard.warnings[0]


def test_init_from_takes_weights_model_and_vocabulary(
    values: dict[str, Any], book: Path, tmp_path: Path
) -> None:
    first = train(values, str(tmp_path / "first"))
    other = tmp_path / "other.txt"
    other.write_text("the old fox saw a zebra .\n" * 200)
    again = {
        "task": "language",
        "data": {"train": [str(other)]},
        "train": values["train"] | {"max_steps": 1, "lr": 1e-12},
    }
    second = train(again, str(tmp_path / "second"), init_from=str(tmp_path / "first"))
    assert second.task.vocabulary.types == first.task.vocabulary.types  # type: ignore[attr-defined]
    for name, weight in second.model.state_dict().items():
        torch.testing.assert_close(weight, first.model.state_dict()[name])
    wrong = again | {"model": {"hidden": 9}}
    with pytest.raises(WorkingsError, match="does not fit the model"):
        train(wrong, str(tmp_path / "third"), init_from=str(tmp_path / "first"))


@pytest.mark.parametrize(
    "setting", ["train.batch=4", "train.window=5", "train.optimizer=sgd", "train.weight_decay=0.1"]
)
def test_resume_refuses_what_its_state_depends_on(
    setting: str, values: dict[str, Any], tmp_path: Path
) -> None:
    train(values, str(tmp_path / "run"))
    with pytest.raises(WorkingsError, match="cannot change in a run that has begun"):
        resume(str(tmp_path / "run"), settings=[setting])


@pytest.mark.skipif(torch.cuda.is_available(), reason="needs a machine without CUDA")
def test_a_resume_that_fails_changes_nothing(values: dict[str, Any], tmp_path: Path) -> None:
    run = train(values, str(tmp_path / "run"))
    names = ("config.toml", "result.json", "metrics.jsonl")
    before = {name: (run.folder.path / name).read_bytes() for name in names}
    with pytest.raises(WorkingsError, match="no cuda device"):
        resume(str(tmp_path / "run"), settings=["train.device=cuda"])
    assert {name: (run.folder.path / name).read_bytes() for name in names} == before


def test_resume_past_the_patience_says_so(values: dict[str, Any], tmp_path: Path) -> None:
    values["train"] |= {"lr": 0.5, "patience": 0, "epochs": 30}
    epochs = (train(values, str(tmp_path / "run")).result or {})["epochs"]
    heard = Heard()
    resume(str(tmp_path / "run"), settings=["train.epochs=40"], progress=heard)
    assert epochs < 30
    assert any("nothing left to train" in text for text in heard.said)


def test_changed_data_is_not_evaluated_as_the_runs_own(
    values: dict[str, Any], book: Path, tmp_path: Path
) -> None:
    run = train(values, str(tmp_path / "run"))
    book.write_text(book.read_text().replace("fox", "cow"))
    with pytest.raises(WorkingsError, match="data has changed"):
        open_run(str(run.folder.path)).evaluate("test")
    assert open_run(str(run.folder.path)).evaluate(data=[book])["perplexity"] > 1


def test_an_infinite_validation_is_never_best(
    values: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    valid_perplexities(monkeypatch, [float("inf")] * 9)
    with pytest.raises(WorkingsError, match="never a finite number"):
        train(values, str(tmp_path / "run"))
    lines = (tmp_path / "run" / "metrics.jsonl").read_text()
    assert "Infinity" not in lines
    assert not list((tmp_path / "run" / "checkpoint").glob("best-*"))


def test_init_from_refuses_another_reading_or_kind(
    values: dict[str, Any], book: Path, tmp_path: Path
) -> None:
    train(values, str(tmp_path / "first"))
    for section, key, value in (
        ("data", "level", "char"),
        ("data", "vocabulary", 50),
        ("model", "kind", "lstm"),
    ):
        again = {"task": "language", "data": {"train": [str(book)]}}
        again[section] = {**again.get(section, {}), key: value}
        with pytest.raises(WorkingsError, match=rf"^{section}\.{key}: is "):
            train(again, str(tmp_path / "second"), init_from=str(tmp_path / "first"))


def test_a_state_that_holds_one_tensor_twice_is_kept(
    values: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = LanguageTask.loss

    def loss(self: Any, model: Any, batch: Any, carry: Any) -> Any:
        value, units, state = real(self, model, batch, carry[0] if carry else None)
        return value, units, (state, state)

    monkeypatch.setattr(LanguageTask, "loss", loss)
    values["train"]["checkpoint_seconds"] = 0
    assert train(values, str(tmp_path / "run")).result


def test_the_trained_model_is_handed_over_with_its_best_weights(
    values: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built: list[Any] = []
    real = LanguageTask.build
    monkeypatch.setattr(LanguageTask, "build", lambda self: built.append(self) or real(self))
    values["train"] |= {"lr": 0.5, "patience": 3, "epochs": 4, "matmul": "torch"}
    run = train(values, str(tmp_path / "run"))
    assert len(built) == 1, "it is not built again"
    assert not run.model.training
    opened = open_run(str(tmp_path / "run"))
    for name, weight in opened.model.state_dict().items():
        assert torch.equal(run.model.state_dict()[name], weight), name
    assert run.evaluate("test") == opened.evaluate("test")
    assert run.generate("the", length=9) == opened.generate("the", length=9)


def test_keys_of_a_newer_version_are_named_and_kept(values: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "run"
    train(values, str(path))
    config = path / "config.toml"
    written = config.read_text().replace("[train]", '[train]\nmuon = 0.95\nnames = ["a", "b"]')
    config.write_text("later = 3\n" + written + "\n[future]\ndepth = 2\n")
    (path / "manifest.json").unlink()  # as that version wrote it, no edit
    heard = Heard()
    opened = open_run(str(path), progress=heard)
    assert len(heard.warnings) == 1
    assert "future, later, train.muon, train.names" in heard.warnings[0]
    assert opened.evaluate("test")["loss"] > 0
    assert opened.config.flat()["train.muon"] == 0.95
    resume(str(path), settings=["train.epochs=4"], progress=heard)
    again = RunFolder(path).config()
    assert again.train.epochs == 4
    kept = {"later": 3, "future": {"depth": 2}, "train": {"muon": 0.95, "names": ["a", "b"]}}
    assert again.unknown == kept
    with pytest.raises(WorkingsError, match=r"train\.muon: unknown key"):
        train(values | {"train": {"muon": 0.95}}, str(tmp_path / "mine"))


def test_a_missing_key_of_a_run_gets_its_default(values: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "run"
    train(values, str(path))
    (path / "manifest.json").unlink()  # as an older version wrote it, no edit
    lines = (path / "config.toml").read_text().splitlines()
    gone = ("lr_end", "wait", "eval_window", "min_count")
    (path / "config.toml").write_text(
        "\n".join(line for line in lines if line.partition(" =")[0] not in gone)
    )
    heard = Heard()
    opened = open_run(str(path), progress=heard)
    assert not heard.warnings
    assert opened.config.flat()["train.eval_window"] == 512
    state = next((path / "checkpoint").glob("last-*")) / "state.json"
    assert '"place"' in state.read_text(), "the key that every released version reads"
