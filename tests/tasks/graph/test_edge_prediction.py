"""Edge prediction: nothing of a held-out edge is seen, and the figures are what they say."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from workings.errors import WorkingsError
from workings.run import train
from workings.tasks.graph import dataset as graph_data
from workings.tasks.graph.config import GraphConfig
from workings.tasks.graph.edge_prediction import EdgePrediction
from workings.tasks.graph.graph import Graph, build
from workings.tasks.graph.models import GATConfig, GCNConfig, GGNNConfig
from workings.tasks.ranking import roc_auc


def karate() -> Graph:
    return graph_data.load(GraphConfig(name="karate"))


def problem(graph: Graph | None = None, seed: int = 1, **data: Any) -> EdgePrediction:
    return EdgePrediction(graph or karate(), GraphConfig(predict="edges", **data), seed)


def keys(pairs_2P: torch.Tensor, nodes: int = 34) -> set[int]:
    low, high = pairs_2P.sort(0).values
    return set((low * nodes + high).tolist())


def test_every_edge_is_in_one_split_with_both_its_directions() -> None:
    prediction = problem()
    parts = {split: keys(pairs) for split, pairs in prediction.pairs.items()}
    assert {split: len(part) for split, part in parts.items()} == {
        "train": 78 - 3 - 7,
        "valid": 3,
        "test": 7,
    }
    assert len(set.union(*parts.values())) == 78
    messages = prediction.edges.edges_2E
    assert keys(messages) == parts["train"]
    assert messages.shape[1] == 2 * len(parts["train"])


def test_pairs_that_are_no_edges_are_none_and_fixed_by_seed() -> None:
    prediction, again, other = problem(), problem(), problem(seed=2)
    edges = set.union(*(keys(pairs) for pairs in prediction.pairs.values()))
    for split in ("valid", "test"):
        negative = keys(prediction.negative[split])
        assert len(negative) == prediction.pairs[split].shape[1]
        assert not negative & edges
        assert torch.equal(prediction.negative[split], again.negative[split])
    assert not keys(prediction.negative["valid"]) & keys(prediction.negative["test"])
    assert keys(prediction.pairs["test"]) != keys(other.pairs["test"])


def test_drawn_pairs_are_no_training_edges_and_new_each_time() -> None:
    prediction = problem()
    torch.manual_seed(1)
    first, second = prediction.draw(5000), prediction.draw(5000)
    train_keys = keys(prediction.pairs["train"])
    for drawn in (first, second):
        assert not keys(drawn) & train_keys
        assert (drawn[0] != drawn[1]).all()
    assert first.shape != second.shape or not torch.equal(first, second)
    everything = keys(prediction.draw(100_000))
    assert (
        keys(prediction.pairs["test"]) <= everything
    )  # what is held out is not known to be an edge


@pytest.mark.parametrize("config", [GCNConfig(), GATConfig(), GGNNConfig()])
def test_a_held_out_edge_changes_nothing_that_the_model_sees(config: Any) -> None:
    """Without a held-out edge the states are the same to the bit; without a training edge not."""
    graph = karate()
    prediction = problem(graph)
    x = graph_data.features(graph, True)
    torch.manual_seed(1)
    model = config.build(34, 8).eval()
    states = model(*model.prepare(x, prediction.edges))
    for split, same in (("test", True), ("valid", True), ("train", False)):
        i, j = prediction.pairs[split][:, 0].tolist()
        left = [{a, b} != {i, j} for a, b in graph.edges_2E.T.tolist()]
        without = build("w", 34, graph.edges_2E[:, left], False, labels=graph.labels_N)
        other = problem(without)
        # The same split but for the edge that is gone.
        low, high = np.sort(without.edges_2E, axis=0)
        other.kept = np.isin(low * 34 + high, prediction.train_keys.numpy())
        assert torch.equal(model(*model.prepare(x, other.edges)), states) is same


def test_metrics_are_those_of_the_scores() -> None:
    prediction = problem()
    z_ND = torch.randn(34, 4)
    metrics = prediction.metrics(z_ND, "test")
    scores = [
        torch.tensor([float(z_ND[i] @ z_ND[j]) for i, j in pairs.t().tolist()])
        for pairs in (prediction.pairs["test"], prediction.negative["test"])
    ]
    assert metrics["roc_auc"] == pytest.approx(roc_auc(*scores), abs=1e-9)
    right = (scores[0] > 0).sum() + (scores[1] <= 0).sum()
    assert metrics["accuracy"] == pytest.approx(right.item() / 14)
    chances = torch.cat([scores[0].sigmoid(), 1 - scores[1].sigmoid()])
    assert metrics["loss"] == pytest.approx(-chances.log().mean().item(), rel=1e-5)


def test_common_neighbours_are_counted_in_the_training_graph() -> None:
    prediction = problem()
    a_NN = torch.zeros(34, 34)
    j_E, i_E = prediction.edges.edges_2E
    a_NN[i_E, j_E] = 1
    shared_NN = a_NN @ a_NN.t()
    scores = [shared_NN[tuple(held["test"])] for held in (prediction.pairs, prediction.negative)]
    baseline = prediction.baselines()["common neighbours"]
    assert baseline["test.roc_auc"] == pytest.approx(roc_auc(*scores))


def test_a_run_predicts_pairs_and_recommends(tmp_path: Path) -> None:
    config = {
        "task": "graph",
        "data": {"name": "karate", "predict": "edges"},
        "model": {"hidden": 16, "dropout": 0.0, "dropout_input": 0.0},
        "train": {"epochs": 60, "lr": 0.05, "weight_decay": 0.0},
    }
    run = train(config, str(tmp_path / "run"))
    (row,) = run.predict(["0,1"])
    assert (row["from"], row["to"], row["label"]) == ("0", "1", "edge")
    assert 0 <= row["probability"] <= 1
    graph: Any = run.task.graph  # type: ignore[attr-defined]
    joined = {(int(j), int(i)) for j, i in graph.edges_2E.T}
    for rows in (run.predict([]), run.predict(["16"])):
        assert len(rows) == 10
        chances = [row["probability"] for row in rows]
        assert chances == sorted(chances, reverse=True)
        assert not any((int(row["from"]), int(row["to"])) in joined for row in rows)
        assert all(row["from"] != row["to"] for row in rows)
    assert {row["from"] for row in run.predict(["16"])} == {"16"}
    for what, message in (("99", "is no pair of nodes"), ("0,99", "no node '99'")):
        with pytest.raises(WorkingsError, match=message):
            run.predict([what])


def test_the_best_recommendation_is_the_best_of_all_pairs() -> None:
    prediction = problem()
    z_ND = torch.randn(34, 4)
    score_NN = z_ND @ z_ND.t()
    j_E, i_E = torch.from_numpy(prediction.graph.edges_2E)
    score_NN[i_E, j_E] = -torch.inf
    score_NN.fill_diagonal_(-torch.inf)
    best = divmod(int(score_NN.argmax()), 34)
    row = prediction.predict(z_ND, [])[0]
    assert {int(row["from"]), int(row["to"])} == set(best)


def test_too_few_edges_or_too_few_others() -> None:
    few = build("few", 4, np.array([[0, 1], [1, 2]]), False)
    with pytest.raises(WorkingsError, match="of 2 edges, 5% and 10% cannot be held out"):
        problem(few)
    i, j = np.triu_indices(12, 1)
    full = build("full", 12, np.stack([i, j]), False)
    with pytest.raises(WorkingsError, match="only 0 pairs are no edges"):
        problem(full)


def test_shares_are_of_the_edges() -> None:
    prediction = problem(valid_share=0.2, test_share=0.5)
    assert [prediction.pairs[split].shape[1] for split in ("valid", "test")] == [15, 39]


def test_examples_that_are_trained_on_are_counted_as_those_that_are_tested() -> None:
    """Pairs, of which half are drawn: not nodes, which an epoch goes over."""
    made = problem()
    train, test = (made.pairs[split].shape[1] for split in ("train", "test"))
    z_ND = torch.randn(34, 4)
    tested = len(made.examples(z_ND, "test")[2]["label"])
    assert made.trained == 2 * train
    assert tested == 2 * test
