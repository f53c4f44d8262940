"""The tokenizer of transcripts: four special tokens, five marks and the letters a to z."""

import unicodedata
from collections import Counter
from collections.abc import Iterable
from typing import Literal

PAD, BEGIN, END, UNKNOWN = range(4)
LETTERS = " ,.?-abcdefghijklmnopqrstuvwxyz"
SYMBOLS = ("<pad>", "<begin>", "<end>", "<unknown>", *LETTERS)
IDS = {symbol: number for number, symbol in enumerate(SYMBOLS)}
MARK = "\N{REPLACEMENT CHARACTER}"  # how the unknown symbol is written

Handling = Literal["unknown", "drop", "error"]


def normalise(text: str) -> str:
    """Small letters, white space as single spaces, and accents taken off letters that have one.

    So é becomes e; what then stands outside the alphabet is for `Handling` to decide.
    """
    parts = unicodedata.normalize("NFKD", text.lower())
    plain = "".join(part for part in parts if not unicodedata.combining(part))
    return " ".join(plain.split())


def outside(text: str) -> Counter[str]:
    """The symbols of a normalised text that are not in the alphabet, counted."""
    return Counter(symbol for symbol in text if symbol not in IDS)


def within(text: str, handling: Handling) -> str:
    """A normalised text in the alphabet; what is outside it is marked, or left out."""
    mark = MARK if handling == "unknown" else ""
    kept = "".join(symbol if symbol in IDS else mark for symbol in text)
    return " ".join(kept.split())


def encode(text: str) -> list[int]:
    """Ids of a text in the alphabet, without begin and end."""
    return [IDS.get(symbol, UNKNOWN) for symbol in text]


def decode(ids: Iterable[int]) -> str:
    """The text that ids stand for, up to the end; an unknown symbol is written as �."""
    text = ""
    for number in ids:
        if number == END:
            break
        text += SYMBOLS[number] if number > UNKNOWN else MARK if number == UNKNOWN else ""
    return text
