"""A run as Python uses it: arrays in and out, shown in a notebook, graphs of other libraries."""

from pathlib import Path

import networkx
import numpy as np
import pytest
import torch

import workings
from tests.tiny import trained
from workings.errors import WorkingsError


def test_images_are_predicted_from_arrays(tmp_path: Path) -> None:
    run = trained("images", "cnn", tmp_path)
    held = np.load(tmp_path / "images.npz")["images"]
    p_NK = run.predict(held)
    np.testing.assert_allclose(p_NK.sum(1), 1, rtol=1e-5)
    named = run.predict([str(tmp_path / "images.npz")])  # the same pictures, from a file
    assert len(named) == len(held)
    np.testing.assert_allclose(p_NK[:, 0], [row["probabilities"]["0"] for row in named], rtol=1e-5)
    for same in (held[..., 0], np.moveaxis(held, 3, 1), held / 255, torch.from_numpy(held)):
        np.testing.assert_allclose(run.predict(same), p_NK, rtol=1e-5)
    for bad, said in (
        (held[:, :5], "the model knows pictures of"),
        (held * 300.0, "from 0 to 255"),
    ):
        with pytest.raises(WorkingsError, match=said):
            run.predict(bad)


def test_nodes_and_tokens_are_predicted_from_arrays(tmp_path: Path) -> None:
    run = trained("graph", "gcn", tmp_path)
    rows = run.predict(["3", "30"])
    expected = [list(row["probabilities"].values()) for row in rows]  # type: ignore[attr-defined]
    np.testing.assert_allclose(run.predict(np.array([3, 30])), expected, rtol=1e-6)
    with pytest.raises(WorkingsError, match="nodes are numbered 0 to 33"):
        run.predict(np.array([34]))
    run = trained("language", "rnn", tmp_path)
    ids = np.array([[0, 1, 2], [2, 1, 0]])
    logits, _ = run.model(torch.from_numpy(ids), None)
    expected = logits[:, -1].softmax(1).detach().numpy()
    np.testing.assert_allclose(run.predict(ids), expected, rtol=1e-5)
    with pytest.raises(WorkingsError, match="token ids are 0 to"):
        run.predict(np.array([[10**6]]))
    shown = run._repr_html_()
    result = run.result
    assert result is not None
    assert f"<td>{result['metrics']['test.perplexity']:,.4g}</td>" in shown
    assert repr(run).endswith("language-rnn: language, rnn>")


def test_graphs_of_networkx_and_torch_geometric_are_one_graph(tmp_path: Path) -> None:
    graph = networkx.karate_club_graph()
    draw = np.random.default_rng(0)
    for node in graph:
        graph.nodes[node]["x"] = draw.normal(size=3)
        graph.nodes[node]["label"] = graph.nodes[node].pop("club")
    config = {"task": "graph", "train": {"epochs": 2, "device": "cpu"}}
    first = workings.train(config, name=str(tmp_path / "networkx"), data=graph)
    geometric = pytest.importorskip("torch_geometric.data")
    ends = torch.tensor([*graph.edges, *[(j, i) for i, j in graph.edges]]).T
    x = torch.tensor(np.array([graph.nodes[node]["x"] for node in graph]), dtype=torch.float32)
    y = torch.tensor([int(graph.nodes[node]["label"] == "Officer") for node in graph])
    given = geometric.Data(x=x, edge_index=ends, y=y)
    second = workings.train(config, name=str(tmp_path / "geometric"), data=given)
    for run in (first, second):
        assert run.task.graph.x().shape == (34, 3)  # type: ignore[attr-defined]
        assert run.task.graph.edges == 78  # type: ignore[attr-defined]
        assert len(run.task.graph.classes) == 2  # type: ignore[attr-defined]
    assert [row["prediction"] == "1" for row in second.predict([])] == [
        row["prediction"] == "Officer" for row in first.predict([])
    ]
