"""GraphML and GML of anybody's: what each node alone has would be a table of nodes squared."""

from pathlib import Path

import pytest

from workings.errors import WorkingsError
from workings.tasks.graph.reading import markup_files


@pytest.mark.parametrize("suffix", [".gml", ".graphml"])
def test_attributes_that_hardly_any_node_has_are_refused(
    suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(markup_files, "MOST_CELLS", 1_000)
    path, numbers = tmp_path / f"g{suffix}", range(40)
    if suffix == ".gml":
        nodes = "".join(f"node [ id {i} a{i} 1 ]\n" for i in numbers)
        path.write_text(f"graph [ {nodes} edge [ source 0 target 1 ] ]")
    else:
        keys = "".join(
            f'<key id="k{i}" for="node" attr.name="a{i}" attr.type="int"/>' for i in numbers
        )
        nodes = "".join(f'<node id="{i}"><data key="k{i}">1</data></node>' for i in numbers)
        path.write_text(f"<graphml>{keys}<graph edgedefault='directed'>{nodes}</graph></graphml>")
    with pytest.raises(WorkingsError, match="40 attributes of 40 nodes, of which most nodes lack"):
        markup_files.read(path, False, False)
    monkeypatch.setattr(markup_files, "MOST_CELLS", 1_600)
    if suffix == ".gml":
        assert markup_files.read(path, False, False).nodes == 40


def test_attributes_of_types_that_graphml_has_not_are_text(tmp_path: Path) -> None:
    path = tmp_path / "g.graphml"
    keys = '<key id="p" for="node" attr.name="pos" attr.type="vector_float"/>'
    keys += '<key id="v" for="node" attr.name="value" attr.type="int"/>'
    nodes = "".join(
        f'<node id="{i}"><data key="p">0.{i}, 1</data><data key="v">{i % 2}</data></node>'
        for i in range(12)
    )
    path.write_text(
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
        f"{keys}<graph edgedefault='undirected'>{nodes}"
        "<edge source='0' target='1'/></graph></graphml>"
    )
    graph = markup_files.read(path, False, False)
    assert (graph.nodes, graph.edges, graph.classes) == (12, 1, ("0", "1"))
    assert "column pos left out: 12 different words" in graph.notes


def test_edges_given_twice_in_gml_are_one(tmp_path: Path) -> None:
    path = tmp_path / "g.gml"
    nodes = "".join(f'node [ id {i} label "n{i}" value {i % 2} ]\n' for i in range(3))
    edges = "edge [ source 0 target 1 ]\nedge [ source 0 target 1 ]\nedge [ source 1 target 2 ]"
    path.write_text(f"graph [ directed 1\n{nodes}{edges} ]")
    graph = markup_files.read(path, False, False)
    assert (graph.edges, graph.repeated, graph.name(2)) == (2, 1, "n2")
    path.write_text(f'graph [\n{nodes}node [ id 2 label "x" ]\n{edges} ]')
    with pytest.raises(WorkingsError, match="node id 2 is duplicated"):
        markup_files.read(path, False, False)


def test_a_file_nested_without_end_is_refused_in_plain_words(tmp_path: Path) -> None:
    path = tmp_path / "a.gml"
    path.write_text("graph [ " + "a [ " * 50_000 + "]" * 50_001)
    with pytest.raises(WorkingsError, match=r"a\.gml: is nested too deeply$"):
        markup_files.read(path, False, False, "")


GRAPHML = """<?xml version="1.0"?><graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="l" for="node" attr.name="label" attr.type="string"/>{}</graphml>"""
NODES = '<node id="a"><data key="l">x</data></node><node id="b"/><edge source="a" target="b"/>'
GRAPH = f'<graph edgedefault="undirected">{NODES}</graph>'


@pytest.mark.parametrize(
    ("inside", "message"),
    [
        (GRAPH + GRAPH.replace('"a"', '"c"'), "holds several graphs; give each a file of its own"),
        (GRAPH.replace("</graph>", '<node id="b"/></graph>'), "node 'b' is there twice"),
        (GRAPH.replace('<node id="b"/>', f'<node id="z">{GRAPH}</node>'), "a graph within a node"),
    ],
)
def test_what_would_be_dropped_is_refused(inside: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "graph.graphml"
    path.write_text(GRAPHML.format(GRAPH))
    assert len(markup_files.network(path)) == 2
    path.write_text(GRAPHML.format(inside))
    with pytest.raises(WorkingsError, match=message):
        markup_files.network(path)
