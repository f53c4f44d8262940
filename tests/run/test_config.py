"""Configs: resolved through their task, overridden, written and read again; errors in one line."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from tests.tasks.summary import sources as sources_of_functions
from workings.data import sources
from workings.errors import WorkingsError
from workings.run import config as configs
from workings.run import train
from workings.tasks import TASKS
from workings.tasks.language.task import LanguageTask
from workings.tasks.task import Task

PUBLISHED = {  # batch, embed, hidden, patience, keep, lr: the twelve rows of the source's table
    1: (64, 50, 100, 2, 0.9, 0.001),
    2: (128, 50, 100, 2, 0.9, 0.001),
    3: (128, 50, 200, 2, 0.9, 0.001),
    4: (128, 50, 100, 5, 0.9, 0.001),
    5: (128, 50, 100, 2, 0.2, 0.001),
    6: (128, 50, 100, 2, 0.6, 0.001),
    7: (128, 50, 100, 2, 0.9, 0.01),
    8: (64, 1000, 100, 5, 0.9, 0.001),
    9: (128, 1000, 100, 2, 0.9, 0.01),
    10: (128, 1000, 100, 2, 0.9, 0.001),
    11: (128, 1000, 200, 2, 0.9, 0.001),
    12: (256, 1000, 200, 2, 0.9, 0.001),
}


@pytest.mark.parametrize("row", PUBLISHED)
def test_shipped_rows_are_the_published_ones(row: int) -> None:
    flat = configs.resolve(configs.load(f"ptb-rnn-{row}")).flat()
    batch, embed, hidden, patience, keep, lr = PUBLISHED[row]
    assert flat["train.batch"] == batch
    assert (flat["model.embed"], flat["model.hidden"]) == (embed, hidden)
    assert (flat["train.patience"], flat["train.lr"]) == (patience, lr)
    # The table's dropout is the probability of keeping; ours that of dropping.
    for key in ("model.dropout_input", "model.dropout_output"):
        assert flat[key] == pytest.approx(1 - keep)
    assert flat["train.window"] == 10
    assert flat["train.clip"] == 0
    assert flat["model.activation"] == "sigmoid"


TASK_OF = {name: configs.load(name)["task"] for name in configs.shipped()}


@pytest.mark.parametrize("name", [name for name, task in TASK_OF.items() if task != "language"])
def test_other_shipped_configs_train_two_steps(name: str, tmp_path: Path) -> None:
    """On their own data where it is here; what is never here, or large, has a stand-in."""
    values = configs.load(name)
    if TASK_OF[name] == "images" and name != "fashion-stride":
        others = {k: v for k, v in values["data"].items() if k not in ("name", "subset")}
        values["data"] = {**others, "train": [str(retina(tmp_path))]}
    if TASK_OF[name] == "summary":
        others = {k: v for k, v in values["data"].items() if k != "name"}
        values["data"] = {**others, "path": str(sources_of_functions.folder(tmp_path / "code"))}
    if values["data"].get("name") == "ljspeech":
        values["data"] = {**values["data"], "name": "ljspeech-mini"}
    named = values["data"].get("name")
    if named and sources.source(named).folder and sources.find(named) is None:
        pytest.skip(f"data set {named} is absent")
    settings = ["train.max_steps=2", "train.epochs=2", "train.device=cpu", "train.threads=1"]
    if TASK_OF[name] == "speech":
        settings += ["data.clips=40", "train.batch=4"]
    run = train(configs.override(values, settings), str(tmp_path / "run"))
    assert run.result
    assert run.result["steps"] == 2
    metrics = {key.partition(".")[2] for key in run.result["metrics"]}
    assert metrics <= set(run.task.METRICS)
    assert math.isfinite(run.result["metrics"][f"test.{run.task.best}"])


def retina(folder: Path) -> Path:
    """Images in MedMNIST's form."""
    arrays: dict[str, Any] = {}
    draw = np.random.default_rng(0)
    for split, count in (("train", 24), ("val", 8), ("test", 8)):
        arrays[f"{split}_images"] = draw.integers(0, 256, (count, 28, 28), dtype=np.uint8)
        arrays[f"{split}_labels"] = (np.arange(count) % 4)[:, None].astype(np.uint8)
    np.savez(folder / "retina.npz", **arrays)
    return folder / "retina.npz"


