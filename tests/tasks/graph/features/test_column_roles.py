"""What the columns of nodes are: the class, texts, features; by name, by content, or as asked."""

from pathlib import Path

import networkx
import pytest

from workings.errors import WorkingsError
from workings.tasks.graph.features.column_roles import roles
from workings.tasks.graph.reading.files import read

MOTTOES = [f"never say {word} to the {word} again" for word in "abcdefghijkl"]
COLUMNS = {
    "id": list("abcdefghijkl"),
    "label": [f"Jean {letter}" for letter in "abcdefghijkl"],
    "group": ["x", "y", "z"] * 4,
    "motto": MOTTOES,
    "age": [str(age) for age in range(12)],
    "city": ["New York on Hudson", "Rome"] * 6,
}


def test_a_label_that_differs_for_every_node_is_its_name() -> None:
    role = roles(COLUMNS, ("label", "class"), "", "a.csv")
    assert role.label is None
    assert role.notes[0] == "column label is no class: it differs for almost every node"
    assert (
        roles({**COLUMNS, "class": COLUMNS["group"]}, ("label", "class"), "", "").label == "class"
    )
    few = {"label": ["p", "q", ""] + [""] * 9}  # two labelled nodes of many, each of its class
    assert roles(few, ("label",), "", "").label == "label"


def test_sentences_are_texts_and_categories_of_several_words_are_not() -> None:
    role = roles(COLUMNS, (), "group", "a.csv")
    assert (role.label, role.texts) == ("group", MOTTOES)
    assert list(role.features) == ["label", "age", "city"]
    assert role.notes == ["column motto read as text (data.text)"]
    given = roles({**COLUMNS, "text": ["t"] * 12}, (), "group", "a.csv")
    assert given.texts == ["t"] * 12
    assert "motto" in given.features


def test_a_class_that_is_not_there_is_named() -> None:
    with pytest.raises(
        WorkingsError, match=r"a\.csv has no column 'grup' \(did you mean group\?\)"
    ):
        roles(COLUMNS, (), "grup", "a.csv")


def test_every_format_with_columns_takes_the_class_by_name(tmp_path: Path) -> None:
    names = ("group", "motto", "age")
    rows = [",".join(("id", *names))]
    network = networkx.path_graph(12)
    for node in network:
        values = {name: COLUMNS[name][node] for name in names}
        rows.append(",".join((str(node), *values.values())))
        network.nodes[node].update(values)
    (tmp_path / "nodes.csv").write_text("\n".join(rows))
    edges = "\n".join(f"{i},{j}" for i, j in network.edges)
    (tmp_path / "edges.csv").write_text(f"source,target\n{edges}")
    networkx.write_graphml(network, tmp_path / "a.graphml")
    networkx.write_gml(network, tmp_path / "a.gml")
    for path in (tmp_path, tmp_path / "a.graphml", tmp_path / "a.gml"):
        graph = read(path, directed=False, weighted=False, label="group")
        assert graph.classes == ("x", "y", "z")
        assert graph.labels_N.tolist() == [0, 1, 2] * 4
        assert list(graph.texts) == MOTTOES
        assert graph.x().shape == (12, 1)
    (tmp_path / "a.edges").write_text("a b\n")
    with pytest.raises(WorkingsError, match="has no columns of nodes"):
        read(tmp_path / "a.edges", directed=False, weighted=False, label="group")
