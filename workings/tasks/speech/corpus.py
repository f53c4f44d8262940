"""A speech corpus in splits: recordings with their transcripts, or joined digits."""

import functools
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from workings import json_files
from workings.data import sources
from workings.data.readers import audio
from workings.errors import WorkingsError
from workings.files import read_file
from workings.tasks.speech import alphabet, digits, feature_cache, number_phrases, recordings
from workings.tasks.speech.clips import Clips
from workings.tasks.speech.config import SPLITS, SpeechData
from workings.tasks.speech.recordings import Listing, Recording
from workings.tasks.speech.records import SetRecord
from workings.tasks.speech.splits import ordered


@dataclass
class Notes:
    """What reading had to decide, and tells: never silently."""

    outside: Counter[str] = field(default_factory=Counter)  # symbols that the alphabet has not got
    cut: int = 0  # texts learned only as far as max_tokens goes
    left_out: list[dict[str, str]] = field(default_factory=list)  # clip, why
    cut_short: list[str] = field(default_factory=list)  # clips that end before their header says
    without_text: list[str] = field(default_factory=list)  # sound files that nothing names

    def lines(self, config: SpeechData) -> list[str]:
        """The notes as text, a line each."""
        lines = []
        if self.outside:
            shown = " ".join(symbol for symbol, _ in self.outside.most_common(8))
            done = "read as unknown" if config.unknown == "unknown" else "dropped"
            lines.append(f"{self.outside.total():,} symbols outside the alphabet {done}: {shown}")
        if self.cut:
            lines.append(f"{self.cut:,} texts cut to {config.max_tokens} tokens")
        if self.left_out:
            first = ", ".join(f"{clip['clip']} ({clip['why']})" for clip in self.left_out[:3])
            more = f" and {len(self.left_out) - 3:,} more" if len(self.left_out) > 3 else ""
            lines.append(f"left out: {first}{more}")
        if self.cut_short:
            first = ", ".join(self.cut_short[:3])
            more = f" and {len(self.cut_short) - 3:,} more" if len(self.cut_short) > 3 else ""
            lines.append(f"cut short, by their own headers, and used as they are: {first}{more}")
        if self.without_text:
            first = ", ".join(self.without_text[:3])
            lines.append(f"{len(self.without_text):,} sound files without text not read: {first}")
        return lines


class RecordedSpeech:
    """Recordings on disk; their features are computed once and mapped."""

    def __init__(self, config: SpeechData, listing: Listing, about: SetRecord) -> None:
        self.config, self.about = config, about
        every, clips = listing.recordings, config.clips or len(listing.recordings)
        if "splits" in about:  # voices of their own: some of each
            sizes, chosen = _of_each(about["splits"], every, clips / len(every))
        else:
            sizes, chosen = ordered(every[:clips], config)
        self.sizes: dict[str, int] = sizes
        self.listing = replace(listing, recordings=chosen)
        self.checksum = recordings.checksum(self.listing)

    @functools.cached_property
    def spectra(self) -> feature_cache.Spectra:
        """The features of all recordings, from the cache or computed into it."""
        return feature_cache.cached(self.listing.recordings, self.config, self.checksum)

    @property
    def rate(self) -> int:
        """Samples a second."""
        return self.spectra.rate

    @functools.cached_property
    def notes(self) -> Notes:
        """What reading had to decide."""
        _ = self.usable
        return self._notes

    @functools.cached_property
    def usable(self) -> dict[int, str]:
        """The text, in the alphabet, of every recording that can be used, by its number."""
        config = self.config
        self._notes = Notes(without_text=self.listing.without_text)
        texts: dict[int, str] = {}
        for number, recording in enumerate(self.listing.recordings):
            text, why = _text(recording, config, self._notes)
            frames, problem = self.spectra.frames[number], self.spectra.problems[number]
            if frames > config.max_frames:
                why = (
                    f"has {frames:,} frames, more than the {config.max_frames:,} of data.max_frames"
                )
            why = problem or why
            if why:
                self._notes.left_out.append({"clip": recording.name, "why": why})
            else:
                texts[number] = text
                if audio.cut_short(recording.path):
                    self._notes.cut_short.append(recording.name)
        if self._notes.left_out and not config.skip_bad:
            _refuse([clip for clip in self._notes.left_out if not _may_skip(clip, config)])
        if not texts:
            first = self._notes.left_out[0]
            raise WorkingsError(f"{first['clip']}: {first['why']}; no clip can be used")
        return texts

    @functools.cached_property
    def splits(self) -> dict[str, Clips]:
        """By position in the list, bad clips counted; or as the set's about.json says."""
        return {split: self._clips(numbers) for split, numbers in self._numbers.items()}

    def recordings(self) -> dict[str, list[Recording]]:
        """The sound files of each split."""
        every = self.listing.recordings
        return {split: [every[n] for n in numbers] for split, numbers in self._numbers.items()}

    @functools.cached_property
    def _numbers(self) -> dict[str, list[int]]:
        usable = self.usable
        if min(self.sizes.values()) < 1:
            raise WorkingsError(
                f"{self.listing.table}: has {len(self.listing.recordings)} clip(s), too few for "
                "train, valid and test: give three or more"
            )
        parts: dict[str, list[int]] = {}
        start = 0
        for split in SPLITS:
            end = start + self.sizes[split]
            parts[split] = [n for n in range(start, end) if n in usable]
            start = end
        return parts

    def everything(self) -> Clips:
        """Every clip that can be used, whatever its split."""
        return self._clips(list(self.usable))

    def _clips(self, numbers: Sequence[int]) -> Clips:
        return feature_cache.Recorded(self.spectra, numbers, [self.usable[n] for n in numbers])

    def train(self, seed: int, epoch: int) -> Clips:
        """The training clips, the same in every epoch."""
        return self.splits["train"]


