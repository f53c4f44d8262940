"""Small speech sets made of tones, for the tests: every letter sounds at a pitch of its own."""

from pathlib import Path

import numpy as np
import soundfile

RATE = 4000


def tone(text: str, rate: int = RATE, letter: float = 0.05) -> np.ndarray:
    """The letters of a text as tones, one after the other."""
    t = np.arange(int(letter * rate)) / rate
    pitches = [200 + 55 * (ord(symbol) % 27) for symbol in text]
    return np.concatenate([0.5 * np.sin(2 * np.pi * pitch * t) for pitch in pitches])


def lj_speech(folder: Path, texts: list[str], suffix: str = ".wav", rate: int = RATE) -> Path:
    """A folder in LJ Speech's form."""
    (folder / "wavs").mkdir(parents=True)
    lines = []
    for number, text in enumerate(texts):
        name = f"T{number:03}"
        sound = tone(text, rate)
        sound[-1] = number / 2**15  # no two recordings are the same
        soundfile.write(folder / "wavs" / f"{name}{suffix}", sound, rate)
        lines.append(f"{name}|{text}|{text}\n")
    (folder / "metadata.csv").write_text("".join(lines), encoding="utf-8")
    return folder


def words(count: int) -> list[str]:
    chance = np.random.default_rng(0)
    some = ("ab", "cab", "bad", "dab", "add")
    return [" ".join(chance.choice(some, chance.integers(1, 4))) for _ in range(count)]
