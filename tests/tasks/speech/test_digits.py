from pathlib import Path
from typing import Any

import numpy as np
import pytest

from workings.errors import WorkingsError
from workings.tasks.speech.config import SpeechData
from workings.tasks.speech.digits import GAP, WORDS, Digits, Kept, Takes, read
from workings.tasks.speech.features import frames_of, log_mel

RATE, SPEAKERS, TAKES = 1000, 20, 2


def takes() -> Takes:
    """Each take is one number all through: speaker + digit / 100 + take / 1000, times 1000."""
    rows = [(s, d, t) for s in range(SPEAKERS) for d in range(10) for t in range(TAKES)]
    lengths = np.random.default_rng(0).integers(300, 700, len(rows))
    sound = np.concatenate(
        [np.full(n, 1000 * s + 10 * d + t, np.int16) for n, (s, d, t) in zip(lengths, rows)]  # noqa: B905
    )
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    speaker, digit, _ = np.array(rows).T
    return Takes(sound, offsets, digit, speaker, RATE)


def digits(
    split: str = "train", count: int = 60, key: tuple[int, ...] = (1,), **values: Any
) -> Digits:
    config = SpeechData(name="audiomnist", **values)
    return Digits(takes(), split, count, config, key)


def test_speakers_are_in_one_split_only() -> None:
    parts = [set(takes().speakers(split)) for split in ("train", "valid", "test")]
    assert [len(part) for part in parts] == [16, 2, 2]
    assert len(set.union(*parts)) == SPEAKERS
    for split, part in zip(("train", "valid", "test"), parts, strict=True):
        heard = {s for one in digits(split).sequences for s in takes().speaker[one.takes]}
        assert heard <= part


def test_the_real_set_is_split_48_6_6(shared: Path) -> None:
    real = read(shared / "audiomnist" / "audiomnist_8k_60spk_5rep.npz")
    assert [len(real.speakers(split)) for split in ("train", "valid", "test")] == [48, 6, 6]


def test_a_sequence_is_its_takes_with_gaps_between() -> None:
    some = digits()
    seen = set()
    for number, (text, one) in enumerate(zip(some.texts, some.sequences, strict=True)):
        words = text.split()
        assert 1 <= len(words) <= 6
        seen.add(len(words))
        samples = np.round(some.samples(number) * 32768).astype(int)
        runs = np.split(samples, np.flatnonzero(np.diff(samples)) + 1)
        spoken = [run for run in runs if run[0]]
        gaps = [len(run) for run in runs if not run[0]]
        values = [int(run[0]) for run in spoken]
        if len(spoken) == len(words):  # zero said by speaker zero is silent here
            assert [WORDS[value % 1000 // 10] for value in values] == words
            assert len({value // 1000 for value in values}) == 1  # one speaker
            assert [len(run) for run in spoken] == [
                np.diff(some.takes.offsets[take : take + 2])[0] for take in one.takes
            ]
            assert all(GAP[0] * RATE <= gap <= GAP[1] * RATE for gap in gaps)
            assert len(gaps) == len(words) - 1
    assert seen == set(range(1, 7))


def test_the_same_by_key_and_other_by_another() -> None:
    first, again, other = digits(), digits(), digits(key=(2,))
    assert first.texts == again.texts != other.texts
    assert (first.features(3) == again.features(3)).all()


@pytest.mark.parametrize("speed", [0.0, 0.3])
def test_features_are_those_of_the_joined_sound(speed: float) -> None:
    some = digits(speed=speed, count=30)
    for number in range(30):
        samples = some.samples(number)
        features = some.features(number)
        assert len(features) == some.frames[number] == frames_of(len(samples))
        assert (features == log_mel(samples, RATE)).all()


def test_speed_is_for_training() -> None:
    played, plain = digits(speed=0.3), digits()
    speeds = [one.speed for one in played.sequences]
    assert min(speeds) >= 0.7
    assert max(speeds) <= 1.3
    assert np.std(speeds) > 0.1
    assert {one.speed for one in plain.sequences} == {1.0}
    assert {one.speed for one in digits("valid", speed=0.3).sequences} == {1.0}
    lengths = [[len(some.samples(n)) for n in range(20)] for some in (played, plain)]
    expected = [round(n / s) for n, s in zip(lengths[1], speeds[:20], strict=True)]
    assert lengths[0] == expected


def test_rate_and_most_digits() -> None:
    fast, plain = digits(rate=2 * RATE), digits()
    assert len(fast.samples(0)) == 2 * len(plain.samples(0))
    assert {len(text.split()) for text in digits(digits=2).texts} == {1, 2}


def test_kept_features_are_computed_once() -> None:
    some = digits()
    kept = Kept(some)
    first = kept.features(1)
    assert (first == some.features(1)).all()
    assert kept.features(1) is first
    assert kept.texts == some.texts


def test_files_that_are_none(tmp_path: Path) -> None:
    path = tmp_path / "d.npz"
    path.write_bytes(b"nothing")
    with pytest.raises(WorkingsError, match=r"is not an \.npz file"):
        read(path)
    good = {"audio": np.zeros(6, np.int16), "offsets": [0, 2, 4, 6], "label": [0, 1, 2]}
    good |= {"speaker": [0, 1, 2], "sample_rate": 8000}
    np.savez(path, **good)
    assert read(path).rate == 8000
    for bad in ({"label": [0, 1]}, {"offsets": [0, 2, 4, 9]}):
        np.savez(path, **(good | bad))
        with pytest.raises(WorkingsError, match="do not fit together"):
            read(path)
    np.savez(path, **(good | {"speaker": [1, 1, 2]}))
    with pytest.raises(WorkingsError, match="fewer than three speakers"):
        read(path)
    np.savez(path, audio=good["audio"])
    with pytest.raises(WorkingsError, match="offsets"):
        read(path)
