"""Which speech is read, and how; how a speech model is trained."""

from pathlib import Path
from typing import Literal

from pydantic import Field, model_validator

from workings.schema import Count, NonNegative, Share, Size
from workings.tasks import split_files
from workings.tasks.config import DecoderTrain
from workings.tasks.speech.alphabet import LETTERS, Alphabet, Handling
from workings.tasks.speech.features import BANDS, HOP, WINDOW

SPLITS = ("train", "valid", "test")


class SpeechData(split_files.NamedOrPath):
    """Where the speech is and how it is read."""

    TASK, DEFAULT = "speech", "spoken"

    name: str = ""
    """a named data set (see `workings data list`); spoken when no path is given either"""
    path: str = ""
    """a folder with a CSV or TSV table of path and text, or with a text beside every sound; one in
    LJ Speech's format; or the table"""
    clips: Count = 0
    """the first so many are read; 0: all. spoken: how many are made. audiomnist: sequences
    drawn for every epoch"""
    digits: int = Field(default=6, ge=1, le=16)
    """audiomnist: most digits in a sequence"""
    valid_share: Share = 0.05
    """share of the clips that is validation, by position before the test clips (spoken,
    audiomnist: by voice); of few of your own recordings 0.15 if not given"""
    test_share: Share = 0.2
    """share of the clips that is test, by position at the end (spoken, audiomnist: by voice)"""
    split: Literal["auto", "position", "random", "speaker"] = "auto"
    """which clips are in which split; auto: by speaker where a table has a column speaker, else
    random (named sets: as published)"""
    split_seed: Count = 1
    """of a split at random or by speaker, apart from the run's seed"""
    rate: Count = 0
    """samples a second that every clip is resampled to; 0: their own, which must be one; of your
    own recordings 16,000 if not given"""
    alphabet: str = ""
    """the letters and marks that are written; empty: those of the texts (named: as published)"""
    bands: Size = BANDS
    """mel bands of the features"""
    window: int = Field(default=WINDOW, ge=16)
    """samples of a window (n_fft)"""
    hop: Size = HOP
    """samples from one window to the next"""
    window_ms: NonNegative = 0.0
    """the window in milliseconds, instead of `window`; of your own recordings 25 if not given"""
    hop_ms: NonNegative = 0.0
    """the hop in milliseconds, instead of `hop`; of your own recordings 10 if not given"""
    max_frames: Size = 2754
    """longest clip, in frames (windows)"""
    max_tokens: int = Field(default=99, ge=1, le=1_000_000)
    """most tokens of a transcript, its end among them"""
    unknown: Handling = "unknown"
    """a symbol outside the alphabet: becomes the unknown symbol, is dropped, or is an error"""
    long_text: Literal["error", "cut", "skip"] = "error"
    """a text of more than max_tokens: an error, learned as far as it goes, or its clip left out"""
    skip_bad: bool = False
    """leave out clips that cannot be used, and list them; otherwise they are an error"""
    speed: float = Field(default=0.0, ge=0, le=0.5)
    """audiomnist: training sequences are played up to this share faster or slower, pitch and all"""
    allow_overlap: bool = False
    """train although clips of valid or test are in train too"""

    @classmethod
    def of_named(cls, name: str, given: dict[str, object]) -> dict[str, object]:
        """As the set was published."""
        return {"split": "position", "alphabet": LETTERS, **super().of_named(name, given)}

    @property
    def letters(self) -> Alphabet:
        """The alphabet of the transcripts."""
        return Alphabet(self.alphabet or LETTERS)

    @model_validator(mode="after")
    def _sizes(self) -> "SpeechData":
        if len(set(self.alphabet)) < len(self.alphabet):
            raise ValueError("alphabet has a letter twice")
        if self.valid_share + self.test_share >= 1:
            raise ValueError("valid_share and test_share leave nothing to train on")
        if self.name in ("spoken", "audiomnist") and not self.clips:
            raise ValueError(f"clips: {self.name} is made on the spot; say how many, not 0")
        return self

    def sizes(self, total: int) -> dict[str, int]:
        """How many of so many clips each split has; every split of some clips has one or more."""
        most = max(1, total - 2)
        test = min(max(1, int(total * self.test_share)), most)
        valid = min(max(1, int(total * self.valid_share)), most)
        return {"train": total - valid - test, "valid": valid, "test": test}


class SpeechTrain(DecoderTrain):
    """Training of speech to text."""

    optimizer: Literal["adam", "adamw", "sgd", "asgd"] = "adamw"
    """as for every task"""
    patience: Count = 10
    """stop when the epoch is more than this past the best one: transcripts get better late"""
    short_first: Count = 0
    """in so many first epochs the clips come from the shortest to the longest"""
    mask_bands: Count = 0
    """SpecAugment: twice in every training clip, up to so many neighbouring bands are blanked"""
    mask_frames: Count = 0
    """SpecAugment: twice in every training clip, up to so many neighbouring frames are blanked,
    a tenth of the clip at most"""
    label_smoothing: float = Field(default=0.0, ge=0, lt=1)
    """share of each target's probability spread over all symbols, in training"""
    decode: Count = 1000
    """most clips of a split that are transcribed to score it; 0: all"""


def from_paths(paths: list[Path]) -> dict[str, str]:
    """The config keys of a set's name, a folder in LJ Speech's format, or a table."""
    wanted = "give one folder in LJ Speech's format, or one table"
    return split_files.from_path(paths, "speech", wanted)
