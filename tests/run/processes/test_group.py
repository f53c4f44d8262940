"""Several processes make the same steps as one."""

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from tests.run.processes.forked import forked, trained
from tests.run.test_resume import config
from tests.tasks.graph.whole.molecules import lines_file
from tests.tasks.graph.whole.test_whole_task import values as graph_values
from tests.tasks.images.image_sets import drawn, table
from tests.tasks.images.test_task import values as image_values
from tests.tasks.speech.speech_sets import lj_speech, words
from tests.tasks.speech.test_task import values as speech_values
from tests.tasks.summary.sources import folder as sources
from tests.tasks.summary.test_task import values as summary_values
from workings.errors import WorkingsError
from workings.run.folder import step_log
from workings.run.folder.checkpoint import Checkpoints
from workings.run.processes import Group, shared_memory
from workings.run.processes import group as group_file
from workings.run.training import train

PLAIN = {
    "optimizer": "sgd",
    "momentum": 0.9,
    "lr": 0.1,
    "clip": 1.0,
    "epochs": 2,
    "checkpoint_seconds": 99,
}


def language(book: Path, kind: str = "lstm") -> dict[str, Any]:
    values = config(book, kind, "adam, plateau", **PLAIN, schedule="constant", batch=7)
    still = {key: 0.0 for key in values["model"] if key.startswith("dropout")}
    return values | {"model": values["model"] | still}


def of_task(task: str, tmp_path: Path, book: Path) -> dict[str, Any]:
    """A run without anything random in its steps; its last batch has a single row, if it can."""
    if task == "images":
        pictures = table(tmp_path / "some.csv", *drawn(60, 3))
        model = {"channels": [4], "dense": [8], "dropout": 0.0}
        return image_values(pictures, **PLAIN | {"batch": 5, "epochs": 1}) | {"model": model}
    if task == "speech":
        folder = lj_speech(tmp_path / "set", words(48))
        recipe = {**PLAIN, "batch": 3, "label_smoothing": 0.1, "max_steps": 14}
        return speech_values(folder, model={"dropout": 0.0}, train=recipe)
    if task == "summary":
        recipe = {**PLAIN, "batch": 5, "max_steps": 10}
        return summary_values(sources(tmp_path / "code"), model={"dropout": 0.0}, train=recipe)
    if task == "graphs":
        values = graph_values(lines_file(tmp_path / "set.jsonl"), "gcn", **PLAIN | {"batch": 7})
        return values | {"model": values["model"] | {"dropout": 0.0}}
    return language(book, task)


def curve(path: Path) -> list[float]:
    return [float(line["loss"] or 0) for line in step_log.read(path)]


@pytest.mark.parametrize("task", ["lstm", "attention", "images", "speech", "summary", "graphs"])
def test_the_same_curve_as_one_process(task: str, tmp_path: Path, book: Path) -> None:
    values = of_task(task, tmp_path, book)
    for count in (1, 3):
        trained(values, tmp_path / str(count), count)
    expected = curve(tmp_path / "1")
    assert len(expected) > 3
    assert curve(tmp_path / "3") == pytest.approx(expected, rel=1e-4)
    alone, together = (stored(tmp_path / name) for name in ("1", "3"))
    for name, weight in alone.items():
        if name.startswith("model."):
            torch.testing.assert_close(together[name], weight, rtol=1e-3, atol=1e-4)


def stored(path: Path) -> dict[str, torch.Tensor]:
    """The tensors of the last checkpoint."""
    return (Checkpoints(path / "checkpoint", lambda text: None).load_last() or ({}, {}))[0]


@pytest.mark.parametrize("kind", ["lstm", "attention"])
def test_stopped_and_resumed_is_the_same_bit_for_bit(kind: str, tmp_path: Path, book: Path) -> None:
    """With dropout, which every process draws for itself; stopped by a signal to the last one."""
    values = config(book, kind, "asgd", epochs=2, batch=5, checkpoint_seconds=99)
    trained(values, tmp_path / "whole", 2)
    for stop_after in (1, 4):
        path = tmp_path / f"stopped-{stop_after}"
        trained(values, path, 2, stop_after)
        assert trained(values, path, 2) == []
        expected = stored(tmp_path / "whole")
        resumed = stored(path)
        assert resumed.keys() == expected.keys()
        assert "process.1.random.cpu" in resumed
        for name, tensor in expected.items():
            assert torch.equal(resumed[name], tensor), name


