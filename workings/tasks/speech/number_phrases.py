"""The set `spoken`: number phrases said by espeak-ng, made in the cache when first needed."""

import hashlib
import random
from pathlib import Path

from workings.data import sources
from workings.errors import WorkingsError
from workings.tasks.speech import synthesis
from workings.tasks.speech.config import SpeechData

FORMAT = 1  # raised when the phrases would be others than before
VOICES, SEED = 24, 1
SMALL = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen"),
    "nineteen",
)
TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")


def in_words(number: int) -> str:
    """A number from 0 to 99: forty two."""
    if number < len(SMALL):
        return SMALL[number]
    tens, ones = divmod(number, 10)
    return TENS[tens - 2] + (f" {SMALL[ones]}" if ones else "")


def phrases(count: int, seed: int) -> list[str]:
    """Numbers from 0 to 99 in words, every one as often as any other, in random order."""
    draw = random.Random(seed)
    numbers: list[int] = []
    while len(numbers) < count:
        numbers += draw.sample(range(100), 100)
    return [in_words(number) for number in numbers[:count]]


def folder(config: SpeechData) -> Path:
    """Where the set of this size is, in LJ Speech's format; made now if it is not there."""
    sizes = config.sizes(config.clips)
    if min(sizes.values()) < 1:
        raise WorkingsError(f"data.clips: {config.clips} are too few for three splits")
    key = hashlib.sha256(f"{FORMAT} {sorted(sizes.items())}".encode()).hexdigest()[:16]
    made = sources.cache() / "speech" / f"spoken-{key}"
    if not (made / "about.json").is_file():
        lines = phrases(config.clips, SEED)
        parts: dict[str, list[str]] = {}
        for split, size in sizes.items():
            parts[split], lines = lines[:size], lines[size:]
        synthesis.make(made, dict(parts), synthesis.voices(VOICES, SEED), SEED)
    return made
