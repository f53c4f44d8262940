"""Names taken apart into sub-words: `parseHTMLPage_2` is parse, html, page, 2."""

import re
import unicodedata

_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_A-Za-z]+")
_WORDS = re.compile(r"[^\W_]+")
_SENTENCE = re.compile(r"(?<=[.!?])\s|\n\s*\n")


def subwords(name: str) -> tuple[str, ...]:
    """The sub-words of an identifier, in lower case; underscores only separate them."""
    return tuple(part.lower() for part in _PARTS.findall(name))


def same_identifier(first: str, second: str) -> bool:
    """Whether Python takes two spellings for one name (it compares their NFKC forms)."""
    if first.isascii() and second.isascii():
        return first == second
    return unicodedata.normalize("NFKC", first) == unicodedata.normalize("NFKC", second)


def words(text: str) -> tuple[str, ...]:
    """The words and numbers of a text, in lower case, without punctuation."""
    return tuple(word.lower() for word in _WORDS.findall(text))


def first_sentence(text: str) -> str:
    """A text up to the end of its first sentence or paragraph."""
    return _SENTENCE.split(text.strip(), maxsplit=1)[0]
