"""A loss, metrics, a callback and an optimizer of the user's own, named in a config."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from tests.command import command
from tests.tiny import values
from workings.errors import WorkingsError
from workings.run import open_run, resume, train

MINE = """
import json
import torch
from torch.nn import functional as F

def twice(logits, classes):
    return 2 * F.cross_entropy(logits, classes)

def error_rate(logits, classes):
    return (logits.argmax(1) != classes).float().mean()

def letters(written, said):
    return sum(map(len, written)) / sum(map(len, said))

def told(epoch, metrics, model):
    line = json.dumps([epoch, metrics["valid.loss"], len(list(model.parameters()))])
    with open("told.jsonl", "a") as file:
        file.write(line + "\\n")

def sgd(groups, lr):
    return torch.optim.SGD(groups, lr=lr, nesterov=True, momentum=0.5)

def broken(logits, classes):
    raise KeyError("what")

def rows(logits, classes):
    return logits.sum(1)
"""


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a module of the user's own, which no other test has imported."""
    name = f"mine_{abs(hash(str(tmp_path)))}"
    (tmp_path / f"{name}.py").write_text(MINE)
    monkeypatch.chdir(tmp_path)
    return name


def config(task: str, model: str, folder: Path, **training: Any) -> dict[str, Any]:
    made = values(task, model, folder)
    return {**made, "train": made["train"] | training}


@pytest.mark.parametrize(
    ("task", "model"), [("language", "rnn"), ("images", "cnn"), ("graph", "gcn")]
)
def test_twice_the_loss_with_half_the_rate_is_the_same_step(
    task: str, model: str, mine: str, tmp_path: Path
) -> None:
    plain = train(config(task, model, tmp_path, optimizer="sgd", lr=0.02, patience=9), "plain")
    doubled = config(task, model, tmp_path, optimizer="sgd", lr=0.01, loss=f"{mine}:twice")
    run = train({**doubled, "train": doubled["train"] | {"patience": 9}}, "doubled")
    if task == "graph":  # its weight decay is not doubled
        assert run.result is not None
        return
    for ours, other in zip(plain.model.parameters(), run.model.parameters(), strict=True):
        torch.testing.assert_close(ours, other, atol=1e-5, rtol=1e-3)
    assert plain.evaluate()["loss"] == pytest.approx(run.evaluate()["loss"], rel=1e-4)


def test_metrics_callback_and_optimizer(mine: str, tmp_path: Path) -> None:
    own = {"metrics": [f"{mine}:error_rate"], "callback": f"{mine}:told"}
    made = config("images", "cnn", tmp_path, **own, optimizer=f"{mine}:sgd", patience=9)
    run = train(made, "run")
    assert run.result is not None
    figures = run.result["metrics"]
    assert figures["test.error_rate"] == pytest.approx(1 - figures["test.accuracy"])
    lines = [json.loads(line) for line in Path("told.jsonl").read_text().splitlines()]
    assert [line[0] for line in lines] == [1, 2]
    assert lines[-1][2] == len(list(run.model.parameters()))
    assert open_run("run").evaluate()["error_rate"] == figures["test.error_rate"]
    resume("run", settings=["train.epochs=3"])  # with the optimizer's own state
    assert Path("runs/run/source", f"{mine}.py").read_text() == MINE


def test_texts_are_measured_too(mine: str, tmp_path: Path) -> None:
    run = train(config("speech", "attention", tmp_path, metrics=[f"{mine}:letters"]), "run")
    assert run.result is not None
    assert np.isfinite(run.result["metrics"]["test.letters"])


def test_what_a_file_names_is_not_imported(mine: str, tmp_path: Path) -> None:
    for key in ("loss", "callback", "optimizer"):
        Path("own.toml").write_text(f'task = "graph"\n[train]\nepochs = 1\n{key} = "{mine}:told"\n')
        done = command("train", "./own.toml")
        assert done.code == 2
        assert f"own.toml: train.{key}: names the function '{mine}:told'" in done.err
    Path("own.toml").write_text(
        f'task = "graph"\n[train]\nepochs = 1\nmetrics = ["{mine}:error_rate"]\n'
    )
    assert "names the function" in command("train", "./own.toml").err
    assert command("train", "./own.toml", "--trust", "--run", "a").code == 0
    path = Path("runs/a/run.json")
    path.write_text(path.read_text().replace("own_class_signature", "other"))
    with pytest.raises(WorkingsError, match=r"was not made here by you, .*its train\.metrics"):
        open_run("a")


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"optimizer": "adma"}, "no optimizer 'adma' (did you mean adam"),
        ({"loss": "twice"}, "'twice' is no name of a function, module:function"),
        ({"loss": "MINE:none"}, "has no class or function 'none'"),
        ({"loss": "MINE:broken"}, "MINE:broken failed (KeyError: 'what')"),
        ({"loss": "MINE:rows"}, "must give a tensor with one number, the mean loss"),
        ({"optimizer": "MINE:rows"}, "failed|must give|missing|unexpected"),
    ],
)
def test_mistakes_are_one_line(
    settings: dict[str, str], said: str, mine: str, tmp_path: Path
) -> None:
    given = {key: value.replace("MINE", mine) for key, value in settings.items()}
    with pytest.raises(WorkingsError) as raised:
        train(config("graph", "gcn", tmp_path, **given), "run")
    assert any(part.replace("MINE", mine) in str(raised.value) for part in said.split("|"))
    assert "\n" not in str(raised.value)


def test_a_task_that_has_none_refuses_them(mine: str, tmp_path: Path) -> None:
    with pytest.raises(WorkingsError, match=r"train.metrics: the language task takes none"):
        train(config("language", "rnn", tmp_path, metrics=[f"{mine}:error_rate"]), "run")
    made = config("graph", "gcn", tmp_path, loss=f"{mine}:twice")
    made["data"] |= {"predict": "edges"}
    with pytest.raises(WorkingsError, match="for nodes and graphs only"):
        train(made, "run")