@pytest.mark.parametrize(("before", "after"), [(1, 2), (3, 2), (2, 1)])
def test_another_number_of_processes_is_said(
    before: int, after: int, tmp_path: Path, book: Path
) -> None:
    values, path = language(book), tmp_path / "run"
    trained(values, path, before, stop_after=2)
    (warning,) = trained(values, path, after)
    assert f"processes {before} → {after}" in warning
    assert "hidden state" in warning
    trained(values, tmp_path / "whole", after)
    assert curve(path)[-1] == pytest.approx(curve(tmp_path / "whole")[-1], rel=0.05)


@pytest.mark.parametrize("one_machine", [False, True])
def test_a_weight_without_gradient_anywhere_keeps_none(one_machine: bool) -> None:
    """And one that only some processes use has the gradient of those."""

    def work(rank: int) -> list[Any]:
        weights = [nn.Parameter(torch.ones(2)) for _ in range(3)]
        weights[0].grad = torch.tensor([1.0, 2.0]) * (rank + 1)
        if rank == 1:
            weights[1].grad = torch.tensor([4.0, 8.0])
        group = Group(one_machine=one_machine)
        group.sum_gradients(weights, share=(0.25, 0.75)[rank])
        assert (group.shared is not None) == one_machine
        return [None if weight.grad is None else weight.grad.tolist() for weight in weights]

    assert forked(2, work) == [[[1.75, 3.5], [3.0, 6.0], None]] * 2


def test_sums_in_shared_memory_are_those_of_messages() -> None:
    """Step after step, for three processes; where one cannot open the memory, none uses it."""

    def work(rank: int) -> list[Any]:
        group = Group(one_machine=True)
        sums = []
        for step in range(3):
            weight = nn.Parameter(torch.zeros(5))
            weight.grad = torch.arange(5.0) * (rank + 1) + step
            group.sum_gradients([weight], share=1.0)
            sums.append(weight.grad.tolist())
        return sums

    expected = [[6.0 * i + 3 * step for i in range(5)] for step in range(3)]
    assert forked(3, work) == [expected] * 3


@pytest.mark.parametrize("where", ["nowhere", "in one process"])
def test_without_shared_memory_messages_serve(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def work(rank: int) -> list[Any]:
        if where == "nowhere":
            monkeypatch.setattr(shared_memory, "reserved", lambda size: "")
        elif rank == 1:
            monkeypatch.setattr(group_file, "SharedSum", refused)
        group = Group(one_machine=True)
        sums = []
        for _ in range(2):
            weight = nn.Parameter(torch.zeros(2))
            weight.grad = torch.tensor([1.0, 2.0]) * (rank + 1)
            group.sum_gradients([weight], share=1.0)
            sums.append(weight.grad.tolist())
        return [*sums, group.shared is None]

    def refused(*_: object) -> None:
        raise RuntimeError("unable to open file")

    assert forked(2, work) == [[[3.0, 6.0], [3.0, 6.0], True]] * 2


def test_losses_weigh_by_their_terms() -> None:
    def work(rank: int) -> list[Any]:
        group = Group()
        first = group.combine((2.0, 5.0)[rank], terms=(3, 1)[rank], units=(6, 2)[rank])
        idle = group.combine((2.0, 9.0)[rank], terms=(3, 0)[rank], units=(6, 0)[rank])
        return [first, idle, group.agree(rank, 7 - rank)]

    assert forked(2, work) == [
        [(2.75, 8, 0.75), (2.0, 6, 1.0), [1, 7]],
        [(2.75, 8, 0.25), (2.0, 6, 0.0), [1, 7]],
    ]


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"task": "graph", "data": {"name": "karate"}}, "trained whole, by one process"),
        ({"task": "language", "train": {"batch": 2}}, "train.batch = 2"),
    ],
)
def test_what_cannot_be_divided_is_refused(
    values: dict[str, Any], words: str, tmp_path: Path, book: Path
) -> None:
    if values["task"] == "language":
        values = config(book, "lstm", "asgd", **values["train"])
    values.setdefault("train", {})["processes"] = 3
    with pytest.raises(WorkingsError, match=words):
        train(values, str(tmp_path / "run"))
    assert not (tmp_path / "run").exists()
