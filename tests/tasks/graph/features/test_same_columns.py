"""Another graph is given to a model by the names of its features, not by their order."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest

import workings
from workings.errors import WorkingsError
from workings.tasks.graph.features.same_columns import arranged
from workings.tasks.graph.reading.files import read

COLUMNS = ("id", "label", "height", "colour", "income")


def people(folder: Path, columns: tuple[str, ...], without: str = "") -> Path:
    """Forty people on a ring; of one kind are the tall, most in red, and the poor."""
    folder.mkdir()
    draw = np.random.default_rng(1)
    rows = []
    for number in range(40):
        kind = number % 2
        known = {
            "id": f"p{number}",
            "label": "ab"[kind],
            "colour": ("red", "blue")[kind ^ (number < 4)],
        }
        known["height"] = f"{draw.normal(180 - 20 * kind, 5):.1f}"
        known["income"] = f"{draw.normal(10_000 + 9_000 * kind, 900):.0f}"
        rows.append([known[name] for name in columns if name != without])
    with (folder / "nodes.csv").open("w", newline="") as file:
        csv.writer(file).writerows([[name for name in columns if name != without], *rows])
    edges = "".join(f"p{number},p{(number + 2) % 40}\n" for number in range(40))
    (folder / "edges.csv").write_text("source,target\n" + edges)
    return folder


def test_columns_in_another_order_give_the_same_metrics(tmp_path: Path) -> None:
    first = people(tmp_path / "first", COLUMNS)
    settings = {"train.epochs": 30, "data.train_per_class": 6, "data.valid_per_class": 4}
    run = workings.train("graph", str(tmp_path / "run"), data=first, settings=settings)
    expected = run.evaluate(data=first)
    assert expected["accuracy"] > 0.9
    other = people(tmp_path / "other", COLUMNS[::-1])
    again = workings.open(str(tmp_path / "run"))
    assert again.evaluate(data=other) == pytest.approx(expected)
    with pytest.raises(WorkingsError, match=r"has no column 'income', which the model was trained"):
        again.evaluate(data=people(tmp_path / "less", COLUMNS, without="income"))
    exported = tmp_path / "exported"
    run.export(exported, to="folder")
    columns = ["height", "colour = blue", "colour = red", "income"]
    assert json.loads((exported / "config.json").read_bytes())["columns"] == columns


def test_a_word_that_no_model_has_seen_is_said(tmp_path: Path) -> None:
    graph = read(people(tmp_path / "people", ("colour", "id", "height")), False, False)
    assert graph.columns == ("colour = blue", "colour = red", "height")
    expected = ("height", "colour = green", "colour = red")
    rows, notes = arranged("here", graph.features, graph.columns, expected)
    assert graph.features is not None
    assert rows is not None
    table = graph.features.table(float)
    right = np.stack([table[:, 2], np.zeros(40), table[:, 1]], 1)
    np.testing.assert_array_equal(rows.table(float), right)
    assert notes == ("not used, as the model has not seen it: colour = blue",)
    same, _ = arranged("here", graph.features, graph.columns, graph.columns)
    assert same is graph.features


def molecule(atoms: str, label: str = "") -> str:
    """A chain of atoms as a line of JSON."""
    pairs = [[i, i + 1] for i in range(len(atoms) - 1)]
    about: dict[str, object] = {"tags": list(atoms), "edges": pairs}
    return json.dumps(about | ({"label": label} if label else {})) + "\n"


def test_a_new_graph_with_fewer_kinds_of_nodes_is_predicted_as_such(tmp_path: Path) -> None:
    """Of a class are the chains with an N; one new graph alone has not all the atoms."""
    draw = np.random.default_rng(1)
    lines = []
    for number in range(60):
        atoms = "".join(draw.choice(list("CO"), 4)) + "CN"[number % 2]
        lines.append(molecule("".join(draw.permutation(list(atoms))), "ab"[number % 2]))
    many, one = tmp_path / "many.jsonl", tmp_path / "one.jsonl"
    many.write_text("".join(lines))
    settings = {"data.predict": "graphs", "train.epochs": 30, "data.allow_overlap": True}
    run = workings.train("graph", str(tmp_path / "run"), data=many, settings=settings)
    assert run.evaluate(data=many)["accuracy"] > 0.9
    for atoms, label in (("NC", "b"), ("CON", "b"), ("CCO", "a"), ("NNN", "b")):
        one.write_text(molecule(atoms))
        assert run.predict([str(one)])[0]["prediction"] == label
