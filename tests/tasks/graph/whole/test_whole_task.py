"""Graph classification, from files to a trained, resumed, evaluated and questioned run."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from tests.run.faults import assert_resumes
from tests.tasks.graph.whole.molecules import lines_file, records, tu_folder
from workings.errors import WorkingsError
from workings.nn.graph import GraphReadout
from workings.run import config as configs
from workings.run import open_run, train
from workings.tasks.graph.whole.set_splits import settled_splits
from workings.tasks.graph.whole.weisfeiler_lehman import hashes


def values(path: Path, kind: str = "gin", **train_: Any) -> dict[str, Any]:
    return {
        "task": "graph",
        "data": {"path": str(path), "predict": "graphs", "allow_overlap": True},
        "model": {"kind": kind, "hidden": 8, "dropout": 0.0},
        "train": {"epochs": 15, "batch": 8, "device": "cpu", **train_},
    }


def test_rings_are_told_from_paths(tmp_path: Path) -> None:
    """With its own baselines, from the command's defaults; JSON lines are many graphs."""
    made = lines_file(tmp_path / "set.jsonl", records(100))
    config = values(made, epochs=40)
    del config["data"]["predict"]
    run = train(config, str(tmp_path / "run"))
    assert run.result is not None
    metrics = run.result["metrics"]
    assert metrics["test.accuracy"] == 1.0
    assert metrics["test.graphs"] == 10
    assert run.result["baselines"]["most frequent class"]["test.accuracy"] == 0.5
    again = open_run(str(tmp_path / "run"))
    assert again.evaluate("test") == {k[5:]: v for k, v in metrics.items() if "test." in k}
    rows = again.predict([])
    assert [row["label"] for row in rows[:2]] == ["ring", "path"]
    test = again.task.splits["test"]  # type: ignore[attr-defined]
    right = [rows[graph]["prediction"] == rows[graph]["label"] for graph in test]
    assert np.mean(right) == metrics["test.accuracy"]
    other = lines_file(tmp_path / "other.jsonl", records(6))
    assert again.evaluate(data=[other])["graphs"] == 6
    assert [row["input"] for row in again.predict([str(other)])] == list("123456")


@pytest.mark.parametrize("kind", ["gin", "ggnn"])
def test_killed_in_the_middle_of_an_epoch_and_resumed_it_is_the_same_run(
    kind: str, tmp_path: Path
) -> None:
    made = lines_file(tmp_path / "set.jsonl")
    config = values(made, kind, epochs=2, checkpoint_seconds=0.0)
    config["model"] |= {"dropout": 0.5, "hidden": 4}
    assert_resumes(config, tmp_path, range(2, 60, 11), ["after"])


def test_a_fold_is_that_of_the_config_or_of_the_seed(tmp_path: Path) -> None:
    folder = tu_folder(tmp_path / "RINGS")

    def splits(seed: int, **data: Any) -> dict[str, np.ndarray]:
        config = values(folder)
        config["data"] |= data
        task: Any = configs.resolve({**config, "seed": seed}).build_task()
        return settled_splits(task.graphs, task.data, seed)

    first, second = splits(1), splits(2)
    assert first["test"].tolist() == splits(5, fold=1)["test"].tolist()
    assert second["test"].tolist() == splits(4)["test"].tolist()
    assert not set(first["test"]) & set(second["test"])
    for made in (first, second):
        assert sorted(np.concatenate(list(made.values()))) == list(range(20))
        assert len(made["valid"]) == 2
    chosen = splits(1, valid_from="test")
    assert chosen["valid"].tolist() == chosen["test"].tolist()
    assert len(chosen["train"]) == 10
    with pytest.raises(WorkingsError, match=r"data.fold: .* has 2 folds, not 3"):
        splits(1, fold=3)


