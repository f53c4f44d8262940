"""Data as Python objects: what a run reads is what was given."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import networkx
import numpy as np
import pytest
import torch

import workings
from workings.errors import WorkingsError
from workings.run.given_data import data_keys, task_for
from workings.tasks import TASKS
from workings.tasks.graph.config import GraphConfig
from workings.tasks.graph.dataset import load


def read_graph(data: Any) -> Any:
    return load(GraphConfig(**data_keys(TASKS["graph"], data)))


def test_lines_of_text(tmp_path: Path) -> None:
    lines = ["the cat sat on the mat", "and a dog ran to the cat"] * 30
    values = {"task": "language", "model": {"embed": 4, "hidden": 4}, "train": {"epochs": 1}}
    run = workings.train(values, str(tmp_path / "run"), data=lines)
    task: Any = run.task
    assert Path(run.config.data.train[0]).read_text().splitlines() == lines  # type: ignore[attr-defined]
    assert task.vocabulary.encode("the cat")[0] == task.vocabulary.ids["the"]
    assert data_keys(TASKS["language"], lines) == data_keys(TASKS["language"], list(lines))


def test_pixels_and_labels() -> None:
    pixels = np.random.default_rng(1).integers(0, 256, (8, 3, 5, 6)).astype(np.uint8)
    for given in (torch.from_numpy(pixels), pixels, pixels.transpose(0, 2, 3, 1)):
        (path,) = data_keys(TASKS["images"], (given, [0, 1] * 4))["train"]
        with np.load(path) as held:
            assert (held["images"].transpose(0, 3, 1, 2) == pixels).all()
            assert held["labels"].tolist() == [0, 1] * 4


def test_splits_by_name_are_kept_apart() -> None:
    keys = data_keys(TASKS["language"], {"train": ["a b", "c"], "test": ["d"]})
    held = {split: Path(paths[0]).read_text() for split, paths in keys.items()}
    assert held == {"train": "a b\nc\n", "test": "d\n"}
    pixels = np.arange(32, dtype=np.uint8).reshape(2, 4, 4)
    keys = data_keys(TASKS["images"], {"train": (pixels, [0, 1]), "valid": (pixels + 1, [1, 0])})
    with np.load(keys["valid"][0]) as held_arrays:
        assert (held_arrays["images"] == pixels + 1).all()
        assert held_arrays["labels"].tolist() == [1, 0]


def test_data_say_which_task_they_are_for(book: Path, tmp_path: Path) -> None:
    pixels = np.zeros((2, 4, 4), np.uint8)
    ends = torch.tensor([[0], [1]])
    for data, task in (
        (["the cat sat", "on the mat"], "language"),
        ({"train": ["the cat"], "test": ["sat"]}, "language"),
        (book, "language"),
        ([str(book)], "language"),
        ((pixels, [0, 1]), "images"),
        ({"train": (pixels, [0, 1])}, "images"),
        (networkx.path_graph(3), "graph"),
        ({"edge_index": ends}, "graph"),
        (SimpleNamespace(edge_index=ends), "graph"),
    ):
        assert task_for(data).name == task
    with pytest.raises(WorkingsError, match="no task is known for a ndarray"):
        task_for(pixels)
    with pytest.raises(WorkingsError, match="no such file or folder; name the task"):
        task_for(tmp_path / "gone")


def test_without_a_config_the_data_choose_the_task(tmp_path: Path) -> None:
    graph = networkx.karate_club_graph()
    run = workings.train(data=graph, name=str(tmp_path / "run"), settings={"train.epochs": 1})
    assert run.config.task == "graph"
    assert run.embed().near(33) == run.embed().near("33")  # as networkx names its nodes
    with pytest.raises(WorkingsError, match="give a config, as 'language', or data"):
        workings.train()


def test_graphs() -> None:
    karate = networkx.karate_club_graph()
    assert (read_graph(karate).nodes, read_graph(karate).edges) == (34, 78)
    ends = torch.tensor([[0, 1, 2], [1, 2, 3]])
    mask = torch.tensor([True, True, False, False])
    given = {"edge_index": ends, "x": torch.rand(4, 2), "y": torch.tensor([0, 1, 0, 1])}
    for data in (given | {"train_mask": mask}, SimpleNamespace(**given, train_mask=mask)):
        graph = read_graph(data)
        assert (graph.edges, graph.splits["train"].tolist()) == (3, [0, 1])
        assert np.allclose(graph.x().table(np.float32), given["x"])


def test_paths_and_what_cannot_be_taken(book: Path) -> None:
    assert data_keys(TASKS["language"], book) == {"train": [str(book)]}
    assert data_keys(TASKS["language"], [str(book)]) == {"train": [str(book)]}
    with pytest.raises(WorkingsError, match="the speech task cannot take a list"):
        data_keys(TASKS["speech"], [1, 2])
    with pytest.raises(WorkingsError, match="needs edge_index"):
        data_keys(TASKS["graph"], {})


def pictures() -> tuple[np.ndarray, np.ndarray]:
    """Forty grey pictures, bright in the middle where they are of the second class."""
    draw = np.random.default_rng(1)
    pixels, labels = draw.integers(0, 90, (40, 8, 8)).astype(np.uint8), np.arange(40) % 2
    pixels[labels == 1, 2:6, 2:6] += 150
    return pixels, labels


def test_classes_go_by_name_and_a_run_is_asked_in_the_same_words(tmp_path: Path) -> None:
    pixels, labels = pictures()
    words = np.array(["dark", "bright"])[labels]
    model = {"channels": [4], "dense": [8], "dropout": 0.0}
    values = {"task": "images", "data": (pixels.astype(float), words), "model": model}
    run = workings.train(values, str(tmp_path / "run"), settings={"train.epochs": 12})
    assert run.config.train.epochs == 12
    assert run.evaluate(data=(pixels, words))["accuracy"] == 1.0
    swapped = np.array(["bright", "dark"])[labels]
    assert run.evaluate(data=(pixels, swapped))["accuracy"] == 0.0
    one, many = run.predict(pixels[1]), run.predict(pixels)
    assert one.shape == (1, 2)
    assert np.allclose(one, many[1:2], atol=1e-5)
    assert one[0].argmax() == 0  # bright, which comes first in the alphabet
    with pytest.raises(WorkingsError, match="an images run cannot generate; it can predict, embed"):
        run.generate()


def test_nodes_are_asked_by_number_and_pairs_as_pairs(tmp_path: Path) -> None:
    karate = networkx.karate_club_graph()
    values = {"task": "graph", "train": {"epochs": 5}}
    run = workings.train(values, str(tmp_path / "nodes"), data=karate)
    assert run.predict([0, 33]) == run.predict(["0", "33"])
    assert run.predict(0) == run.predict("0")
    edges = {"data.predict": "edges"}
    run = workings.train(values, str(tmp_path / "edges"), data=karate, settings=edges)
    assert run.predict([(0, 33)]) == run.predict(["0,33"])


def test_lines_of_text_are_evaluated_and_a_wrong_path_is_no_text(tmp_path: Path) -> None:
    lines = ["the cat sat on the mat", "and a dog ran to the cat"] * 30
    values = {"task": "language", "model": {"embed": 4, "hidden": 4}, "train": {"epochs": 1}}
    run = workings.train(values, str(tmp_path / "run"), data=lines)
    (tmp_path / "same.txt").write_text("".join(f"{line}\n" for line in lines))
    assert run.evaluate(data=lines) == run.evaluate(data=[tmp_path / "same.txt"])
    for call in (run.evaluate, lambda data: workings.train(values, data=data)):
        with pytest.raises(WorkingsError, match=r"bok\.txt: no such file"):
            call(data=["bok.txt"])
