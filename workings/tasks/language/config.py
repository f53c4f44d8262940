"""Which text is read, and how; how a language model is trained."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, model_validator

from workings.data import sources
from workings.errors import WorkingsError
from workings.schema import Share, Size
from workings.tasks import split_files
from workings.tasks.config import TrainConfig
from workings.tasks.language import encodings
from workings.tasks.language.overlaps import refuse_copies
from workings.tasks.split_files import SplitFiles

# Parts of a file's name that say which split it is.
SPLIT_WORDS = {"train": {"train"}, "valid": {"valid", "validation", "val", "dev"}, "test": {"test"}}


class TextConfig(SplitFiles):
    """Where the text is and how it is read."""

    name: str = ""
    """a named data set (see `workings data list`); sotu when no file is given either"""
    train: tuple[str, ...] = ()
    """training text files"""
    valid: tuple[str, ...] = ()
    """validation text files; when none is given, a part of the training text is cut off"""
    test: tuple[str, ...] = ()
    """test text files; when none is given, the end of the training text is cut off"""
    valid_share: Share = 0.05
    """share of the text cut off for validation, by position"""
    test_share: Share = 0.05
    """share of the text cut off for test, by position"""
    level: Literal["word", "char", "bpe"] = "word"
    """what a token is: a word, with one <eos> a line (see `lines`), a character, or a
    subword that byte-pair encoding finds in the training text (needs `tokenizers`)"""
    tokens: Literal["words", "spaces"] = "words"
    """words: punctuation marks are tokens of their own; spaces: split at white space only"""
    lowercase: bool = True
    """fold capitals (by default at word level only)"""
    lines: Literal["auto", "line", "every", "paragraph", "stream"] = "auto"
    """what ends with an <eos>: a line of the file that is not blank, every line, a paragraph (lines
    up to a blank one are joined), or nothing; auto: line, or where lines are hard-wrapped paragraph
    (stream where none is blank)"""
    licence: Literal["auto", "skip", "keep"] = "auto"
    """Project Gutenberg's header and licence: left out, or read as text; auto: left out if found"""
    encoding: Annotated[str, AfterValidator(encodings.check)] = "auto"
    """of the files: utf-8, windows-1252 or another; auto: utf-8, or windows-1252 where it is not"""
    sentences: bool = False
    """end a line after every sentence, not only where the file does"""
    vocabulary: Size = 10_000
    """most types kept, the most frequent first, <unk> and <eos> among them"""
    min_count: Size = 2
    """a type seen less often in the training text becomes <unk>"""

    @model_validator(mode="before")
    @classmethod
    def _defaults(cls, values: object) -> object:
        """A named set says how it is meant to be read; characters keep their case."""
        if not isinstance(values, dict):
            return values
        if "train" in values and not values["train"] and not values.get("name"):
            raise ValueError("data.train names no file")
        given = split_files.settle(values, "sotu", "text")
        name = given.get("name")
        if isinstance(name, str) and name:
            as_published = {"lines": "line", "licence": "keep"}
            given = {**as_published, **sources.source(name, "language").defaults, **given}
        if given.get("level") in ("char", "bpe"):
            given.setdefault("lowercase", False)
        return given


class LanguageTrain(TrainConfig):
    """Training of a language model: truncated back-propagation through time."""

    batch: Size = 64
    """parallel streams in a step"""
    window: Size = 35
    """tokens back through which the gradient goes (num_steps); the state goes on beyond"""
    eval_window: Size = 512
    """tokens evaluated at a time; the state goes on, so it changes the memory, not the value"""
    allow_lookahead: bool = False
    """train a model although its outputs depend on later tokens"""


TRAINING_OF_OWN_TEXT: dict[str, object] = {
    **{"optimizer": "adamw", "lr": 0.005, "schedule": "cosine", "warmup": 100, "clip": 1.0},
    **{"epochs": 15, "patience": 6},
}


def from_paths(paths: list[Path]) -> dict[str, str | list[str]]:
    """The config keys of a set's name, a folder, or files; see SPLIT_WORDS for their splits."""
    return split_files.from_paths(paths, _texts, _split)


def _split(path: Path) -> str | None:
    return split_files.split_in_name(path, SPLIT_WORDS, r"[^a-z]+")


def _texts(folder: Path) -> list[Path]:
    files = sorted(folder.glob("*.txt"))
    if not files:
        raise WorkingsError(f"{folder}: the folder holds no .txt file")
    refuse_copies(files)
    return files
