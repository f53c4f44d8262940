"""What the Try page shows of trained models, held against the models themselves."""

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest
import torch
from PIL import Image

from workings.data.readers import audio
from workings.errors import WorkingsError
from workings.nn.recurrent import LSTM
from workings.page.trying import graph, images, language, opened, speech
from workings.run import open_run
from workings.tasks.speech.config import SpeechData
from workings.tasks.speech.corpus import DigitSpeech
from workings.tasks.speech.task import SpeechTask

ASKED = {"prompt": "the old", "after": [], "length": 6, "seed": 3, "temperature": 1.0, "top_k": 0}


def test_tokens_stream_with_the_model_s_own_probabilities(models: Path) -> None:
    path = str(models / "words")
    first, *tokens = language.generate(path, False, ASKED)
    assert first == {"prompt": "the old", "unknown": []}
    run = open_run(path)
    (sample,) = run.generate("the old", length=6, seed=3, past_end=True)
    assert [each["token"] for each in tokens] == [each["token"] for each in sample.tokens]
    for ours, theirs in zip(tokens, sample.tokens, strict=True):
        assert ours["p"] == pytest.approx(theirs["probability"], rel=1e-5)
        assert ours["others"] == sorted(ours["others"], key=lambda pair: -pair[1])
    written = "the old" + "".join(each["text"] for each in tokens).replace("⏎", "")
    assert written.split() == sample.text.split()


def test_a_text_goes_on_from_another_choice(models: Path) -> None:
    path = str(models / "words")
    greedy = {**ASKED, "greedy": True, "length": 3}
    _, *tokens = language.generate(path, False, greedy)
    _, *after = language.generate(path, False, {**greedy, "after": [tokens[0]["token"]]})
    assert [each["token"] for each in after[:2]] == [each["token"] for each in tokens[1:3]]
    with pytest.raises(WorkingsError, match="no such token"):
        list(language.generate(path, False, {**greedy, "after": ["zebra"]}))
    with pytest.raises(WorkingsError, match="temperature"):
        list(language.generate(path, False, {**greedy, "temperature": -1.0}))


def test_attention_is_a_distribution_over_the_tokens_before(models: Path) -> None:
    (found,) = language.attention(str(models / "words"), False, "the old fox")
    assert found["tokens"][1:] == ["the", "old", "fox"]
    weights = torch.tensor(found["weights"])
    assert weights.sum(-1) == pytest.approx(torch.ones(weights.shape[:-1]), abs=0.01)
    assert not weights.triu(1).any()


def test_gates_are_those_of_the_step_s_equation() -> None:
    layer, x_T1d = LSTM(3, 4), torch.randn(5, 1, 3)
    with torch.no_grad():
        layer.weight_hh_l0.normal_()
        gates = language.opened_by(layer, x_T1d)
        h_1BD = torch.zeros(1, 1, 4)
        for t in range(5):
            _, (after_h, after_c) = layer(x_T1d[: t + 1])
            x, h, w, v = x_T1d[t, 0], h_1BD[0, 0], layer.weight_ih_l0, layer.weight_hh_l0
            z = w @ x + v @ h + layer.bias_ih_l0 + layer.bias_hh_l0
            for at, name in ((0, "input"), (1, "forget"), (3, "output")):
                expected = 1 / (1 + np.exp(-z[4 * at : 4 * at + 4].numpy()))
                assert gates[name][t].numpy() == pytest.approx(expected, abs=1e-5)
            shown = gates["output"][t] * after_c[0, 0].tanh()
            assert shown.numpy() == pytest.approx(after_h[0, 0].numpy(), abs=1e-5)
            h_1BD = after_h


def test_a_picture_gets_the_probabilities_that_predict_gives(models: Path, tmp_path: Path) -> None:
    path, file = str(models / "pets"), tmp_path / "drawn.png"
    pixels = np.random.default_rng(0).integers(0, 255, (40, 30, 3), np.uint8)
    Image.fromarray(pixels).save(file)
    (found,) = images.picture(path, False, str(file))
    run = open_run(path)
    expected = run.predict([str(file)])[0]["probabilities"]
    assert found["probabilities"] == pytest.approx(expected, abs=1e-5)
    _, height, width = run.task.form.shape  # type: ignore[attr-defined]
    assert np.shape(found["looked"]) == (height, width)
    assert np.max(found["looked"]) == 1
    assert len(found["nearest"]) == images.NEAREST


