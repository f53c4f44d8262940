"""What is summarised, and how it is read; how a summariser is trained."""

from pathlib import Path
from typing import Literal

from pydantic import Field, model_validator

from workings.schema import Count, Share, Size
from workings.tasks import split_files
from workings.tasks.config import DecoderTrain
from workings.tasks.summary.functions import Target

SPLITS = ("train", "valid", "test")
WORDS = {"name": 8, "docstring": 30}  # most words of a summary, where the config leaves it open


class SummaryData(split_files.NamedOrPath):
    """Where the functions or texts are and how they are read."""

    TASK, DEFAULT = "summary", "functions"

    name: str = ""
    """a named data set (see `workings data list`); functions when no path is given either"""
    path: str = ""
    """JSON lines (tokens or text, edges, summary), a .txt file of texts each below its summary, or
    a Python file or folder"""
    target: Target = "name"
    """of Python functions, what is written: the name, or the docstring's first sentence"""
    min_statements: Size = 2
    """a Python function with fewer statements, besides its docstring, is left out"""
    special_methods: bool = False
    """keep functions like __init__, whose names are the language's and not their author's"""
    max_tokens: int = Field(default=150, ge=1, le=100_000)
    """tokens (an identifier's sub-words each) that are read of a function or text; what comes
    after them is cut off"""
    max_words: int = Field(default=0, ge=0, le=10_000)
    """most words of a summary; 0: 8 of a name, 30 of anything else"""
    duplicates: Literal["remove", "keep"] = "remove"
    """functions or texts with the same tokens: one is kept (that of test, then of valid), or all"""
    split: Literal["auto", "project", "module", "random"] = "auto"
    """what is kept together in one split; auto: a project where there are 20 or more, else a
    module where there are 20 or more, else nothing"""
    split_seed: Count = 1
    """of the split, apart from the run's seed"""
    valid_share: Share = 0.1
    """share that is validation, about; the projects or modules are whole"""
    test_share: Share = 0.1
    """share that is test, about"""
    subset: Count = 0
    """so many, drawn at random, are read; 0: all"""
    vocabulary: Size = 10_000
    """most types of tokens and words, those of the summaries first"""
    min_count: Size = 2
    """a type seen less often in the training split becomes <unk>; it can still be copied"""
    allow_overlap: bool = False
    """train although functions or texts of valid or test are in train too"""

    @model_validator(mode="after")
    def _shares(self) -> "SummaryData":
        if self.valid_share + self.test_share >= 1:
            raise ValueError("valid_share and test_share leave nothing to train on")
        return self

    @property
    def words(self) -> int:
        """Most words of a summary."""
        python = Path(self.path).suffix not in (".txt", ".jsonl", ".ndjson")
        return self.max_words or WORDS[self.target if python else "docstring"]


class SummaryTrain(DecoderTrain):
    """Training of a summariser."""

    epochs: Size = 20
    """most passes over the training split"""
    lr: float = Field(default=0.002, gt=0, le=1e30)
    """learning rate, after warm-up and before decay"""
    patience: Count = 4
    """stop when the epoch is more than this past the best one"""
    eval_batch: Size = 64
    """summaries written at a time; it changes the speed, not the summaries"""


def from_paths(paths: list[Path]) -> dict[str, str]:
    """The config keys of a set's name, or of one file or folder."""
    wanted = "give one file of JSON lines, one text, or one Python file or folder"
    return split_files.from_path(paths, "summary", wanted)
