"""Features on disk: what they are, that they are reused, and never half there."""

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from tests.tasks.speech.speech_sets import RATE, lj_speech, tone
from workings.data import sources
from workings.data.readers import audio
from workings.errors import WorkingsError
from workings.tasks.speech import feature_cache as spectra
from workings.tasks.speech.config import SpeechData
from workings.tasks.speech.features import log_mel
from workings.tasks.speech.recordings import checksum, listed


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKINGS_CACHE", str(tmp_path / "cache"))


def cached(folder: Path, **values: Any) -> spectra.Spectra:
    found, config = listed(folder), SpeechData(path=str(folder), **values)
    return spectra.cached(found.recordings, config, checksum(found))


def test_they_are_the_clips_features(tmp_path: Path) -> None:
    texts = ["abc", "de", "fghij"]
    found = cached(lj_speech(tmp_path / "set", texts), bands=20)
    assert found.rate == RATE
    for number, text in enumerate(texts):
        sound = (tone(text) * 32768).round() / 32768
        expected = log_mel(sound, RATE, 20)
        np.testing.assert_allclose(found.clip(number), expected, atol=2e-3)
        assert found.frames[number] == len(expected)


def test_computed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = lj_speech(tmp_path / "set", ["abc", "de"])
    first = cached(folder, bands=20).clip(1)
    monkeypatch.setattr(audio, "read", lambda *_: pytest.fail("read again"))
    assert (cached(folder, bands=20).clip(1) == first).all()
    monkeypatch.undo()
    monkeypatch.setenv("WORKINGS_CACHE", str(tmp_path / "cache"))
    assert cached(folder, bands=10).clip(1).shape[1] == 10  # other settings, other features
    assert cached(folder, bands=20, rate=2 * RATE).frames == [7, 5]


@pytest.mark.parametrize("at", ["features", "rename", "sync"])
def test_never_half_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: str) -> None:
    folder = lj_speech(tmp_path / "set", ["abc", "de", "fg"])

    class Killed(BaseException):
        pass

    def die(*_: Any) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        if at == "features":
            real = spectra._features_of
            calls = iter([real, real, die])
            patch.setattr(spectra, "_features_of", lambda *given: next(calls)(*given))
        elif at == "rename":
            patch.setattr(os, "rename", die)
        else:
            patch.setattr(os, "fsync", die)
        with pytest.raises(Killed):
            cached(folder, bands=20)
    assert not [one for one in (sources.cache() / "speech").iterdir() if one.name[0] != "."]
    assert len(cached(folder, bands=20).frames) == 3


def test_a_damaged_cache_is_made_anew(tmp_path: Path) -> None:
    folder = lj_speech(tmp_path / "set", ["abc", "de"])
    first = cached(folder, bands=20).clip(0)
    (place,) = (sources.cache() / "speech").iterdir()
    for name, content in (("spectra.f16", b"12"), ("spectra.json", b"{")):
        (place / name).write_bytes(content)
        assert (cached(folder, bands=20).clip(0) == first).all()


def test_problems_are_kept_with_their_clip(tmp_path: Path) -> None:
    folder = lj_speech(tmp_path / "set", ["abc", "de", "fg", "hi"])
    soundfile.write(folder / "wavs" / "T000.wav", np.zeros(500), RATE)
    soundfile.write(folder / "wavs" / "T001.wav", np.zeros(0), RATE)
    (folder / "wavs" / "T002.wav").write_bytes(b"no sound")
    found = cached(folder, bands=20)
    assert [bool(frames) for frames in found.frames] == [False, False, False, True]
    assert [one[:20] for one in found.problems] == [
        "is silent: its great",
        "holds no sound, its ",
        "cannot be read as so",
        "",
    ]
    assert found.clip(3).shape[1] == 20


def test_rates_that_differ(tmp_path: Path) -> None:
    folder = lj_speech(tmp_path / "set", ["abc", "de"])
    soundfile.write(folder / "wavs" / "T001.wav", tone("de", 8000), 8000)
    with pytest.raises(WorkingsError, match=r"T000 has 4,000 .* T001 8,000: set data\.rate"):
        cached(folder)
    found = cached(folder, rate=RATE)
    np.testing.assert_allclose(found.clip(1)[1:-1], log_mel(tone("de"), RATE)[1:-1], atol=0.15)


def test_no_clip_at_all(tmp_path: Path) -> None:
    folder = lj_speech(tmp_path / "set", ["abc"])
    soundfile.write(folder / "wavs" / "T000.wav", np.zeros(500), RATE)
    with pytest.raises(WorkingsError, match=r"T000: is silent.*no clip can be used"):
        cached(folder)
    (folder / "wavs" / "T000.wav").unlink()
    with pytest.raises(WorkingsError, match="has no folder wavs with sound"):
        cached(folder)
