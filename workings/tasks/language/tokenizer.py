"""Tokens: a block of text as words, or as characters."""

import re
from collections.abc import Iterator

import numpy as np

from workings.tasks.language.config import TextConfig
from workings.tasks.language.files import Piece
from workings.tasks.language.lines import text_blocks

BLANK = re.compile(r"\n\s+")
_WORDS = re.compile(r"\n|<unk>|<eos>|\d+(?:[.,]\d+)*|\w+(?:['’]\w+)*|--+|\.\.+|[^\w\s]")
_SPACES = re.compile(r"\n|[^\s]+")
# A full stop after a title or an initial does not end a sentence.
_SENTENCE = re.compile(
    r"([.!?](?<!\bMr\.)(?<!\bDr\.)(?<!\bMrs\.)(?<!\bMs\.)(?<!\bSt\.)(?<!\bNo\.)(?<!\bGen\.)"
    r"(?<!\bMessrs\.)(?<!\b[A-Z]\.)[\"'”’)]*)\s+(?=[\"'“‘(]?[A-Z])"
)


def tokenise(text: str, config: TextConfig) -> list[str]:
    """The tokens of a text at word level; a line's end is the token "\\n"."""
    if config.sentences:
        text = end_sentences(text)
    if config.lowercase:
        text = text.lower()
    text = without_blank_lines(text, config)
    return (_WORDS if config.tokens == "words" else _SPACES).findall(text)


def end_sentences(text: str) -> str:
    """The text with a line's end after every sentence."""
    return _SENTENCE.sub(r"\1\n", text)


def without_blank_lines(text: str, config: TextConfig) -> str:
    """The text, several ends of lines in a row as one, unless every line counts."""
    return text if config.lines == "every" else BLANK.sub("\n", text)


def words(piece: Piece, config: TextConfig) -> Iterator[list[str]]:
    """The words of a piece, block by block, in the plain way; `chunks` has the fast one."""
    ended = True
    for block in text_blocks(piece, config):
        tokens = tokenise(block, config)
        if ended and config.lines != "every" and tokens[:1] == ["\n"]:
            del tokens[0]  # a blank line; a block that begins within a line may end it so
        if tokens:
            ended = tokens[-1] == "\n"
            yield tokens
    if not ended:
        yield ["\n"]  # a last line without its newline is a line


def codes(piece: Piece, config: TextConfig) -> Iterator[np.ndarray]:
    """The code points of a piece, block by block."""
    for block in text_blocks(piece, config, anywhere=True):
        text = block.lower() if config.lowercase else block
        yield np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32)
