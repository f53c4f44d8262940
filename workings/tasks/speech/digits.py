"""AudioMNIST: spoken digits joined at random into sequences, with their words as the text."""

# N samples, T frames, F bands

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from torch import Tensor

from workings.data.readers import audio, npz
from workings.errors import WorkingsError
from workings.tasks.speech.clips import Clips
from workings.tasks.speech.config import SpeechData
from workings.tasks.speech.features import frames_of, log_mel

WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
KEYS = ("audio", "offsets", "label", "speaker", "sample_rate")
GAP = 0.05, 0.2  # seconds of silence between two digits, least and most
SHARES = {"valid": 0.1, "test": 0.1}  # of the speakers: 6 and 6 of 60


@dataclass(frozen=True)
class Takes:
    """Every take of every digit: sound N, where each begins and ends, its digit, its speaker."""

    sound: np.ndarray
    offsets: np.ndarray
    digit: np.ndarray
    speaker: np.ndarray
    rate: int

    def speakers(self, split: str) -> list[int]:
        """Split by speaker, in an order shuffled once and for all."""
        everyone = np.unique(self.speaker)
        order = np.random.default_rng(0).permutation(everyone)
        valid, test = (max(1, round(len(order) * share)) for share in SHARES.values())
        first = len(order) - valid - test
        parts = {"train": order[:first], "valid": order[first : first + valid]}
        parts["test"] = order[first + valid :]
        return parts[split].tolist()


def read(path: Path) -> Takes:
    """The takes of an .npz with the keys of `KEYS`."""
    arrays = npz.read(path, list(KEYS))
    sound, offsets, digit, speaker, rate = (arrays[key] for key in KEYS)
    takes = Takes(sound, offsets, digit, speaker, int(rate))
    if len(offsets) != len(digit) + 1 or len(digit) != len(speaker) or offsets[-1] > len(sound):
        raise WorkingsError(f"{path}: its keys do not fit together; get it again")
    if len(np.unique(speaker)) < 3:
        raise WorkingsError(f"{path}: has fewer than three speakers, one for each split")
    return takes


@dataclass(frozen=True)
class Utterance:
    """Which takes are joined, with how many samples of silence between, played how fast."""

    takes: np.ndarray
    gaps: np.ndarray
    speed: float


class Digits(Clips):
    """So many sequences of 1 to `digits` digits by one speaker each, drawn by `key`."""

    def __init__(
        self, takes: Takes, split: str, count: int, config: SpeechData, key: Sequence[int]
    ) -> None:
        self.takes, self.config = takes, config
        self.rate = config.rate or takes.rate
        draw = np.random.default_rng([*key, *map(ord, split)])
        by_speaker = {who: np.flatnonzero(takes.speaker == who) for who in takes.speakers(split)}
        speed = config.speed if split == "train" else 0.0
        self.sequences = [self._draw(draw, by_speaker, speed) for _ in range(count)]
        self.texts = [
            " ".join(WORDS[takes.digit[take]] for take in utterance.takes)
            for utterance in self.sequences
        ]
        lengths = [self._length(utterance) for utterance in self.sequences]
        self.frames = np.array([frames_of(n, config.window, config.hop) for n in lengths])

    def _draw(
        self, draw: np.random.Generator, by_speaker: dict[int, np.ndarray], speed: float
    ) -> Utterance:
        speaker = draw.choice(list(by_speaker))
        count = int(draw.integers(1, self.config.digits, endpoint=True))
        takes = draw.choice(by_speaker[int(speaker)], count)
        low, high = (int(seconds * self.takes.rate) for seconds in GAP)
        gaps = draw.integers(low, high, count - 1, endpoint=True)
        return Utterance(takes, gaps, float(draw.uniform(1 - speed, 1 + speed)))

    def _length(self, utterance: Utterance) -> int:
        """Samples, as played."""
        starts = self.takes.offsets[utterance.takes]
        ends = self.takes.offsets[utterance.takes + 1]
        joined = int((ends - starts).sum() + utterance.gaps.sum())
        return round(joined * self.rate / self.takes.rate / utterance.speed)

    def samples(self, number: int) -> np.ndarray:
        """The sound of a sequence, N."""
        utterance, takes = self.sequences[number], self.takes
        parts: list[np.ndarray] = []
        for take, gap in zip(utterance.takes, [0, *utterance.gaps], strict=True):
            parts.append(np.zeros(gap, np.float32))
            start, end = takes.offsets[take : take + 2]
            parts.append(takes.sound[start:end].astype(np.float32) / 32768)
        joined, wanted = np.concatenate(parts), self._length(utterance)
        if wanted == len(joined):
            return joined
        # Any two rates of this ratio give the same sound; of small ones it is fast.
        played = audio.resample(joined, 200, round(200 * wanted / len(joined)))
        return np.pad(played[:wanted], (0, max(0, wanted - len(played))))

    def features(self, number: int) -> Tensor:
        """See `Clips`."""
        config = self.config
        return log_mel(self.samples(number), self.rate, config.bands, config.window, config.hop)


class Kept(Clips):
    """Clips whose features are kept in memory once they were computed."""

    def __init__(self, clips: Clips) -> None:
        self.texts, self.frames = clips.texts, clips.frames
        self._features = functools.cache(clips.features)

    def features(self, number: int) -> Tensor:
        """See `Clips`."""
        return self._features(number)
