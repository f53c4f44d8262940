"""Charts of graphs: every node, edge, depth and weight that is given is drawn, once."""

import json
from typing import Any

import numpy as np

from workings.charts import graphs, render
from workings.nn.graph.adjacency import NORMALISATIONS
from workings.tasks.graph import dataset as graph_data
from workings.tasks.graph.config import GraphConfig
from workings.tasks.graph.reading.small_graphs import six_nodes
from workings.tasks.graph.views import layout
from workings.tasks.graph.views.smoothing import ATTENTION, smoothing


def definition(chart: Any) -> dict[str, Any]:
    return json.loads(render(chart, ".json"))


def rows_of(found: dict[str, Any], layer: dict[str, Any]) -> list[dict[str, Any]]:
    data = layer["data"]
    return found["datasets"][data["name"]] if "name" in data else data["values"]


def test_a_drawing_has_every_node_and_edge_once() -> None:
    graph = six_nodes()
    nodes = layout.node_rows(graph, updates=list("432104"))
    edges = layout.edge_rows(graph)
    assert [row["name"] for row in nodes] == list("ABCDEF")
    assert {frozenset((row["from"], row["to"])) for row in edges} == {
        frozenset(edge) for edge in ("AB", "AE", "AF", "BD", "CD", "DF")
    }
    place = {row["name"]: (row["x"], row["y"]) for row in nodes}
    for row in edges:
        assert (row["x"], row["y"]) == place[row["from"]]
        assert (row["x2"], row["y2"]) == place[row["to"]]
    found = definition(graphs.drawn(nodes, edges, "a title", "updates", steps=True))
    lines, dots, labels = found["layer"]
    assert rows_of(found, lines) == edges
    assert rows_of(found, dots) == rows_of(found, labels) == nodes
    assert dots["encoding"]["color"]["scale"]["domain"] == list("01234")
    assert found["title"] == "a title"


def test_weighted_edges_are_halves_at_the_node_that_takes() -> None:
    graph = six_nodes()
    weight_E = np.linspace(0.1, 0.9, graph.edges_2E.shape[1])
    edges = layout.edge_rows(graph, weight_E)
    assert [row["attention"] for row in edges] == weight_E.tolist()
    place = {row["name"]: (row["x"], row["y"]) for row in layout.node_rows(graph)}
    for row in edges:
        assert (row["x2"], row["y2"]) == place[row["to"]]
        middle = np.mean([place[row["from"]], place[row["to"]]], axis=0)
        assert np.allclose((row["x"], row["y"]), middle)
    found = definition(
        graphs.drawn(layout.node_rows(graph, c=[0] * 6), edges, "", "c", "attention")
    )
    assert found["layer"][0]["encoding"]["size"]["field"] == "attention"


def test_the_layout_is_always_the_same() -> None:
    graph = graph_data.load(GraphConfig(name="karate"))
    assert np.array_equal(layout.positions(graph), layout.positions(graph))
    assert layout.fits(graph)


def test_smoothing_has_a_line_a_normalisation() -> None:
    rows = smoothing(six_nodes(), 3, "none")
    found = definition(graphs.smoothing(rows, "a title"))
    assert rows_of(found, found) == rows
    assert found["encoding"]["color"]["scale"]["domain"] == [*NORMALISATIONS, ATTENTION]
    assert found["encoding"]["x"]["field"] == "depth"
    assert found["encoding"]["y"]["field"] == "distance"


def test_fields_and_attention_are_drawn_as_given() -> None:
    rows = [{"updates": k, "nodes": 2**k, "series": "mean"} for k in range(4)]
    found = definition(graphs.fields(rows, "t"))
    assert rows_of(found, found) == rows
    bins = [{"layer": "layer 1", "from": 0.0, "to": 0.5, "edges": 3}]
    found = definition(graphs.attention_spread(bins, "t"))
    assert rows_of(found, found) == bins
    rows = [{"layer": "layer 1", "head": 1, "to": "b", "weight": 0.25}]
    found = definition(graphs.attention_of_node(rows, "t"))
    assert rows_of(found, found) == rows
    assert found["spec"]["encoding"]["color"]["scale"]["domain"] == [0, 1]
