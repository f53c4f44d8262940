"""The speech benchmark: both sides do the same work."""

from pathlib import Path
from typing import Any

import pytest
import torch

from tests.tasks.speech.speech_sets import lj_speech, words
from workings.bench import speech
from workings.bench.sides import Turn
from workings.tasks.speech import corpus
from workings.tasks.speech.config import SpeechData


@pytest.fixture(autouse=True)
def _small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tones in place of LJ Speech, and fewer frames and tokens."""
    data = SpeechData(path=str(lj_speech(tmp_path / "set", words(24))))
    clips = corpus.read(data).splits["train"]
    monkeypatch.setattr(speech, "clips_of", lambda name: (data, clips))
    monkeypatch.setattr(speech, "LONGEST", 40)
    monkeypatch.setattr(speech, "TOKENS", 12)
    monkeypatch.setattr(speech, "BATCH", 6)


def test_both_sides_compute_the_same() -> None:
    apart = speech.differences("tones")
    assert set(apart) == {f"{kind} {what}" for kind in speech.KINDS for what in ("loss", "tokens")}
    assert speech.tolerable(apart)
    assert not speech.tolerable(apart | {"attention loss": 0.1})
    assert not speech.tolerable(apart | {"recurrent tokens": 9.0})


def test_theirs_is_padded_and_ours_is_not() -> None:
    assert {batch[0].shape[1] for batch in speech.batches("tones", 40)} == {40}
    ours = speech.batches("tones", 0)
    assert all(batch[0].shape[1] == batch[1].max() for batch in ours)
    assert sum(len(batch[0]) for batch in ours) == 19


@pytest.mark.parametrize("kind", speech.KINDS)
def test_a_step_trains(kind: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    real = speech.model_of
    monkeypatch.setattr(speech, "model_of", lambda kind: made.append(real(kind)) or made[-1])
    work = speech.training(kind, "tones", 0)
    before = [parameter.clone() for parameter in made[0].parameters()]
    work()
    assert any(not torch.equal(a, b) for a, b in zip(before, made[0].parameters(), strict=True))


def test_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Theirs takes 3 s a turn, ours 1 s; of training also clips a second and memory."""

    def race(sides: Any, threads: int, rounds: int, seconds: float) -> Any:
        return {side: [Turn(3.0 if side == "theirs" else 1.0, 5e6)] * rounds for side in sides}

    monkeypatch.setattr(speech, "race", race)
    rows = speech.run("tones", 2, 0.1, lambda text: None)
    assert len(rows) == 6
    assert all(row["ratio"] == 3 for row in rows)
    training = [row for row in rows if row["name"].startswith("train")]
    assert [row["ours_clips_per_second"] for row in training] == [6.0, 6.0]
    assert [row["theirs_peak_bytes"] for row in training] == [5e6, 5e6]
