"""Learned vectors: of the right things, near by the cosine, and in files that others can read."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest
import torch

import workings
from tests.command import command
from tests.tiny import MODELS, trained, untrained
from workings.errors import WorkingsError
from workings.run import Run
from workings.tasks.embedding import Embedding, before_output


def test_near_is_the_cosine() -> None:
    vectors = np.array([[1.0, 0], [2.0, 0.2], [0, 3.0], [-1.0, 0]])
    some = Embedding("word", ["a", "b", "c", "d"], vectors)
    assert [name for name, _ in some.near("a")] == ["b", "c", "d"]
    assert dict(some.near("a"))["b"] == pytest.approx(2 / np.hypot(2, 0.2))
    assert dict(some.near("a"))["d"] == pytest.approx(-1)
    with pytest.raises(WorkingsError, match="no word 'e'"):
        some.near("e")


@pytest.mark.parametrize("kind", MODELS["graph"])
def test_a_node_s_state_is_what_the_last_layer_sees(kind: str, tmp_path: Path) -> None:
    task, model = untrained("graph", kind, tmp_path)
    states = torch.from_numpy(task.embed(model, []).vectors)  # type: ignore[attr-defined]
    logits = task.outputs(model)  # type: ignore[attr-defined]
    assert len(states) == 34
    if kind == "ggnn":
        torch.testing.assert_close(model.output(states), logits)
    if kind == "mlp":
        torch.testing.assert_close(states @ model.W[-1] + model.b[-1], logits)
    if kind in ("gcn", "row"):
        torch.testing.assert_close(model.layers[-1](task.inputs(model)[1], states), logits)


@pytest.fixture(scope="module")
def language(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return trained("language", "lstm", tmp_path_factory.mktemp("embed"))


def test_words_and_sentences(language: Run) -> None:
    words = language.embed()
    assert words.names[0] == "<eos>"
    np.testing.assert_array_equal(words.vectors, language.model.embedding.weight.detach())
    some = language.embed(["the old fox", "the red dog saw"])
    ids = language.task.vocabulary.encode("the old fox")  # type: ignore[attr-defined]
    start = language.task.vocabulary.start  # type: ignore[attr-defined]
    h = before_output(language.model, torch.tensor([[start, *ids]]))
    np.testing.assert_allclose(some.vectors[0], h[1:, 0].mean(0), rtol=1e-5)
    with pytest.raises(WorkingsError, match="holds no words"):
        language.embed([" "])


def test_vectors_are_named_by_what_a_token_is(tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("the old fox saw the red dog\n" * 60)
    data = {"train": [str(tmp_path / "text.txt")], "level": "char"}
    settings = {"task": "language", "data": data, "model": {"embed": 4, "hidden": 4}}
    run = workings.train(settings | {"train": {"max_steps": 1}}, name=str(tmp_path / "run"))
    with pytest.raises(WorkingsError, match="no character 'fox'"):
        run.embed().near("fox")
    output = tmp_path / "vectors.npz"
    said = command("embed", str(tmp_path / "run"), "-o", str(output), "--near", "fox")
    assert (said.code, output.exists()) == (2, False)  # refused before anything is written


def test_pictures_and_clips(tmp_path: Path) -> None:
    task, model = untrained("images", "cnn", tmp_path)
    pictures = task.embed(model, [])  # type: ignore[attr-defined]
    assert pictures.vectors.shape == (len(pictures.labels), 8)
    logits = task.logits(model, task.set.splits["test"].pixels, lambda done: None)  # type: ignore[attr-defined]
    expected = model.output(torch.from_numpy(pictures.vectors)).log_softmax(1)
    torch.testing.assert_close(expected, logits)
    task, model = untrained("speech", "recurrent", tmp_path)
    clips = task.embed(model, [])  # type: ignore[attr-defined]
    assert clips.vectors.shape == (len(clips.labels), 8)
    file = str(sorted((tmp_path / "speech" / "wavs").iterdir())[0])
    assert task.embed(model, [file]).vectors.shape == (1, 8)  # type: ignore[attr-defined]


def test_files_and_neighbours(language: Run, tmp_path: Path) -> None:
    run = language.folder.path
    done = command("embed", run, "-o", tmp_path / "words.npz", "--near", "fox", "--top", 3)
    assert done.code == 0, done.err
    held = np.load(tmp_path / "words.npz")
    assert dict(zip(held["names"], held["vectors"], strict=True))["fox"].shape == (6,)
    assert len(done.out.splitlines()) > 4
    assert command("embed", run, "-o", tmp_path / "words.csv").code == 0
    with (tmp_path / "words.csv").open() as file:
        rows = list(csv.DictReader(file))
    by_name = {row["input"]: float(row["vector.3"]) for row in rows}
    assert by_name["fox"] == pytest.approx(held["vectors"][list(held["names"]).index("fox"), 3])
    (tmp_path / "two.txt").write_text("the old fox\n\nthe red dog\n")
    done = command("embed", run, "--data", tmp_path / "two.txt", "--near", "the old fox", "--json")
    assert [row["neighbour"] for row in json.loads(done.out)] == ["the red dog"]
    for given, said in (((), "give -o"), (("-o", "x.doc"), "must end in")):
        done = command("embed", run, *given)
        assert (done.code, said in done.err) == (2, True)


def test_answers_are_written_with_the_same_keys(language: Run, tmp_path: Path) -> None:
    graph = trained("graph", "gcn", tmp_path).folder.path
    assert command("predict", graph, "3", "30", "-o", tmp_path / "nodes.csv").code == 0
    with (tmp_path / "nodes.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["input"] for row in rows] == ["3", "30"]
    shares = {key: float(row) for key, row in rows[0].items() if key.startswith("probabilities.")}
    assert f"probabilities.{rows[0]['prediction']}" == max(shares, key=lambda key: shares[key])
    assert float(rows[0]["probability"]) == pytest.approx(max(shares.values()))
    for run in (graph, language.folder.path):
        assert command("eval", run, "-o", tmp_path / "eval.jsonl").code == 0
        (line,) = (tmp_path / "eval.jsonl").read_text().splitlines()
        assert json.loads(line)["input"] == "test"
        assert json.loads(line)["loss"] > 0
