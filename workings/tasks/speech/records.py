"""What the JSON files of speech hold: a run's speech.json, and the about.json of a set."""

from typing import Annotated, NotRequired, TypedDict

from workings.json_files import AtLeast, Count


class SpeechRecord(TypedDict):
    """speech.json: what using the model needs of its data."""

    symbols: list[str]
    rate: Annotated[int, AtLeast(1)]
    longest: Count
    words: list[str]
    synthetic: NotRequired[object]  # whether the speech was made by a program


class SetRecord(TypedDict, total=False):
    """about.json: what a set says of itself; what it leaves out is not known."""

    splits: dict[str, Count]  # the number of recordings in each
    synthetic: object
    made_by: object


class MadeRecord(TypedDict):
    """What about.json says of a set that was made by speaking a text, besides its clips."""

    synthetic: bool
    made_by: str
    rate: int
    seed: int
    voices: dict[str, list[str]]
    splits: dict[str, int]
