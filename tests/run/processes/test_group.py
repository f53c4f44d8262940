"""Several processes make the same steps as one."""

import math
import time
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
from workings.run.processes import Group, Step, shared_memory
from workings.run.processes import group as group_file
from workings.run.processes.shared_memory import SharedMean
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


def step(terms: int, loss: float = 1.0, **asked: Any) -> Step:
    return Step(loss, terms, units=2 * terms, **asked)


@pytest.mark.parametrize("one_machine", [False, True])
def test_a_weight_without_gradient_anywhere_keeps_none(one_machine: bool) -> None:
    """And one that only some processes use has the gradient of those."""

    def work(rank: int) -> list[Any]:
        weights = [nn.Parameter(torch.ones(2)) for _ in range(3)]
        weights[0].grad = torch.tensor([1.0, 2.0]) * (rank + 1)
        if rank == 1:
            weights[1].grad = torch.tensor([4.0, 8.0])
        group = Group(one_machine=one_machine)
        group.combine(step(terms=(1, 3)[rank]), weights)
        assert (group.shared is not None) == one_machine
        return [None if weight.grad is None else weight.grad.tolist() for weight in weights]

    assert forked(2, work) == [[[1.75, 3.5], [3.0, 6.0], None]] * 2


@pytest.mark.parametrize("one_machine", [False, True])
def test_gradients_are_the_mean_over_terms(one_machine: bool) -> None:
    """Step after step, for three processes of which one in turn has nothing to count."""
    terms = [[0, 2, 5], [4, 0, 1], [3, 3, 0], [0, 0, 7], [2, 0, 0]]

    def work(rank: int) -> list[Any]:
        group = Group(one_machine=one_machine)
        means = []
        for number, each in enumerate(terms):
            weight = nn.Parameter(torch.zeros(5))
            weight.grad = torch.arange(5.0) * (rank + 1) + number
            group.combine(step(each[rank]), [weight])
            means.append(weight.grad.tolist())
        return means

    shares = [sum(t * (rank + 1) for rank, t in enumerate(each)) / sum(each) for each in terms]
    expected = [[share * i + number for i in range(5)] for number, share in enumerate(shares)]
    answers = forked(3, work)
    assert answers[0] == answers[1] == answers[2]
    for mean, right in zip(answers[0], expected, strict=True):
        assert mean == pytest.approx(right, rel=1e-6)


def test_no_row_is_written_before_all_have_read_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """One process reads late, when the other is a step further: it reads its own step's rows."""
    mean = SharedMean.mean

    def late(self: SharedMean, weights: list[float]) -> torch.Tensor:
        time.sleep(0.01)
        return mean(self, weights)

    def work(rank: int) -> list[float]:
        if rank == 1:
            monkeypatch.setattr(SharedMean, "mean", late)
        group, seen = Group(one_machine=True), []
        for number in range(10):
            weight = nn.Parameter(torch.zeros(100))
            weight.grad = torch.full((100,), float(number))
            group.combine(step(1), [weight])
            seen.append(weight.grad.mean().item())
        return seen

    assert forked(2, work) == [[float(number) for number in range(10)]] * 2


@pytest.mark.parametrize("where", ["nowhere", "in one process"])
def test_without_shared_memory_messages_serve(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def work(rank: int) -> list[Any]:
        if where == "nowhere":
            monkeypatch.setattr(shared_memory, "reserved", lambda size: "")
        elif rank == 1:
            monkeypatch.setattr(group_file, "SharedMean", refused)
        group = Group(one_machine=True)
        means = []
        for _ in range(2):
            weight = nn.Parameter(torch.zeros(2))
            weight.grad = torch.tensor([1.0, 2.0]) * (rank + 1)
            group.combine(step(1), [weight])
            means.append(weight.grad.tolist())
        return [*means, group.shared is None]

    def refused(*_: object) -> None:
        raise RuntimeError("unable to open file")

    assert forked(2, work) == [[[1.5, 3.0], [1.5, 3.0], True]] * 2


def test_losses_weigh_by_their_terms_and_what_one_asks_for_all_hear() -> None:
    def work(rank: int) -> list[Any]:
        group, weights = Group(), [nn.Parameter(torch.zeros(1))]
        first = group.combine(step((3, 1)[rank], (2.0, 5.0)[rank], signal=15 * rank), weights)
        idle = group.combine(step((3, 0)[rank], (2.0, 9.0)[rank], due=rank == 0), weights)
        lost = group.combine(step((3, 0)[rank], (2.0, math.nan)[rank]), weights)
        return [first, idle, math.isnan(lost.loss), group.agree(rank, 7 - rank)]

    all_hear = [Step(2.75, 4, 8, signal=15), Step(2.0, 3, 6, due=True), True, [1, 7]]
    assert forked(2, work) == [all_hear] * 2


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
