"""Speech synthesis: a set in LJ Speech's format from any text, said by espeak-ng."""

import importlib.util
import json
import random
import re
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypedDict

from workings import child_python
from workings.data.progress_bar import following
from workings.errors import WorkingsError
from workings.files import new_folder
from workings.tasks.speech import alphabet
from workings.tasks.speech.config import SPLITS
from workings.tasks.speech.records import MadeRecord

ACCENTS = ("en-us", "en-gb-x-rp", "en-gb-scotland", "en")
VARIANTS = (
    *(f"m{n}" for n in range(1, 9)),
    *(f"f{n}" for n in range(1, 6)),
    *("Alex", "Andrea", "Andy", "Annie", "Denis", "Jacky", "Lee", "Mario", "Michael", "Mike"),
    *("Reed", "adam", "anika", "aunty", "belinda", "benjamin", "boris", "caleb", "david", "ed"),
    *("edward", "grandma", "grandpa", "ian", "john", "linda", "max", "pablo", "paul", "quincy"),
    *("rob", "robert", "shelby", "steph", "travis", "victor", "zac"),
)
MOST_VOICES = len(ACCENTS) * len(VARIANTS)
RATES, PITCHES = (130, 200), (30, 70)  # words a minute; 0 to 100
LONGEST = 98  # symbols of a sentence: with its end, the 99 tokens that data.max_tokens allows
LICENCE = "the synthesiser espeak-ng is GPL-3"


def voices(count: int, seed: int) -> dict[str, list[str]]:
    """So many voices by split, none in two: an eighth each validation and test, one at least."""
    if not 3 <= count <= MOST_VOICES:
        raise WorkingsError(
            f"--voices {count}: from 3, one for each split, to {MOST_VOICES} voices there are"
        )
    draw = random.Random(seed)
    rounds = [draw.sample(VARIANTS, len(VARIANTS)) for _ in ACCENTS]
    turns = draw.sample(ACCENTS, len(ACCENTS))
    # A variant is taken again, with another accent, only when all have been taken.
    every = [
        f"{turns[(number + position) % len(turns)]}+{variant}"
        for number, variants in enumerate(rounds)
        for position, variant in enumerate(sorted(variants) if number else variants)
    ]
    every = list(dict.fromkeys(every)) + [
        f"{accent}+{variant}" for variant in VARIANTS for accent in ACCENTS
    ]
    chosen = list(dict.fromkeys(every))[:count]
    held_out = max(1, round(count / 8))
    return _held_out(chosen, held_out)


def sentences(text: str, most: int) -> list[str]:
    """The text in pieces of at most `most` symbols: lines, sentences, and where these are long,
    parts that end between words."""
    pieces: list[str] = []
    for line in text.splitlines():
        for sentence in re.split(r"(?<=[.?!;:])\s+", alphabet.normalise(line)):
            piece = ""
            for word in sentence.replace("|", " ").split():
                if piece and len(piece) + 1 + len(word) > most:
                    pieces.append(piece)
                    piece = ""
                piece = f"{piece} {word[:most]}".strip()
            pieces.append(piece)
    return [piece for piece in pieces if any(symbol.isalnum() for symbol in piece)]


def divided(lines: Sequence[str], takes: int, seed: int) -> dict[str, Sequence[str]]:
    """A tenth of the lines each for validation and test, by seed; each line so many times."""
    if len(lines) < 3:
        raise WorkingsError(f"the text has {len(lines)} sentences to say: give three or more")
    order = random.Random(seed).sample(lines, len(lines))
    parts = _held_out(order, max(1, len(lines) // 10))
    return {split: [line for line in part for _ in range(takes)] for split, part in parts.items()}


def _held_out(items: list[str], count: int) -> dict[str, list[str]]:
    """The first `count` items are validation, as many after them test, the rest train."""
    return {"train": items[2 * count :], "valid": items[:count], "test": items[count : 2 * count]}


class SaidRecord(TypedDict):
    """The last line of the process that speaks."""

    version: str
    rate: int


def make(
    folder: Path, lines: dict[str, Sequence[str]], voices_of: dict[str, list[str]], seed: int
) -> MadeRecord:
    """Say every line of each split with a voice of that split; the folder is there whole or not.

    Voice, rate and pitch of each are drawn by the seed. Returns what about.json says.
    """
    if importlib.util.find_spec("espeakng_loader") is None:
        raise WorkingsError("speech is made with espeak-ng: pip install 'workings[speak]'")
    draw = random.Random(seed)
    clips = [
        {
            "name": f"S{number:05}",
            "text": line,
            "voice": draw.choice(voices_of[split]),
            "rate": draw.randint(*RATES),
            "pitch": draw.randint(*PITCHES),
        }
        for number, (split, line) in enumerate(
            (split, line) for split in SPLITS for line in lines[split]
        )
    ]
    with new_folder(folder) as temporary:
        (temporary / "wavs").mkdir()
        said = _say(clips, temporary / "wavs", seed)
        about: MadeRecord = {
            "synthetic": True,
            "made_by": f"made by espeak-ng {said['version']}; {LICENCE}",
            "rate": said["rate"],
            "seed": seed,
            "voices": voices_of,
            "splits": {split: len(lines[split]) for split in SPLITS},
        }
        table = "".join(f"{clip['name']}|{clip['text']}|{clip['text']}\n" for clip in clips)
        (temporary / "metadata.csv").write_text(table, encoding="utf-8")
        (temporary / "about.json").write_text(json.dumps({**about, "clips": clips}, indent=1))
    return about


def _say(clips: Sequence[Mapping[str, object]], folder: Path, seed: int) -> SaidRecord:
    """One fresh process says them all, in order."""
    job = json.dumps({"folder": str(folder), "seed": seed, "clips": clips})
    process = subprocess.Popen(
        child_python.command("workings.tasks.speech.espeak_process"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=child_python.environment(),
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    try:
        with process.stdin as stdin:
            stdin.write(job)
        for _ in following(clips, "speaking"):
            if not process.stdout.readline():
                break
        last = process.stdout.readline()
        errors = process.stderr.read().strip().splitlines()
        if process.wait():
            reason = errors[-1] if errors else f"it ended with {process.returncode}"
            raise WorkingsError(f"espeak-ng failed: {reason}")
        return json.loads(last)
    except BrokenPipeError:
        errors = process.stderr.read().strip().splitlines()
        raise WorkingsError(f"espeak-ng failed: {errors[-1] if errors else 'it died'}") from None
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
        process.stderr.close()