@pytest.mark.parametrize("name", [name for name, task in TASK_OF.items() if task == "language"])
def test_shipped_config_trains_two_steps(
    name: str, book: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every shipped config, whole but for its sizes and its data."""
    monkeypatch.setattr(LanguageTask, "baselines", lambda self: {})
    values = configs.load(name)
    level = configs.resolve(values).flat()["data.level"]
    values["data"] = {"train": [str(book)], "level": level, "min_count": 1}
    attention = values["model"]["kind"] == "attention"
    sizes = ["model.width=12", "model.context=5"] if attention else ["model.embed=6"]
    sizes += [] if attention else ["model.hidden=6"]
    settings = ["train.max_steps=2", "train.batch=2", "train.window=5", "train.device=cpu", *sizes]
    run = train(configs.override(values, settings), str(tmp_path / "run"))
    assert run.result
    assert run.result["steps"] == 2
    assert run.result["metrics"]["test.perplexity"] > 1


def test_written_and_read_again_is_the_same(tmp_path: Path) -> None:
    for name in configs.shipped():
        config = configs.resolve(configs.load(name))
        path = tmp_path / f"{name}.toml"
        path.write_bytes(config.to_toml())
        assert configs.resolve(configs.load(str(path))) == config


def test_override_parses_values_as_toml() -> None:
    values = configs.override(
        {"task": "language"},
        ["model.hidden=300", "train.lr=1e-2", "model.tied=true", "data.name=ptb", "seed=7"],
    )
    assert values["model"] == {"hidden": 300, "tied": True}
    assert values["train"] == {"lr": 0.01}
    assert values["data"] == {"name": "ptb"}
    assert values["seed"] == 7


def test_own_class_takes_args() -> None:
    values = configs.override({"task": "language"}, ["model.kind=mine:Net", "model.args.width=3"])
    assert configs.resolve(values).model.model_dump() == {"kind": "mine:Net", "args": {"width": 3}}


BAD: list[tuple[dict[str, Any], str]] = [
    ({}, "task: is required"),
    ({"task": "langauge"}, "did you mean language"),
    ({"task": "language", "modle": {}}, "modle: unknown key (did you mean model?)"),
    ({"task": "language", "epochs": 3}, "epochs: unknown key (did you mean train.epochs?)"),
    ({"task": "graph", "data": {"path": "(" * 300}}, "data: '((((((((((((((((((((((((((((((("),
    ({"task": "graph", "hidden": 3}, "hidden: unknown key (did you mean model.hidden?)"),
    (
        {"task": "language", "model": {"hiden": 3}},
        "model.hiden: unknown key (did you mean model.hid",
    ),
    ({"task": "language", "model": {"hidden": 0}}, "model.hidden: input should be greater than or"),
    ({"task": "language", "model": {"kind": "lstn"}}, "did you mean lstm"),
    ({"task": "language", "model": 3}, "model: must be a section"),
    ({"task": "language", "train": {"lr": "fast"}}, "train.lr"),
    ({"task": "language", "train": {"lr": float("nan")}}, "train.lr"),
    ({"task": "language", "train": {"lr": 0}}, "train.lr"),
    ({"task": "language", "train": {"batch": 0}}, "train.batch"),
    ({"task": "language", "train": {"optimizer": "adma"}}, "train.optimizer"),
    ({"task": "language", "model": {"dropout_input": 1.0}}, "model.dropout_input"),
    ({"task": "language", "data": {"name": "ptbb"}}, "did you mean ptb"),
    ({"task": "language", "data": {"vocabulary": 0}}, "data.vocabulary"),
    ({"task": "language", "seed": "x"}, "seed"),
    ({"task": "language", "model": {"tied": True, "embed": 3, "hidden": 4}}, "embed = hidden"),
]


@pytest.mark.parametrize(("values", "message"), BAD, ids=[message[:30] for _, message in BAD])
def test_bad_config_is_one_line_that_names_the_key(values: dict[str, Any], message: str) -> None:
    with pytest.raises(WorkingsError) as raised:
        configs.resolve(values)
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("setting", ["model.hidden", "=3", "task.name=3"])
def test_bad_setting(setting: str) -> None:
    with pytest.raises(WorkingsError, match="--set"):
        configs.override({"task": "language"}, [setting])


def test_bad_files(tmp_path: Path) -> None:
    with pytest.raises(WorkingsError, match="no such config"):
        configs.load(str(tmp_path / "none.toml"))
    (tmp_path / "bad.toml").write_text("task = = 3")
    with pytest.raises(WorkingsError, match="not TOML"):
        configs.load(str(tmp_path / "bad.toml"))
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(WorkingsError, match="not TOML"):
        configs.load(str(tmp_path / "bytes.toml"))
    with pytest.raises(WorkingsError, match="did you mean ptb-rnn-12"):
        configs.load("ptb-rnn12")


@pytest.mark.parametrize("task", TASKS.values(), ids=list(TASKS))
def test_every_field_is_described(task: type[Task]) -> None:
    for section in (task.Data, task.Train, *task.MODELS.values()):
        for key, field in section.model_fields.items():
            assert field.description or key == "kind", f"{section.__name__}.{key}"


def test_seed_changes_the_weights_and_nothing_else_does(book: Path) -> None:
    def weight(seed: int) -> torch.Tensor:
        values = {"task": "language", "seed": seed, "data": {"train": [str(book)]}}
        config = configs.resolve(values)
        torch.manual_seed(config.seed)
        return next(config.build_task().build().parameters()).detach()

    assert torch.equal(weight(1), weight(1))
    assert not torch.equal(weight(1), weight(2))


@pytest.mark.parametrize(
    ("task", "section", "key", "value"),
    [
        ("language", "train", "lr", 1e39),
        ("speech", "data", "max_tokens", 2**31),
        ("speech", "model", "stride", 10**20),
        ("images", "data", "resize", 2**31 - 1),
    ],
)
def test_an_absurd_value_is_refused_by_its_key(
    task: str, section: str, key: str, value: float
) -> None:
    words = "a number of more than 64 bits" if value == 10**20 else "input should be less than"
    with pytest.raises(WorkingsError, match=f"{section}.{key}: {words}"):
        configs.resolve({"task": task, section: {key: value}})