def test_where_it_looked_is_the_gradient_of_the_best_class(models: Path) -> None:
    path = str(models / "pets")
    (found,) = images.example(path, False, 0)
    run = opened.run_at(path, False)
    task = images._task(run)
    x = task.form.normalised(task.set.splits["test"].pixels[:1])
    best = list(task.form.names).index(max(found["probabilities"], key=found["probabilities"].get))
    logits = run.model.logits  # type: ignore[union-attr]
    y, z = np.unravel_index(np.argmax(found["looked"]), np.shape(found["looked"]))
    slopes = []
    for pixel in ((y, z), (0, 0)):
        step = torch.zeros_like(x)
        step[0, :, pixel[0], pixel[1]] = 1e-2
        with torch.no_grad():
            slopes.append(float((logits(x + step) - logits(x - step))[0, best].abs()))  # type: ignore[operator]
    assert slopes[0] >= slopes[1]


@pytest.mark.parametrize("content", [b"", b"no picture", b"\x89PNG\r\n\x1a\n" + b"\0" * 50])
def test_what_is_no_picture_is_refused_without_its_path(
    models: Path, tmp_path: Path, content: bytes
) -> None:
    file = tmp_path / "secret-name.png"
    file.write_bytes(content)
    with pytest.raises(WorkingsError) as refused:
        list(images.picture(str(models / "pets"), False, str(file)))
    assert "secret-name" not in str(refused.value)


def test_nodes_have_the_classes_that_predict_gives(models: Path) -> None:
    path = str(models / "karate")
    (found,) = graph.around(path, False, "33")
    run = open_run(path)
    expected = {row["input"]: row for row in run.predict([])}
    classes = graph.first(run)["classes"]
    assert len(found["nodes"]) == len(expected) == 34
    for node in found["nodes"]:
        probabilities = dict(zip(classes, node["p"], strict=True))
        assert probabilities == pytest.approx(expected[node["name"]]["probabilities"], abs=1e-4)
    assert found["nodes"][found["centre"]]["name"] == "33"
    with pytest.raises(WorkingsError, match="no node"):
        list(graph.around(path, False, "nobody"))


def test_attention_on_edges_adds_up_to_one_with_the_node_itself(models: Path) -> None:
    run = opened.run_at(str(models / "karate"), False)
    weights = graph._attention(run)
    into = [sum(w for (_, i), w in weights.items() if i == node) for node in range(34)]
    assert into == pytest.approx([1.0] * 34, abs=1e-5)


def test_a_clip_is_transcribed_as_the_command_does(models: Path) -> None:
    path = str(models / "clips")
    (found,) = speech.example(path, False, 1)
    run = open_run(path)
    texts, file_of = speech._examples(speech._task(run))
    file = file_of(1, models)
    assert (found["said"], found["text"]) == (texts[1], run.transcribe(file).text)
    (piece,) = found["pieces"]
    assert len(piece["weights"]) == len(piece["times"]) == len(piece["tokens"])
    assert np.sum(piece["weights"], 1) == pytest.approx(np.ones(len(piece["tokens"])), abs=0.05)
    assert np.min(found["spectrogram"]) >= 0


def test_joined_digits_are_clips_to_try(tmp_path: Path) -> None:
    path, noise = tmp_path / "digits.npz", np.random.default_rng(0)
    sound = noise.integers(-9000, 9000, 60 * 900).astype(np.int16)
    about = {"label": np.arange(60) % 10, "speaker": np.arange(60) // 10, "sample_rate": 8000}
    np.savez(path, audio=sound, offsets=np.arange(61) * 900, **about)
    heard = DigitSpeech(SpeechData(name="audiomnist"), path)
    texts, file_of = speech._examples(cast(SpeechTask, SimpleNamespace(heard=heard)))
    assert texts == heard.splits["test"].texts[:6]
    written = audio.read(file_of(2, tmp_path))
    assert written.rate == 8000
    np.testing.assert_array_equal(written.samples, heard.drawn("test", 6).samples(2))


def test_models_are_opened_once_and_the_oldest_makes_room(
    models: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opened, "MOST_OPEN", 2)
    monkeypatch.setattr(opened, "_runs", type(opened._runs)())
    words, pets, karate = (str(models / name) for name in ("words", "pets", "karate"))
    first = opened.run_at(words, False)
    opened.run_at(pets, False)
    assert opened.run_at(words, False) is first
    opened.run_at(karate, False)
    assert [key[0] for key in opened._runs] == [words, karate]
    views = [next(opened.about(path, False))["view"] for path in (words, pets, karate)]
    assert views == ["language", "images", "graph"]