def test_given_splits_are_kept(tmp_path: Path) -> None:
    made = records(20)
    for number, record in enumerate(made):
        record["split"] = ["train", "train", "test", "test"][number % 4]
    task: Any = configs.resolve(values(lines_file(tmp_path / "s.jsonl", made))).build_task()
    with pytest.raises(WorkingsError, match="the valid split is empty"):
        _ = task.splits
    made[0]["split"], made[1]["split"] = "valid", "valid"
    task = configs.resolve(values(lines_file(tmp_path / "s.jsonl", made))).build_task()
    assert task.splits["valid"].tolist() == [0, 1]
    assert task.splits["test"].tolist() == [g for g in range(20) if g % 4 > 1]


def test_leaks_are_named(tmp_path: Path) -> None:
    """The same graph with its nodes in another order has the same colours; others do not."""
    made = records(30)
    twins = [
        {
            **record,
            "edges": [[len(record["tags"]) - 1 - end for end in pair] for pair in record["edges"]],
            "tags": record["tags"][::-1],
        }
        for record in made
    ]
    task: Any = configs.resolve(values(lines_file(tmp_path / "s.jsonl", made + twins))).build_task()
    digests = hashes(task.graphs)
    assert digests[:30].tolist() == digests[30:].tolist()
    assert digests[0] != digests[1]
    (leak, *_) = task.leaks(torch.nn.Linear(1, 1))
    assert "of the test graphs are among those of train" in leak.text
    told = [{**r, "features": [[float(r["label"] == "ring")]] * len(r["tags"])} for r in made]
    task = configs.resolve(values(lines_file(tmp_path / "t.jsonl", told))).build_task()
    assert any("the label is among the features" in leak.text for leak in task.leaks(task.build()))


class Own(torch.nn.Module):
    """A user's own network over many graphs."""

    def __init__(self, features: int, classes: int, rows: int = 0) -> None:
        super().__init__()
        self.linear, self.rows = torch.nn.Linear(features, classes), rows

    def forward(self, x_NF: Any, edges_2E: Any, graph_N: Any) -> Any:
        graphs = self.rows or int(graph_N.max()) + 1
        h_NC = self.linear(x_NF)
        return h_NC.new_zeros(graphs, h_NC.shape[1]).index_add(0, graph_N, h_NC)


def test_an_own_model_gets_the_graph_of_each_node(tmp_path: Path) -> None:
    config = values(lines_file(tmp_path / "set.jsonl"), epochs=2)
    kind = f"{__name__}:Own"
    run = train({**config, "model": {"kind": kind}}, str(tmp_path / "run"))
    assert run.result is not None
    assert run.result["metrics"]["test.graphs"] == 4
    with pytest.raises(WorkingsError, match=r"must give a tensor G×2; it gave \(7, 2\)"):
        train({**config, "model": {"kind": kind, "args": {"rows": 7}}}, str(tmp_path / "other"))


def test_decay_is_of_the_first_layer_or_of_all(tmp_path: Path) -> None:
    made = lines_file(tmp_path / "set.jsonl")
    for on, groups in (("first", 2), ("all", 1)):
        config = values(made, decay_on=on, weight_decay=0.1)
        task: Any = configs.resolve(config).build_task()
        model = task.build()
        assert isinstance(model, GraphReadout)
        given = [id(weight) for group in task.groups(model) for weight in group["params"]]
        assert len(task.groups(model)) == groups
        assert sorted(given) == sorted(id(weight) for weight in model.parameters())


def test_one_graph_and_many_are_not_taken_for_each_other() -> None:
    for name, predict in (("karate", "graphs"), ("mutag", "nodes")):
        with pytest.raises(WorkingsError, match=f"{name} is (one|many) graph"):
            configs.resolve({"task": "graph", "data": {"name": name, "predict": predict}})


def test_mutag_has_its_published_folds(shared: Path) -> None:
    task: Any = configs.resolve({"task": "graph", "data": {"name": "mutag"}}).build_task()
    assert len(task.graphs) == 188
    assert task.graphs.x().shape[1] == 7
    tests = np.concatenate(task.graphs.folds)
    assert len(set(tests.tolist())) == len(tests) == 180  # the files leave out eight graphs
