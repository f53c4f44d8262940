"""Nodes as features of their own beside those given: when that is chosen, and what it makes."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import workings
from workings.errors import WorkingsError
from workings.nn.graph.graph_model import dense
from workings.run import config as configs
from workings.run.given_data import data_keys
from workings.tasks import TASKS
from workings.tasks.graph import dataset
from workings.tasks.graph.config import GraphConfig
from workings.tasks.graph.features.feature_scale import ColumnScale

NODES, CLASSES = 120, 3


def blocks(alike: float, features: int = 3) -> dict[str, Any]:
    """A graph of three groups, `alike` of whose edges stay within; features are noise."""
    draw = np.random.default_rng(1)
    label_N = np.arange(NODES) % CLASSES
    pairs = []
    for node in range(NODES):
        for _ in range(4):
            inside = draw.random() < alike
            among = np.flatnonzero(label_N == label_N[node]) if inside else np.arange(NODES)
            pairs.append((node, int(draw.choice(among))))
    ends = np.array([pair for pair in pairs if pair[0] != pair[1]]).T
    x_NF = 5 + 2 * draw.normal(size=(NODES, features))
    return {"edge_index": np.hstack([ends, ends[::-1]]), "x": x_NF, "y": label_N}


def trained(graph: dict[str, Any], folder: Path, **sections: Any) -> workings.Run:
    values = {"task": "graph", "train": {"epochs": 60}, **sections}
    return workings.train(values, str(folder), data=graph)


def test_features_that_say_nothing_do_not_hide_what_the_edges_say(tmp_path: Path) -> None:
    run = trained(blocks(0.9), tmp_path / "chosen")
    assert run.config.data.features == "both"  # type: ignore[attr-defined]
    given = trained(blocks(0.9), tmp_path / "given", data={"features": "given"})
    chosen, features_only = (each.evaluate()["accuracy"] for each in (run, given))
    assert chosen > 0.9
    assert features_only < 0.75
    again = workings.open(str(tmp_path / "chosen"))  # type: ignore[attr-defined]
    assert again.evaluate()["accuracy"] == chosen


@pytest.mark.parametrize(
    ("alike", "features", "kind"), [(0.0, 3, "gcn"), (0.9, 101, "gcn"), (0.9, 3, "mlp")]
)
def test_it_is_not_chosen_where_it_would_not_help(
    alike: float, features: int, kind: str, tmp_path: Path
) -> None:
    run = trained(blocks(alike, features), tmp_path / "run", model={"kind": kind})
    assert run.config.data.features == "given"  # type: ignore[attr-defined]


def test_the_columns_given_are_scaled_and_the_others_are_the_identity() -> None:
    graph = dataset.load(GraphConfig(**data_keys(TASKS["graph"], blocks(0.9))))
    scale = ColumnScale.of(graph.x())
    both = dense(dataset.features(graph, "standard", scale, identity=True))
    given = dense(dataset.features(graph, "standard", scale))
    torch.testing.assert_close(both, torch.hstack([given, torch.eye(NODES)]))
    torch.testing.assert_close(given.mean(0), torch.zeros(3), atol=1e-5, rtol=0)
    summed = dense(dataset.features(graph, "sum", identity=True))
    torch.testing.assert_close(summed[:, :3].sum(1), torch.ones(NODES))


def test_another_graph_has_other_nodes(tmp_path: Path) -> None:
    run = trained(blocks(0.9), tmp_path / "run")
    with pytest.raises(WorkingsError, match=r"not those that the model knows.*features=given"):
        run.evaluate(data=blocks(0.8))


def test_the_same_nodes_are_asked_whatever_tells_them_apart(tmp_path: Path) -> None:
    """So that runs with and without features, with and without weights, can be ranked together."""
    (tmp_path / "nodes.csv").write_text(
        "id,label,f\n" + "".join(f"{node},{'ab'[node % 2]},{node / 7}\n" for node in range(30))
    )
    (tmp_path / "edges.csv").write_text(
        "source,target,weight\n"
        + "".join(f"{node},{(node + 2) % 30},{1 + node}\n" for node in range(30))
    )
    digests = {}
    for key, value in [("features", "given"), ("features", "identity"), ("weighted", True)]:
        settings = {"task": "graph", "data": {"path": str(tmp_path), key: value}}
        task: Any = configs.resolve(settings).build_task()
        examples = task.examples(task.build(), "test", lambda done: None)
        digests[value] = task.checksum(), examples.sha256
    assert len({data for data, _ in digests.values()}) == 3
    assert len({asked for _, asked in digests.values()}) == 1
