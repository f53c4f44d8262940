"""The tokenizer of transcripts: four special tokens, and the letters and marks of an alphabet."""

import unicodedata
from collections import Counter
from collections.abc import Iterable
from typing import Literal

PAD, BEGIN, END, UNKNOWN = range(4)
LETTERS = " ,.?-abcdefghijklmnopqrstuvwxyz"  # of the published figures
SELDOM = 3  # a symbol seen less often in the texts is no letter of theirs
APOSTROPHES = {ord(mark): "'" for mark in "‘’ʼ"}
MARK = "\N{REPLACEMENT CHARACTER}"  # how the unknown symbol is written

Handling = Literal["unknown", "drop", "error"]


def normalise(text: str) -> str:
    """Small letters, white space as single spaces, and accents taken off letters that have one.

    So é becomes e; what then stands outside the alphabet is for `Handling` to decide.
    """
    parts = unicodedata.normalize("NFKD", text.lower().translate(APOSTROPHES))
    plain = "".join(part for part in parts if not unicodedata.combining(part))
    return " ".join(plain.split())


def fitting(texts: Iterable[str]) -> str:
    """The letters that some texts need: the published ones, others that they have, in order.

    Those are letters, digits and the apostrophe; nobody hears other marks.
    """
    counts = Counter(symbol for text in texts for symbol in normalise(text))
    heard = {each for each, count in counts.items() if count >= SELDOM and _is_heard(each)}
    return LETTERS + "".join(sorted(heard - set(LETTERS)))


def _is_heard(symbol: str) -> bool:
    return symbol.isalnum() or symbol == "'"


class Alphabet:
    """Letters and marks with their ids, after those of the four special tokens."""

    def __init__(self, letters: str = LETTERS) -> None:
        self.symbols = ("<pad>", "<begin>", "<end>", "<unknown>", *letters)
        self.ids = {symbol: number for number, symbol in enumerate(self.symbols)}

    def __len__(self) -> int:
        return len(self.symbols)

    def outside(self, text: str) -> Counter[str]:
        """The symbols of a normalised text that are not in the alphabet, counted."""
        return Counter(symbol for symbol in text if symbol not in self.ids)

    def within(self, text: str, handling: Handling) -> str:
        """A normalised text in the alphabet; what is outside it is marked, or left out."""
        mark = MARK if handling == "unknown" else ""
        kept = "".join(symbol if symbol in self.ids else mark for symbol in text)
        return " ".join(kept.split())

    def encode(self, text: str) -> list[int]:
        """Ids of a text in the alphabet, without begin and end."""
        return [self.ids.get(symbol, UNKNOWN) for symbol in text]

    def decode(self, ids: Iterable[int]) -> str:
        """The text that ids stand for, up to the end; an unknown symbol is written as �."""
        text = ""
        for number in ids:
            if number == END:
                break
            text += self.symbols[number] if number > UNKNOWN else MARK if number == UNKNOWN else ""
        return text


PUBLISHED = Alphabet()
