"""Speech with its text, in splits: recordings, or digits joined into sequences."""

import functools
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from workings.data import sources
from workings.errors import WorkingsError
from workings.tasks.speech import alphabet, digits, recordings
from workings.tasks.speech import feature_cache as spectra
from workings.tasks.speech import number_phrases as spoken
from workings.tasks.speech.clips import Clips
from workings.tasks.speech.config import SPLITS, SpeechData
from workings.tasks.speech.recordings import Listing, Recording


@dataclass
class Notes:
    """What reading had to decide, and tells: never silently."""

    outside: Counter[str] = field(default_factory=Counter)  # symbols that the alphabet has not got
    cut: int = 0  # texts learned only as far as max_tokens goes
    left_out: list[dict[str, str]] = field(default_factory=list)  # clip, why
    without_text: list[str] = field(default_factory=list)  # sound files that nothing names

    def lines(self, config: SpeechData) -> list[str]:
        lines = []
        if self.outside:
            shown = " ".join(symbol for symbol, _ in self.outside.most_common(8))
            done = "read as unknown" if config.unknown == "unknown" else "dropped"
            lines.append(f"{self.outside.total():,} symbols outside the alphabet {done}: {shown}")
        if self.cut:
            lines.append(f"{self.cut:,} texts cut to {config.max_tokens} tokens")
        if self.left_out:
            first = ", ".join(f"{one['clip']} ({one['why']})" for one in self.left_out[:3])
            more = f" and {len(self.left_out) - 3:,} more" if len(self.left_out) > 3 else ""
            lines.append(f"left out {len(self.left_out):,} clips: {first}{more}")
        if self.without_text:
            first = ", ".join(self.without_text[:3])
            lines.append(f"{len(self.without_text):,} sound files without text not read: {first}")
        return lines


class RecordedSpeech:
    """Recordings on disk; their features are computed once and mapped."""

    def __init__(self, config: SpeechData, listing: Listing, about: dict[str, Any]) -> None:
        self.config, self.about = config, about
        every, clips = listing.recordings, config.clips or len(listing.recordings)
        if "splits" in about:  # voices of their own: some of each
            self.sizes, some = _of_each(about["splits"], every, clips / len(every))
        else:
            some = every[:clips]
            self.sizes = config.sizes(len(some))
        self.listing = replace(listing, recordings=some)
        self.checksum = recordings.checksum(self.listing)

    @functools.cached_property
    def spectra(self) -> spectra.Spectra:
        return spectra.cached(self.listing.recordings, self.config, self.checksum)

    @property
    def rate(self) -> int:
        return self.spectra.rate

    @functools.cached_property
    def notes(self) -> Notes:
        _ = self.usable
        return self._notes

    @functools.cached_property
    def usable(self) -> dict[int, str]:
        """The text, in the alphabet, of every recording that can be used, by its number."""
        config, self._notes = self.config, Notes(without_text=self.listing.without_text)
        found: dict[int, str] = {}
        for number, one in enumerate(self.listing.recordings):
            text, why = _text(one, config, self._notes)
            frames, problem = self.spectra.frames[number], self.spectra.problems[number]
            if frames > config.max_frames:
                why = (
                    f"has {frames:,} frames, more than the {config.max_frames:,} of data.max_frames"
                )
            why = problem or why
            if why:
                self._notes.left_out.append({"clip": one.name, "why": why})
            else:
                found[number] = text
        if self._notes.left_out and not config.skip_bad:
            _refuse([o for o in self._notes.left_out if not _may_skip(o, config)])
        if not found:
            first = self._notes.left_out[0]
            raise WorkingsError(f"{first['clip']}: {first['why']}; no clip can be used")
        return found

    @functools.cached_property
    def splits(self) -> dict[str, Clips]:
        """By position in the list, bad clips counted; or as who made the set says."""
        parts, start = {}, 0
        for split in SPLITS:
            end = start + self.sizes[split]
            parts[split] = self._clips([n for n in range(start, end) if n in self.usable])
            start = end
        return parts

    def everything(self) -> Clips:
        return self._clips(list(self.usable))

    def _clips(self, numbers: Sequence[int]) -> Clips:
        return spectra.Recorded(self.spectra, numbers, [self.usable[n] for n in numbers])

    def train(self, seed: int, epoch: int) -> Clips:
        return self.splits["train"]


