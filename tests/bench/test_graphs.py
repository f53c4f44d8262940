"""The benchmark of graph networks computes the same on both sides, and does what it says."""

import dataclasses
import importlib.util
from typing import Any

import pytest
import torch

from workings.bench import graphs, rows
from workings.bench.graphs import ARXIV_GCN, CORA_GAT, CORA_GCN, Sizes
from workings.bench.sides import Turn
from workings.errors import WorkingsError

SMALL = {"nodes": 60, "pairs": 150, "features": 12, "classes": 5, "train": 30}
GCN = dataclasses.replace(ARXIV_GCN, **SMALL, hidden=8)
GAT = dataclasses.replace(CORA_GAT, data="", **SMALL, hidden=4)

needs_theirs = pytest.mark.skipif(
    importlib.util.find_spec("torch_geometric") is None, reason="torch_geometric is absent"
)
their_own = pytest.mark.filterwarnings("ignore::UserWarning", "ignore::DeprecationWarning")


def small(sizes: Sizes) -> Sizes:
    return {"gcn": GCN, "gat": GAT}[sizes.kind]


@needs_theirs
@their_own
@pytest.mark.parametrize(
    ("sizes", "layout"),
    [(sizes, layout) for sizes in (CORA_GCN, CORA_GAT) for layout in graphs.LAYOUTS[sizes.kind]],
)
def test_both_sides_compute_the_same(sizes: Sizes, layout: str) -> None:
    found = graphs.difference(small(sizes), layout)
    assert rows.tolerable({"small": found}), found


@needs_theirs
@their_own
def test_a_wrong_side_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    from workings.nn.graph.gcn import GraphConvolution

    real = GraphConvolution.transform
    monkeypatch.setattr(GraphConvolution, "transform", lambda self, ax: real(self, ax) * 1.001)
    assert not rows.tolerable({"small": graphs.difference(GCN, "edge_index")})


@needs_theirs
@their_own
@pytest.mark.parametrize("sizes", [GCN, GAT], ids=lambda sizes: sizes.kind)
def test_a_step_of_each_side_learns(sizes: Sizes) -> None:
    for make in (graphs.our_step, lambda s: graphs.their_step(s, "edge_index")):
        torch.manual_seed(1)
        step = make(sizes)
        losses = [step() for _ in range(60)]
        assert sum(losses[-10:]) < 0.8 * sum(losses[:10])


def test_the_random_graph_has_the_sizes_it_says() -> None:
    x_NF, edges, places, labels, classes = GCN.graph()
    assert x_NF.shape == (60, 12)
    assert classes == 5
    assert len(places) == len(labels) == 30
    j_E, i_E = edges.edges_2E
    assert (j_E != i_E).all()
    assert torch.equal(torch.sort(i_E * 60 + j_E).values, i_E * 60 + j_E)
    assert set(zip(i_E.tolist(), j_E.tolist(), strict=True)) == set(
        zip(j_E.tolist(), i_E.tolist(), strict=True)
    )
    assert 250 < len(i_E) <= 300


def test_a_row_is_of_medians_and_peaks() -> None:
    ours, theirs = [Turn(1.0, 5.0), Turn(2.0, 7.0)], [Turn(4.0, 50.0), Turn(12.0, 40.0)]
    row = graphs._row(GCN, "CSR", 2, ours, theirs)
    assert row["ratio"] == 5.0
    assert (row["ours_peak_bytes"], row["theirs_peak_bytes"]) == (7.0, 50.0)
    assert row["name"].endswith("2 threads")


def test_without_torch_geometric_one_line_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> Any:
        return None

    monkeypatch.setattr(importlib.util, "find_spec", absent)
    with pytest.raises(WorkingsError, match="torch_geometric, which this measures against"):
        graphs.run(1, 0.0, True, lambda text: None)
