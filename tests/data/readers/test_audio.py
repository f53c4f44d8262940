import itertools
import os
from pathlib import Path

import numpy as np
import pytest
import soundfile
from hypothesis import given, settings
from hypothesis import strategies as st

from workings.data.readers import unpack
from workings.data.readers.audio import (
    Sound,
    cut_short,
    cuts,
    is_silent,
    own_rate,
    read,
    resample,
    trimmed,
)
from workings.errors import WorkingsError


def sine(seconds: float, rate: int, pitch: float = 300) -> np.ndarray:
    return 0.5 * np.sin(2 * np.pi * pitch * np.arange(int(seconds * rate)) / rate)


def test_reads_what_was_written(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "a.flac", sine(0.2, 8000), 8000)
    sound = read(tmp_path / "a.flac")
    assert sound.rate == 8000
    assert sound.seconds == pytest.approx(0.2)
    np.testing.assert_allclose(sound.samples, sine(0.2, 8000), atol=1e-4)


def test_stereo_is_averaged(tmp_path: Path) -> None:
    both = np.stack([sine(0.1, 8000), sine(0.1, 8000, 700)], 1)
    soundfile.write(tmp_path / "a.wav", both, 8000)
    np.testing.assert_allclose(read(tmp_path / "a.wav").samples, both.mean(1), atol=1e-4)


def test_eight_bits(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "a.wav", sine(0.1, 8000), 8000, subtype="PCM_U8")
    np.testing.assert_allclose(read(tmp_path / "a.wav").samples, sine(0.1, 8000), atol=0.01)


@pytest.mark.parametrize("rate", [8000, 22050, 44100])
def test_resampled_is_the_same_sound(rate: int) -> None:
    given = resample(sine(0.5, rate).astype(np.float32), rate, 16000)
    expected = sine(0.5, 16000)
    inner = slice(400, -400)  # the filter rings at the ends
    assert abs(len(given) - len(expected)) <= 1
    np.testing.assert_allclose(given[: len(expected)][inner], expected[inner], atol=2e-3)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("absent.wav", None, "no such sound file"),
        ("text.wav", b"hello, I am not a sound", "cannot be read as sound"),
        ("empty.wav", b"", "cannot be read as sound"),
        ("noise.xyz", b"\0\1\2\3" * 40, "cannot be read as sound"),
    ],
)
def test_what_is_no_sound_is_named(tmp_path: Path, name: str, content: bytes, said: str) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(WorkingsError, match=f"{name}: {said}") as error:
        read(tmp_path / name)
    assert "\n" not in str(error.value)


def test_zero_length_folders_and_not_finite(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "zero.wav", np.zeros(0), 8000)
    soundfile.write(tmp_path / "nan.wav", np.full(9, np.nan), 8000, subtype="FLOAT")
    for name, said in (("zero.wav", "length is zero"), ("nan.wav", "not finite")):
        with pytest.raises(WorkingsError, match=said):
            read(tmp_path / name)
    with pytest.raises(WorkingsError, match="is a folder"):
        read(tmp_path)


def test_silence() -> None:
    assert is_silent(np.zeros(100))
    assert is_silent(np.full(100, 5e-5))
    assert is_silent(np.zeros(0))
    assert not is_silent(np.array([0, 0, 1e-3]))


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.integers(1, 5000), st.integers(2, 700), st.integers(0, 9))
def test_pieces_cover_all_and_none_is_too_long(samples: int, longest: int, seed: int) -> None:
    chance = np.random.default_rng(seed)
    sound = Sound(chance.standard_normal(samples).astype(np.float32), 1000)
    pieces = cuts(sound, longest)
    assert pieces[0][0] == 0
    assert pieces[-1][1] == samples
    assert all(end == start for (_, end), (start, _) in itertools.pairwise(pieces))
    assert all(0 < end - start <= longest for start, end in pieces)


def test_trimmed_to_where_it_sounds() -> None:
    sound = np.concatenate([np.full(1000, 1e-4), sine(0.1, 8000), np.zeros(2000)])
    assert trimmed(sound, 8000) == pytest.approx((600, 2200), abs=5)
    assert trimmed(sound[900:1900], 8000) == pytest.approx((0, 1000), abs=5)
    assert trimmed(np.zeros(50), 8000) == (0, 50)


def test_is_cut_where_it_is_quiet() -> None:
    """Words of 0.4 s, silences of 0.2 s: every cut lies in a silence."""
    rate = 8000
    word, silence = sine(0.4, rate), np.zeros(int(0.2 * rate))
    samples = np.concatenate([part for _ in range(12) for part in (word, silence)])
    loud = np.abs(np.convolve(np.abs(samples), np.ones(40), "same")) > 0.5
    pieces = cuts(Sound(samples.astype(np.float32), rate), int(1.5 * rate))
    assert len(pieces) > 4
    assert not any(loud[end] for _, end in pieces[:-1])


def test_a_pipe_and_a_device_are_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.wav")
    (tmp_path / "zero.wav").symlink_to("/dev/zero")
    for name in ("pipe.wav", "zero.wav"):
        for function in (read, own_rate):
            with pytest.raises(WorkingsError, match=f"{name}: is not a regular file"):
                function(tmp_path / name)


def test_a_rate_of_1_hz_is_not_resampled_to_gigabytes(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "a.wav", np.zeros(40_000), 1)
    with pytest.raises(WorkingsError, match="has a sample rate of 1 Hz"):
        read(tmp_path / "a.wav", 16000)


def test_what_would_not_fit_once_resampled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    soundfile.write(tmp_path / "a.wav", sine(1, 8000), 8000)
    monkeypatch.setattr(unpack, "memory_budget", lambda: 40_000)
    assert read(tmp_path / "a.wav").rate == 8000
    with pytest.raises(WorkingsError, match="more than half of this machine's memory"):
        read(tmp_path / "a.wav", 16000)


def test_a_sample_beyond_all_sound_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.wav"
    soundfile.write(path, np.full(100, 3e38, np.float32), 8000, subtype="FLOAT")
    with pytest.raises(WorkingsError, match=r"holds a sample of 3e\+38; they lie between -1 and 1"):
        read(path, 16000)


@pytest.mark.parametrize(
    ("promised", "cut"),
    [(None, False), (4_294_967_036, True), (0xFFFFFFFF, False), (0, False), (5000, True)],
)
def test_a_wav_that_ends_before_its_header_says(
    tmp_path: Path, promised: int | None, cut: bool
) -> None:
    path = tmp_path / "a.wav"
    soundfile.write(path, np.zeros(1000), 8000)
    content = bytearray(path.read_bytes())
    if promised is not None:
        content[4:8] = promised.to_bytes(4, "little")
    path.write_bytes(content)
    assert cut_short(path) == cut
    assert not cut_short(tmp_path / "none.wav")
