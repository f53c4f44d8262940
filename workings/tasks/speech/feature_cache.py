"""The cache of features: log-mel spectra of recordings, computed once, memory-mapped from disk."""

# T frames of all clips, F bands

import hashlib
import itertools
import json
import os
import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from workings.data import sources
from workings.data.progress_bar import following
from workings.data.readers import audio
from workings.errors import WorkingsError
from workings.files import explain, new_folder
from workings.nn.threads import each_part
from workings.tasks.speech.clips import Clips
from workings.tasks.speech.config import SpeechData
from workings.tasks.speech.features import log_mel
from workings.tasks.speech.recordings import Recording

FORMAT = 1  # raised when features would be computed otherwise than before
TYPE = np.float16  # a value is between -1.5 and 2: wrong by 0.001 at most, and half the disk


class Spectra:
    """The features of every recording; of one that cannot be used, its problem."""

    def __init__(self, folder: Path, bands: int) -> None:
        about = json.loads((folder / "spectra.json").read_bytes())
        self.frames: list[int] = about["frames"]
        self.problems: list[str] = about["problems"]
        self.rate: int = about["rate"]
        self.ends = np.cumsum(self.frames)
        self.all = np.memmap(folder / "spectra.f16", TYPE, "r").reshape(-1, bands)

    def clip(self, number: int) -> Tensor:
        """The features of one recording, T×F."""
        end = int(self.ends[number])
        rows_TF = self.all[end - self.frames[number] : end]
        return torch.from_numpy(rows_TF.astype(np.float32))


def cached(recordings: Sequence[Recording], config: SpeechData, checksum: str) -> Spectra:
    """The features, from the cache, or computed into it."""
    settings = [config.rate, config.bands, config.window, config.hop, config.clips]
    key = hashlib.sha256(f"{FORMAT} {checksum} {settings}".encode()).hexdigest()[:32]
    folder = sources.cache() / "speech" / key
    if not _whole(folder, config.bands):
        with explain(folder):
            shutil.rmtree(folder, ignore_errors=True)
        with new_folder(folder) as temporary:
            _compute_to(temporary, recordings, config)
    return Spectra(folder, config.bands)


def _whole(folder: Path, bands: int) -> bool:
    try:
        about = json.loads((folder / "spectra.json").read_bytes())
        size = sum(about["frames"]) * bands * np.dtype(TYPE).itemsize
        return (folder / "spectra.f16").stat().st_size == size
    except (OSError, ValueError, TypeError, KeyError):
        return False


def _compute_to(folder: Path, recordings: Sequence[Recording], config: SpeechData) -> None:
    rate = config.rate or common_rate(recordings)
    frames, problems = [], []
    with (folder / "spectra.f16").open("wb") as file:
        waiting = iter(following(recordings, "features"))
        while block := list(itertools.islice(waiting, 32)):
            for features, problem in _features(block, rate, config):
                file.write(features.astype(TYPE).tobytes())
                frames.append(len(features))
                problems.append(problem)
        if not sum(frames):
            raise WorkingsError(f"{recordings[0].name}: {problems[0]}; no clip can be used")
        file.flush()
        os.fsync(file.fileno())
    about = {"rate": rate, "frames": frames, "problems": problems}
    (folder / "spectra.json").write_text(json.dumps(about))


def _features(
    block: Sequence[Recording], rate: int, config: SpeechData
) -> list[tuple[np.ndarray, str]]:
    """The features T×F of each recording, or why it has none; computed in threads."""
    nothing: np.ndarray = np.zeros((0, config.bands), np.float32)
    features = [(nothing, "")] * len(block)

    def work(part: slice) -> None:
        features[part] = [_features_of(recording, rate, config) for recording in block[part]]

    each_part(work, len(block), len(block))
    return features


def _features_of(recording: Recording, rate: int, config: SpeechData) -> tuple[np.ndarray, str]:
    nothing: np.ndarray = np.zeros((0, config.bands), np.float32)
    if recording.problem:
        return nothing, recording.problem
    try:
        sound = audio.read(recording.path, rate)
    except WorkingsError as error:
        return nothing, str(error).removeprefix(f"{recording.path}: ")
    if audio.is_silent(sound.samples):
        return nothing, "is silent: its greatest sample is below -80 dB"
    return log_mel(sound.samples, rate, config.bands, config.window, config.hop).numpy(), ""


def common_rate(recordings: Sequence[Recording]) -> int:
    """The sample rate of all recordings, which must be the same."""
    rates: dict[int, str] = {}
    for recording in recordings:
        if not recording.problem:
            try:
                rates.setdefault(audio.own_rate(recording.path), recording.name)
            except WorkingsError:
                continue  # its problem is found when it is read
    if len(rates) > 1:
        (a, name_a), (b, name_b) = list(rates.items())[:2]
        raise WorkingsError(
            f"{name_a} has {a:,} samples a second and {name_b} {b:,}: set data.rate to one "
            "that all are resampled to"
        )
    if not rates:
        raise WorkingsError(f"{recordings[0].name}: {recordings[0].problem or 'is no sound file'}")
    return next(iter(rates))


class Recorded(Clips):
    """Some of the recordings, with their texts."""

    def __init__(self, spectra: Spectra, numbers: Sequence[int], texts: Sequence[str]) -> None:
        self.spectra, self.numbers, self.texts = spectra, numbers, texts
        self.frames = np.array([spectra.frames[number] for number in numbers], np.int64)

    def features(self, number: int) -> Tensor:
        """See `Clips`."""
        return self.spectra.clip(self.numbers[number])
