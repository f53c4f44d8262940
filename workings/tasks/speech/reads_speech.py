"""Recordings as the speech task reads them: clips, alphabet, and what is chosen by listening."""

import functools
import json
from pathlib import Path
from types import MappingProxyType

from workings.errors import WorkingsError
from workings.json_files import WrongJson, conform, parse
from workings.tasks.batch_size import fitting_batch
from workings.tasks.speech import alphabet, corpus, recordings
from workings.tasks.speech import config as speech
from workings.tasks.speech.clips import Batch, Clips
from workings.tasks.speech.config import SpeechData, SpeechTrain
from workings.tasks.speech.own_recordings import settle_recordings, validation
from workings.tasks.speech.records import SpeechRecord
from workings.tasks.speech.scores import plain_words
from workings.tasks.task import Task

LITTLE = 1.0  # hours of speech, up to which a model of it is warned of,
ENOUGH, FEW_WORDS = 10.0, 200  # or where there are more different words than so many


def expected(hours: float, words: int) -> list[str]:
    """What so much speech of so many different words is enough for, where that is little."""
    if hours < ENOUGH and words > FEW_WORDS:
        return [
            f"little speech: {60 * hours:.0f} minutes of {words:,} different words; expect likely "
            "letters, not a transcript: of LJ Speech 42 minutes are too little, 24 hours are enough"
        ]
    if hours > LITTLE:
        return []
    return [
        f"little speech: {60 * hours:.1f} minutes are all there is; expect words that it has "
        "heard, from voices that it has heard"
    ]


class ReadsSpeech(Task[SpeechData, SpeechTrain, Batch]):
    """What is read of transcribed clips, and what is chosen where the config leaves it open."""

    name = "speech"
    unit = "clips"
    Data = SpeechData
    Train = SpeechTrain
    LOCATION = ("name", "path")
    PREPROCESSING = ("rate", "bands", "window", "hop", "max_tokens", "alphabet")
    ASSETS = ("speech.json",)
    BEFORE = MappingProxyType({"split": "position", "alphabet": alphabet.LETTERS})

    def use_assets(self, assets: dict[str, bytes]) -> None:
        try:
            about = conform(parse(assets["speech.json"]), SpeechRecord)
        except WrongJson as error:
            raise WorkingsError(f"speech.json: is damaged ({error}); train again") from None
        if about["symbols"] != list(self.data.letters.symbols):
            raise WorkingsError("speech.json: the run has another alphabet than this version")
        self.about = about

    @staticmethod
    def data_from(paths: list[Path]) -> dict[str, str]:
        return speech.from_paths(paths)

    @classmethod
    def recognises(cls, path: Path) -> bool:
        return recordings.recognised(path)

    @classmethod
    def show(cls, data: SpeechData) -> dict[str, object]:
        """Also of a set with bad clips, which are all listed."""
        task = cls(data, None, SpeechTrain(), 0, {})
        chosen = task.settle()
        given, data = data, task.data.model_copy(update={"skip_bad": True, "long_text": "cut"})
        heard = corpus.read(data)
        chosen += validation(given, data, heard.splits)
        about: dict[str, object] = {}
        for split, clips in heard.splits.items():
            seconds = clips.frames.sum() * data.hop / heard.rate
            characters = sum(map(len, clips.texts)) / max(1, len(clips))
            about[f"{split} clips"] = (
                f"{len(clips):,}, {seconds / 60:.1f} minutes, "
                f"{characters:.0f} characters each on average"
            )
        about["rate"] = f"{heard.rate:,} samples a second"
        if heard.about.get("synthetic"):
            about["synthetic"] = heard.about["made_by"]
        about["begins"] = repr(heard.splits["train"].texts[0])
        for number, line in enumerate([*chosen, *heard.notes.lines(data)], 1):
            about[f"note {number}"] = line
        for clip in heard.notes.left_out:
            about[f"bad: {clip['clip']}"] = clip["why"]
        return about | {"sha256": heard.checksum}

    def settle(self) -> list[str]:
        """Of the user's own recordings: rate, windows, alphabet, split, how long texts may be."""
        if self.data.name:
            return []
        given = self.data
        self.data, chosen = settle_recordings(given)
        if self.model is not None:
            chosen += validation(given, self.data, self.heard.splits) + self._settle_batch()
        return chosen

    def _settle_batch(self) -> list[str]:
        """A smaller batch where there are few clips; a warning where there is little speech."""
        hours = sum(map(float, self.heard.everything().frames)) * self.data.hop
        hours /= self.heard.rate * 3600
        chosen = expected(hours, len(self.about["words"]))
        clips = self.units
        batch = fitting_batch(self.train.batch, clips)
        if "batch" not in self.train.model_fields_set and batch < self.train.batch:
            self.train = self.train.model_copy(update={"batch": batch})
            chosen.append(f"batches of {batch}, for {clips:,} training clips")
        return chosen

    @functools.cached_property
    def heard(self) -> corpus.Speech:
        """The clips, in their splits."""
        return corpus.read(self.data)

    @functools.cached_property
    def about(self) -> SpeechRecord:
        """What using the model needs besides its weights."""
        words = sorted({word for text in self.clips("train").texts for word in plain_words(text)})
        return {
            "symbols": list(self.data.letters.symbols),
            "rate": self.heard.rate,
            "longest": int(self.clips("train").frames.max()),
            "words": words,
            "synthetic": bool(self.heard.about.get("synthetic")),
        }

    def assets(self) -> dict[str, bytes]:
        return {"speech.json": json.dumps(self.about, ensure_ascii=False).encode()}

    def checksum(self) -> str:
        return self.heard.checksum

    def describe(self) -> str:
        sizes = ", ".join(f"{split} {len(self.clips(split)):,}" for split in speech.SPLITS)
        name = self.data.name or Path(self.data.path).name
        made = self.heard.about.get("made_by", "")
        parts = [f"{name}: {sizes} clips at {self.heard.rate:,} Hz"]
        parts += [f"synthetic speech, {made}"] if self.heard.about.get("synthetic") else []
        return "; ".join([*parts, *self.heard.notes.lines(self.data)])

    def clips(self, split: str) -> Clips:
        """Those of a split, which must have some."""
        clips = self.heard.splits[split]
        if not len(clips):
            raise WorkingsError(
                f"the {split} split is empty: give more clips, or a larger data.{split}_share"
            )
        return clips

    def sizes(self) -> dict[str, int]:
        return {"symbols": len(self.data.letters), "bands": self.data.bands}

    @property
    def units(self) -> int:
        return len(self.clips("train"))
