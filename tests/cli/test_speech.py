"""Speech from the command line: train, evaluate, transcribe, speak, and every refusal in a line."""

import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest
import soundfile

from tests.command import Done, command
from tests.tasks.speech.speech_sets import RATE, lj_speech, tone, words
from workings.run import config as configs

SETTINGS = (
    *("model.width=16", "model.blocks=1", "model.feedforward=24", "data.bands=20"),
    *("data.window=160", "data.hop=40", "data.max_tokens=20", "train.epochs=2", "train.batch=8"),
)


def refused(done: Done, said: str) -> None:
    assert done.code == 2, done.err
    lines = [line for line in done.err.splitlines() if not line.startswith("data ")]
    assert len(lines) == 1, done.err
    assert lines[0].startswith("workings: ")
    assert said in lines[0]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A set, a run on it, and some sounds."""
    folder = tmp_path_factory.mktemp("speech")
    lj_speech(folder / "set", words(40))
    settings = [part for setting in SETTINGS for part in ("--set", setting)]
    done = command(
        *("train", "speech", "--data", folder / "set", "--run", folder / "run"), *settings
    )
    assert done.code == 0, done.err
    assert "said" in done.out
    assert "workings transcribe" in done.out
    samples = tone("bad cab")
    soundfile.write(folder / "a.wav", samples, RATE)
    soundfile.write(folder / "b.wav", np.stack([samples] * 2, 1), RATE, subtype="PCM_U8")
    soundfile.write(folder / "silent.wav", np.zeros(4000), RATE)
    soundfile.write(folder / "zero.wav", np.zeros(0), RATE)
    (folder / "text.wav").write_text("not a sound")
    return folder


def test_transcribes(folder: Path) -> None:
    done = command("transcribe", folder / "run", folder / "a.wav", folder / "b.wav", "--json")
    assert done.code == 0, done.err
    mono, stereo = json.loads(done.out)
    assert mono["prediction"] == stereo["prediction"]  # the same sound, also in 8 bits
    assert mono["seconds"] == pytest.approx(0.35)
    (piece,) = mono["pieces"]
    assert (piece["start"], piece["end"]) == (0, 0.35)
    logs = [np.log(token["probability"]) for token in piece["tokens"]]
    assert mono["score"] == pytest.approx(np.mean(logs), abs=1e-3)
    plain = command("transcribe", folder / "run", folder / "a.wav", "--beam", 3)
    assert plain.code == 0
    assert plain.out.count("\n") == 1


def test_charts_the_alignment(folder: Path) -> None:
    chart = folder / "alignment.svg"
    done = command("transcribe", folder / "run", folder / "a.wav", "--alignment", chart)
    assert done.code == 0, done.err
    assert "time (s)" in chart.read_text()


def test_silence_has_no_text(folder: Path) -> None:
    done = command("transcribe", folder / "run", folder / "silent.wav")
    assert (done.code, done.out) == (0, "\n")
    assert "is silent" in done.err


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["none.wav"], "none.wav: no such sound file"),
        (["text.wav"], "text.wav: cannot be read as sound"),
        (["zero.wav"], "zero.wav: holds no sound"),
        (["set"], "is a folder"),
        (["a.wav", "--alignment", "x.bmp"], "no chart can be written as 'x.bmp'"),
        (["a.wav", "--alignment", "no/such/x.svg"], "there is no folder"),
        (["a.wav", "b.wav", "--alignment", "x.svg"], "charts one file"),
        (["silent.wav", "--alignment", "x.svg"], "nothing to chart"),
        (["a.wav", "--beam", "0"], "--beam"),
    ],
)
def test_transcribe_refuses(folder: Path, args: list[str], said: str) -> None:
    files = [folder / arg if (folder / arg).exists() or "." in arg else arg for arg in args]
    done = command("transcribe", folder / "run", *files)
    if "silent" in args[0]:
        assert done.code == 2
        assert said in done.err.splitlines()[-1]
    else:
        refused(done, said)


def test_evaluates_a_folder(folder: Path) -> None:
    done = command("eval", folder / "run", "--data", folder / "set", "--json")
    assert done.code == 0, done.err
    metrics = json.loads(done.out)["metrics"]
    assert metrics["clips"] == 40
    named = {"jaccard_characters", "cosine_characters", "damerau_levenshtein_characters"}
    named |= {"jaccard_words", "cosine_words", "word_error_rate", "known_words", "loss"}
    assert named <= metrics.keys()
    refused(command("eval", folder / "run", "--data", folder / "nowhere"), "no such file, folder")


def test_bad_clips(folder: Path) -> None:
    bad = lj_speech(folder / "bad", words(30))
    (bad / "wavs" / "T004.wav").write_bytes(b"x")
    refused(command("train", "speech", "--data", bad, "--run", folder / "no"), "T004: cannot")
    assert not (folder / "no").exists()
    settings = [part for setting in SETTINGS for part in ("--set", setting)]
    done = command(
        *("train", "speech", "--data", bad, "--run", folder / "yes"),
        *(*settings, "--set", "data.skip_bad=true"),
    )
    assert done.code == 0, done.err
    assert "left out: T004" in done.err
    shown = command("data", "show", bad)
    assert "bad: T004" in shown.out


@pytest.mark.skipif(
    importlib.util.find_spec("espeakng_loader") is None, reason="espeakng-loader absent"
)
def test_speaks(folder: Path) -> None:
    text = folder / "poem.txt"
    text.write_text("One fish.\nTwo fish.\nRed fish, 5 fish!\nBlue fish.\n")
    done = command("data", "speak", "--text", text, "--voices", 4, "--out", folder / "poem")
    assert done.code == 0, done.err
    assert "synthetic" in done.out
    assert "GPL-3" in done.out
    assert "2 symbols are outside the alphabet: 5 !" in done.out
    assert len(list((folder / "poem" / "wavs").iterdir())) == 4
    shown = command("data", "show", folder / "poem")
    assert "espeak-ng" in shown.out
    refused(command("data", "speak", "--text", text, "--out", folder / "poem"), "is there already")
    refused(command("data", "speak", "--text", folder / "no.txt"), "no.txt: no such file")
    refused(command("data", "speak", "--text", text, "--voices", 2), "--voices 2")


@pytest.mark.parametrize("decoder", ["recurrent", "attention"])
@pytest.mark.parametrize("name", ["ljspeech", "digits", "spoken"])
def test_shipped_configs(name: str, decoder: str) -> None:
    """Of two with one name only the decoder differs."""
    config = configs.resolve(configs.load(f"{name}-{decoder}"))
    assert config.model.decoder == decoder  # type: ignore[attr-defined]
    other = configs.resolve(configs.load(f"{name}-recurrent")).flat() | {"model.decoder": decoder}
    assert config.flat() == other


def test_ljspeech_is_as_published() -> None:
    flat = configs.resolve(configs.load("ljspeech-attention")).flat()
    published = {
        **{"data.bands": 80, "data.window": 400, "data.hop": 160, "data.max_frames": 2754},
        **{"data.max_tokens": 99, "data.rate": 0, "model.width": 200, "model.heads": 2},
        **{"model.blocks": 2, "model.feedforward": 400, "model.stride": 2, "train.batch": 64},
        **{"train.optimizer": "adamw", "train.lr": 1e-3, "train.epochs": 15},
        **{"train.schedule": "linear", "model.layers": 1},
    }
    assert {key: flat[key] for key in published} == published
    assert flat["train.warmup"] > 0
