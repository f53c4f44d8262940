"""Subwords: byte-pair encoding, learned from the training text by the package `tokenizers`.

A type is a sequence of bytes, so every text has its ids and there is no <unk>. What is kept is
plain JSON: the pieces and the merges, in the letters that stand for bytes since GPT-2.
"""

import collections
import json
from collections.abc import Iterable, Iterator
from functools import cached_property
from types import ModuleType
from typing import TYPE_CHECKING, TypedDict

from workings.errors import WorkingsError
from workings.json_files import WrongJson, conform, parse
from workings.tasks.language.config import TextConfig
from workings.tasks.language.files import Piece
from workings.tasks.language.lines import text_blocks
from workings.tasks.language.vocabulary import TokenIds, Vocabulary

if TYPE_CHECKING:
    import tokenizers


def _byte_letters() -> dict[str, int]:
    """A letter that can be seen for each byte: its own, or one from U+0100 on."""
    seen = [*range(33, 127), *range(161, 173), *range(174, 256)]
    unseen = [byte for byte in range(256) if byte not in seen]
    own = {chr(byte): byte for byte in seen}
    return own | {chr(256 + number): byte for number, byte in enumerate(unseen)}


BYTES = _byte_letters()
LINE_END = next(letter for letter, byte in BYTES.items() if byte == ord("\n"))
LONGEST_WORD = 512  # bytes within which pieces are merged
FEWEST = len(BYTES) + 2  # types: every byte, and something that was merged


class Stored(TypedDict):
    """vocabulary.json of a model of subwords."""

    pieces: list[str]  # each a sequence of letters that stand for bytes, the most frequent first
    merges: list[list[str]]  # of two pieces each, in the order in which they are made


class Subwords(Vocabulary):
    """The pieces that a model knows, the most frequent first, and how texts are cut into them."""

    def __init__(
        self, pieces: list[str], merges: list[tuple[str, str]], config: TextConfig
    ) -> None:
        self.pieces, self.merges, self.config = pieces, merges, config
        self.content = [bytes(BYTES[letter] for letter in piece) for piece in pieces]
        self.types = _names(self.content, pieces)
        self.ids = TokenIds((name, number) for number, name in enumerate(self.types))
        self.unknown, self.eos = None, None
        self.start = pieces.index(LINE_END)

    @classmethod
    def build(cls, parts: Iterable[Piece], config: TextConfig) -> "Subwords":
        """Learn merges from these parts, and put the pieces in the order of their counts."""
        if config.vocabulary < FEWEST:
            raise WorkingsError(
                f"data.vocabulary: {config.vocabulary} is too few for subwords, of which 256 are "
                f"the single bytes; set at least {FEWEST}"
            )
        parts, library = list(parts), _library()
        learned = library.Tokenizer(library.models.BPE())
        learned.pre_tokenizer = _pre_tokenizer(library)
        trainer = library.trainers.BpeTrainer(
            vocab_size=config.vocabulary,
            min_frequency=config.min_count,
            initial_alphabet=list(BYTES),
            show_progress=False,
        )
        learned.train_from_iterator(texts(parts, config), trainer)
        model = json.loads(learned.to_str())["model"]
        merges = [(first, second) for first, second in model["merges"]]
        if not merges:
            raise WorkingsError(
                f"the training text has no two letters together at least {config.min_count} times; "
                "give more text" + (" or set data.min_count=1" if config.min_count > 1 else "")
            )
        unordered = cls(list(model["vocab"]), merges, config)
        times: collections.Counter[int] = collections.Counter()
        for text in texts(parts, config):
            times.update(unordered.numbers(text))
        count = {piece: times[number] for number, piece in enumerate(unordered.pieces)}
        return cls(sorted(count, key=lambda piece: (-count[piece], piece)), merges, config)

    @cached_property
    def _tokenizer(self) -> "tokenizers.Tokenizer":
        library = _library()
        numbers = {piece: number for number, piece in enumerate(self.pieces)}
        tokenizer = library.Tokenizer(library.models.BPE(vocab=numbers, merges=self.merges))
        tokenizer.pre_tokenizer = _pre_tokenizer(library)
        return tokenizer

    def numbers(self, text: str) -> list[int]:
        """The ids of a text as it is."""
        return self._tokenizer.encode(text).ids

    def encode(self, text: str) -> list[int]:
        return self.numbers(text.lower() if self.config.lowercase else text)

    def unknown_in(self, text: str) -> list[str]:
        return []

    def frequent(self) -> str:
        return "The"  # any text has its ids

    def join(self, tokens: Iterable[int]) -> str:
        """The text of the bytes; a character that is cut in two is shown as U+FFFD."""
        return b"".join(self.content[number] for number in tokens).decode(errors="replace")

    def to_json(self) -> bytes:
        stored = {"pieces": self.pieces, "merges": self.merges}
        return json.dumps(stored, ensure_ascii=False, indent=0).encode()

    @classmethod
    def from_json(cls, content: bytes, config: TextConfig) -> "Subwords":
        try:
            stored = conform(parse(content), Stored)
            pieces, known = stored["pieces"], set(stored["pieces"])
            if len(known) < len(pieces):
                raise WrongJson("pieces: one is there twice")
            if not all(pieces) or not set("".join(pieces)) <= set(BYTES) <= known:
                raise WrongJson("pieces: are not sequences of bytes, all single bytes among them")
            for pair in stored["merges"]:
                if len(pair) != 2 or not {*pair, "".join(pair)} <= known:
                    raise WrongJson(f"merges: {pair!a} are not two pieces that make a third")
            return cls(pieces, [(first, second) for first, second in stored["merges"]], config)
        except ValueError as error:
            raise WorkingsError(f"vocabulary.json: is damaged ({error})") from None


def texts(parts: Iterable[Piece], config: TextConfig) -> Iterator[str]:
    """The text of the parts, block by block."""
    for piece in parts:
        for block in text_blocks(piece, config):
            yield block.lower() if config.lowercase else block


def _names(content: list[bytes], pieces: list[str]) -> list[str]:
    """What each piece is called: its text, or its bytes where these are no text."""
    names: dict[str, None] = {}
    for given, piece in zip(content, pieces, strict=True):
        try:
            name = given.decode()
        except UnicodeDecodeError:
            name = "".join(f"<{byte:02X}>" for byte in given)
        names[name if name not in names else piece] = None
    return list(names)


def _pre_tokenizer(library: ModuleType) -> "tokenizers.pre_tokenizers.PreTokenizer":
    """Words, as bytes; a longer one is cut, for learning takes time with the square of its length.

    A text without spaces would be one word.
    """
    words = library.pre_tokenizers.ByteLevel(add_prefix_space=False)
    pattern = library.Regex(f".{{1,{LONGEST_WORD}}}")
    return library.pre_tokenizers.Sequence(
        [words, library.pre_tokenizers.Split(pattern, "isolated")]
    )


def _library() -> ModuleType:
    try:
        import tokenizers
    except ImportError:
        raise WorkingsError(
            "data.level: bpe needs tokenizers: `pip install 'workings[subwords]'` (quotes included)"
        ) from None
    return tokenizers
