"""Speech from the command line: train, evaluate, transcribe, speak, and every refusal in a line."""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import soundfile

from tests.tasks.speech.speech_sets import RATE, lj_speech, tone, words
from workings.run import config as configs

SETTINGS = (
    *("model.width=16", "model.blocks=1", "model.feedforward=24", "data.bands=20"),
    *("data.window=160", "data.hop=40", "data.max_tokens=20", "train.epochs=2", "train.batch=8"),
)


def workings(*args: object, **env: str) -> subprocess.CompletedProcess[str]:
    """The command, in a process of its own, without any of the user's data."""
    clean = {k: v for k, v in os.environ.items() if k not in ("WORKINGS_DATA", "WORKINGS_RUNS")}
    return subprocess.run(
        [sys.executable, "-m", "workings", *map(str, args)],
        capture_output=True,
        text=True,
        env=clean | {"OMP_NUM_THREADS": "1"} | env,
        check=False,
    )


def refused(done: subprocess.CompletedProcess[str], said: str) -> None:
    assert done.returncode == 2, done.stderr
    lines = [line for line in done.stderr.splitlines() if not line.startswith("data ")]
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("workings: ")
    assert said in lines[0]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A set, a run on it, and some sounds."""
    place = tmp_path_factory.mktemp("speech")
    lj_speech(place / "set", words(40))
    settings = [part for setting in SETTINGS for part in ("--set", setting)]
    done = workings(
        *("train", "speech", "--data", place / "set", "--run", place / "run"), *settings
    )
    assert done.returncode == 0, done.stderr
    assert "said" in done.stdout
    assert "workings transcribe" in done.stdout
    samples = tone("bad cab")
    soundfile.write(place / "a.wav", samples, RATE)
    soundfile.write(place / "b.wav", np.stack([samples] * 2, 1), RATE, subtype="PCM_U8")
    soundfile.write(place / "silent.wav", np.zeros(4000), RATE)
    soundfile.write(place / "zero.wav", np.zeros(0), RATE)
    (place / "text.wav").write_text("not a sound")
    return place


def test_transcribes(place: Path) -> None:
    done = workings("transcribe", place / "run", place / "a.wav", place / "b.wav", "--json")
    assert done.returncode == 0, done.stderr
    one, other = json.loads(done.stdout)
    assert one["text"] == other["text"]  # the same sound, in stereo and 8 bits
    assert one["seconds"] == pytest.approx(0.35)
    (piece,) = one["pieces"]
    assert (piece["start"], piece["end"]) == (0, 0.35)
    logs = [np.log(token["probability"]) for token in piece["tokens"]]
    assert one["score"] == pytest.approx(np.mean(logs), abs=1e-3)
    plain = workings("transcribe", place / "run", place / "a.wav", "--beam", 3)
    assert plain.returncode == 0
    assert plain.stdout.count("\n") == 1


def test_charts_the_alignment(place: Path) -> None:
    chart = place / "alignment.svg"
    done = workings("transcribe", place / "run", place / "a.wav", "--alignment", chart)
    assert done.returncode == 0, done.stderr
    assert "time (s)" in chart.read_text()


def test_silence_has_no_text(place: Path) -> None:
    done = workings("transcribe", place / "run", place / "silent.wav")
    assert (done.returncode, done.stdout) == (0, "\n")
    assert "is silent" in done.stderr


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
def test_transcribe_refuses(place: Path, args: list[str], said: str) -> None:
    files = [place / arg if (place / arg).exists() or "." in arg else arg for arg in args]
    done = workings("transcribe", place / "run", *files)
    if "silent" in args[0]:
        assert done.returncode == 2
        assert said in done.stderr.splitlines()[-1]
    else:
        refused(done, said)


def test_evaluates_a_folder(place: Path) -> None:
    done = workings("eval", place / "run", "--data", place / "set", "--json")
    assert done.returncode == 0, done.stderr
    metrics = json.loads(done.stdout)["metrics"]
    assert metrics["clips"] == 40
    named = {"jaccard_characters", "cosine_characters", "damerau_levenshtein_characters"}
    named |= {"jaccard_words", "cosine_words", "word_error_rate", "known_words", "loss"}
    assert named <= metrics.keys()
    refused(workings("eval", place / "run", "--data", place / "nowhere"), "no such file, folder")


def test_bad_clips(place: Path) -> None:
    folder = lj_speech(place / "bad", words(30))
    (folder / "wavs" / "T004.wav").write_bytes(b"x")
    refused(workings("train", "speech", "--data", folder, "--run", place / "no"), "T004: cannot")
    assert not (place / "no").exists()
    settings = [part for setting in SETTINGS for part in ("--set", setting)]
    done = workings(
        *("train", "speech", "--data", folder, "--run", place / "yes"),
        *(*settings, "--set", "data.skip_bad=true"),
    )
    assert done.returncode == 0, done.stderr
    assert "left out 1 clips: T004" in done.stderr
    shown = workings("data", "show", folder)
    assert "bad: T004" in shown.stdout


@pytest.mark.skipif(
    importlib.util.find_spec("espeakng_loader") is None, reason="espeakng-loader absent"
)
def test_speaks(place: Path) -> None:
    text = place / "poem.txt"
    text.write_text("One fish.\nTwo fish.\nRed fish, 5 fish!\nBlue fish.\n")
    done = workings("data", "speak", "--text", text, "--voices", 4, "--out", place / "poem")
    assert done.returncode == 0, done.stderr
    assert "synthetic" in done.stdout
    assert "GPL-3" in done.stdout
    assert "2 symbols are outside the alphabet: 5 !" in done.stdout
    assert len(list((place / "poem" / "wavs").iterdir())) == 4
    shown = workings("data", "show", place / "poem")
    assert "espeak-ng" in shown.stdout
    refused(workings("data", "speak", "--text", text, "--out", place / "poem"), "is there already")
    refused(workings("data", "speak", "--text", place / "no.txt"), "no.txt: no such file")
    refused(workings("data", "speak", "--text", text, "--voices", 2), "--voices 2")


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