def _of_each(
    sizes: dict[str, int], every: list[Recording], share: float
) -> tuple[dict[str, int], list[Recording]]:
    """The first ones of every split, by the share of all that is wanted, one at least."""
    wanted: dict[str, int] = {}
    chosen: list[Recording] = []
    start = 0
    for split in SPLITS:
        wanted[split] = min(sizes[split], max(1, round(share * sizes[split])))
        chosen += every[start : start + wanted[split]]
        start += sizes[split]
    return wanted, chosen


def _may_skip(clip: dict[str, str], config: SpeechData) -> bool:
    return config.long_text == "skip" and clip["why"].startswith(TOO_LONG)


def _refuse(bad: list[dict[str, str]]) -> None:
    if bad:
        others = f" (and {len(bad) - 1:,} more clips are bad)" if len(bad) > 1 else ""
        raise WorkingsError(
            f"{bad[0]['clip']}: {bad[0]['why']}{others}; mend it, or leave such clips out with "
            "--set data.skip_bad=true"
        )


TOO_LONG = "its text is too long"


def _text(recording: Recording, config: SpeechData, notes: Notes) -> tuple[str, str]:
    """A recording's text in the alphabet, and why it cannot be used, if so."""
    text = alphabet.normalise(recording.text)
    outside = config.letters.outside(text)
    if outside and config.unknown == "error":
        shown = " ".join(outside)
        return "", f"its text has symbols outside the alphabet ({shown}); see data.unknown"
    text = config.letters.within(text, config.unknown)
    if not text:
        return "", "has no text"
    if len(text) + 1 > config.max_tokens:  # one for the end
        if config.long_text != "cut":
            return "", (
                f"{TOO_LONG}: {len(text):,} symbols and an end, more than data.max_tokens = "
                f"{config.max_tokens}; raise that, or set data.long_text to cut or skip"
            )
        notes.cut += 1
        text = text[: config.max_tokens]
    notes.outside.update(outside)
    return text, ""


class DigitSpeech:
    """Sequences of digits: training ones are drawn for every epoch, the others once."""

    def __init__(self, config: SpeechData, path: Path) -> None:
        self.config, self.path = config, path
        self.about: SetRecord = {}
        self.notes = Notes()
        self.checksum = sources.checksum({"train": [path]})

    @functools.cached_property
    def takes(self) -> digits.Takes:
        """Every take of every digit."""
        return digits.read(self.path)

    @property
    def rate(self) -> int:
        """Samples a second."""
        return self.config.rate or self.takes.rate

    @functools.cached_property
    def splits(self) -> dict[str, Clips]:
        """Sequences of each split, drawn once."""
        sizes = self.config.sizes(self.config.clips)
        sizes["train"] = self.config.clips
        return {split: digits.Kept(self.drawn(split, size)) for split, size in sizes.items()}

    def drawn(self, split: str, count: int) -> digits.Digits:
        """The first sequences of a split, which are the same ones whatever their count."""
        return digits.Digits(self.takes, split, count, self.config, [0])

    def everything(self) -> Clips:
        """The test sequences."""
        return self.splits["test"]

    def train(self, seed: int, epoch: int) -> Clips:
        """The training sequences of an epoch."""
        return digits.Digits(self.takes, "train", self.config.clips, self.config, [1, seed, epoch])


Speech = RecordedSpeech | DigitSpeech


def read(config: SpeechData) -> Speech:
    """The speech that a config names."""
    if config.name == "spoken":
        folder = number_phrases.folder(config)
        return RecordedSpeech(config, recordings.listed(folder), _about(folder))
    if config.name:
        sources.verify(config.name)
        path = sources.splits(config.name)["train"][0]
        if path.suffix == ".npz":
            return DigitSpeech(config, path)
        return RecordedSpeech(config, recordings.listed(path.parent), {})
    path = Path(config.path)
    return RecordedSpeech(config, recordings.listed(path), _about(path))


def _about(path: Path) -> SetRecord:
    """What a set's about.json says: whether it is synthetic, and the sizes of its splits."""
    file = path / "about.json"
    if not file.is_file():
        return {}
    try:
        about = json_files.conform(json_files.parse(read_file(file)), SetRecord)
        if "splits" in about and not about["splits"].keys() >= set(SPLITS):
            raise ValueError
    except (OSError, ValueError):
        raise WorkingsError(f"{file}: is not as `workings data speak` writes it") from None
    return about