def _of_each(
    sizes: dict[str, int], every: list[Recording], share: float
) -> tuple[dict[str, int], list[Recording]]:
    """The first ones of every split, by the share of all that is wanted, one at least."""
    wanted: dict[str, int] = {}
    some: list[Recording] = []
    start = 0
    for split in SPLITS:
        wanted[split] = min(sizes[split], max(1, round(share * sizes[split])))
        some += every[start : start + wanted[split]]
        start += sizes[split]
    return wanted, some


def _may_skip(one: dict[str, str], config: SpeechData) -> bool:
    return config.long_text == "skip" and one["why"].startswith(TOO_LONG)


def _refuse(bad: list[dict[str, str]]) -> None:
    if bad:
        others = f" (and {len(bad) - 1:,} more clips are bad)" if len(bad) > 1 else ""
        raise WorkingsError(
            f"{bad[0]['clip']}: {bad[0]['why']}{others}; mend it, or leave such clips out with "
            "--set data.skip_bad=true"
        )


TOO_LONG = "its text is too long"


def _text(one: Recording, config: SpeechData, notes: Notes) -> tuple[str, str]:
    """A recording's text in the alphabet, and why it cannot be used, if so."""
    text = alphabet.normalise(one.text)
    outside = alphabet.outside(text)
    if outside and config.unknown == "error":
        shown = " ".join(outside)
        return "", f"its text has symbols outside the alphabet ({shown}); see data.unknown"
    text = alphabet.within(text, config.unknown)
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
    """Sequences of digits: those of train anew for every epoch, the others always the same."""

    def __init__(self, config: SpeechData, path: Path) -> None:
        self.config, self.path = config, path
        self.about: dict[str, Any] = {}
        self.notes = Notes()
        self.checksum = sources.checksum({"train": [path]})

    @functools.cached_property
    def takes(self) -> digits.Takes:
        return digits.read(self.path)

    @property
    def rate(self) -> int:
        return self.config.rate or self.takes.rate

    @functools.cached_property
    def splits(self) -> dict[str, Clips]:
        sizes = self.config.sizes(self.config.clips)
        sizes["train"] = self.config.clips
        return {
            split: digits.Kept(digits.Digits(self.takes, split, size, self.config, [0]))
            for split, size in sizes.items()
        }

    def everything(self) -> Clips:
        return self.splits["test"]

    def train(self, seed: int, epoch: int) -> Clips:
        return digits.Digits(self.takes, "train", self.config.clips, self.config, [1, seed, epoch])


Speech = RecordedSpeech | DigitSpeech


def read(config: SpeechData) -> Speech:
    """The speech that a config names."""
    if config.name == "spoken":
        folder = spoken.folder(config)
        return RecordedSpeech(config, recordings.listed(folder), _about(folder))
    if config.name:
        sources.verify(config.name)
        path = sources.splits(config.name)["train"][0]
        if path.suffix == ".npz":
            return DigitSpeech(config, path)
        return RecordedSpeech(config, recordings.listed(path.parent), {})
    path = Path(config.path)
    return RecordedSpeech(config, recordings.listed(path), _about(path))


def _about(path: Path) -> dict[str, Any]:
    """What who made a set says of it: whether it is synthetic, and its splits."""
    file = path / "about.json"
    if not file.is_file():
        return {}
    try:
        about = json.loads(file.read_bytes())
        if not isinstance(about, dict) or not set(SPLITS) <= set(about.get("splits", SPLITS)):
            raise ValueError
    except (OSError, ValueError):
        raise WorkingsError(f"{file}: is not as `workings data speak` writes it") from None
    return about
