"""Texts of nodes as features, and texts that are missing."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.run.faults import assert_resumes
from workings.errors import WorkingsError
from workings.run import config as configs
from workings.run import open_run, train
from workings.tasks.graph.features.texts import Words

TEXTS = ["the cat sat", "The dog sat, the end", "a cat", "", "a dog ran and ran"]


def folder_of(path: Path, empty: bool = False) -> Path:
    """Nodes in a ring, 20 of each of two classes, whose texts speak of cats or of dogs."""
    path.mkdir()
    lines = ["id,label,text"]
    for node in range(40):
        word = ("cat", "dog")[node % 2]
        text = "" if empty else f"{TEXTS[node % len(TEXTS)]} {word}"
        lines.append(f'{node},{word},"{text}"')
    (path / "nodes.csv").write_text("\n".join(lines) + "\n")
    ring = [f"{node},{(node + 1) % 40}" for node in range(40)]
    (path / "edges.csv").write_text("\n".join(["source,target", *ring]) + "\n")
    return path


def values(path: Path, text: str = "tf-idf", kind: str = "mlp", epochs: int = 40) -> dict[str, Any]:
    data = {"path": str(path), "text": text, "train_per_class": 8, "valid_per_class": 4}
    return {
        "task": "graph",
        "data": {**data, "allow_label_features": True},
        "model": {"kind": kind, "hidden": 8, "text_width": 4, "dropout": 0.0, "dropout_input": 0.0},
        "train": {"epochs": epochs, "lr": 0.05, "device": "cpu"},
    }


def test_tf_idf_by_hand() -> None:
    """Words in two texts or more; tf times ln((1 + N)/(1 + n)) + 1, rows of length 1."""
    words = Words.of(TEXTS)
    assert words.words == ("a", "cat", "dog", "sat", "the")
    x = words.rows(TEXTS, rare=True).table(np.float64)
    idf = np.log(6 / 3) + 1  # every word is in two of the five texts
    second = np.array([0, 0, 1, 1, 2]) * idf
    assert x[1] == pytest.approx(second / np.linalg.norm(second), rel=1e-6)
    assert not x[3].any()
    shares = words.rows(TEXTS, rare=False).table(np.float64)
    assert shares[1] == pytest.approx([0, 0, 0.25, 0.25, 0.5])
    assert words.tokens(TEXTS)[1].tolist() == [6, 4, 5, 6, 1]


@pytest.mark.parametrize("text", ["tf-idf", "bag", "recurrent"])
def test_a_run_learns_from_texts(text: str, tmp_path: Path) -> None:
    run = train(values(folder_of(tmp_path / "g"), text, epochs=80), str(tmp_path / "run"))
    assert run.result is not None
    assert run.result["metrics"]["test.accuracy"] > 0.9
    again = open_run(str(tmp_path / "run"))
    assert again.evaluate("test")["loss"] == pytest.approx(run.result["metrics"]["test.loss"])
    assert len(again.predict(["3"])) == 1


def test_texts_that_are_not_used_and_empty_ones_are_noted(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "g")
    nodes = folder / "nodes.csv"
    nodes.write_text(nodes.read_text().replace('3,dog," dog"', "3,dog,"))

    def notes(text: str) -> tuple[str, ...]:
        task: Any = configs.resolve(values(folder, text)).build_task()
        return tuple(task.graph.notes)

    assert "4 nodes have an empty text" in notes("tf-idf")
    assert "texts are not used (data.text)" in notes("none")
    _, _, chosen = configs.resolve(values(folder, "auto")).settled()
    assert any("texts become features by tf-idf" in line for line in chosen)


def test_the_same_nodes_are_asked_however_their_texts_are_used(tmp_path: Path) -> None:
    """So that runs that use them differently are compared on the same examples."""
    folder, found = folder_of(tmp_path / "g"), set()
    for text in ("none", "tf-idf", "bag", "recurrent"):
        task: Any = configs.resolve(values(folder, text)).build_task()
        found.add(task.examples(task.build(), "test", lambda done: None).sha256)
    assert len(found) == 1


@pytest.mark.parametrize("text", ["tf-idf", "recurrent"])
def test_a_word_that_is_the_label_is_a_leak(text: str, tmp_path: Path) -> None:
    """Every text ends with its class."""
    task: Any = configs.resolve(values(folder_of(tmp_path / "g"), text)).build_task()
    folder = tmp_path / "g"
    lines = (folder / "nodes.csv").read_text().replace("cat sat", "sat").replace("dog sat", "sat")
    lines = lines.replace("a cat ", "a ").replace("a dog ", "a ")
    (folder / "nodes.csv").write_text(lines)
    (leak,) = task.leaks(task.build())
    assert "of the features tells every class by itself" in leak.text


def test_no_text_at_all_is_one_line(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "g", empty=True)
    empty: Any = configs.resolve(values(folder, "tf-idf")).build_task()
    with pytest.raises(WorkingsError, match="the text of every node is empty"):
        _ = empty.graph
    config = {"task": "graph", "data": {"name": "karate", "text": "recurrent"}}
    none: Any = configs.resolve(config).build_task()
    with pytest.raises(WorkingsError, match="karate gives its nodes no text"):
        _ = none.graph


def test_killed_and_resumed_it_is_the_same_run(tmp_path: Path) -> None:
    config = values(folder_of(tmp_path / "g"), "recurrent", "gcn", epochs=3)
    config["model"] |= {"dropout": 0.5, "dropout_input": 0.5}
    config["train"] |= {"checkpoint_seconds": 0.0}
    assert_resumes(config, tmp_path, range(2, 60, 13), ["after"])
