"""The vocabulary: which types a model knows, and their ids."""

import collections
import json
import re
from collections.abc import Iterable

import numpy as np

from workings.errors import WorkingsError
from workings.json_files import WrongJson, conform, parse
from workings.tasks.language.chunks import count_words
from workings.tasks.language.config import TextConfig
from workings.tasks.language.files import Piece
from workings.tasks.language.tokenizer import codes, tokenise

EOS, UNK = "<eos>", "<unk>"
UNSPACED = 20  # characters of a mean word, above which no spaces divide a text into words
FREQUENT = 50  # types


def count(parts: Iterable[Piece], config: TextConfig) -> collections.Counter[str]:
    """How often each token occurs; at word level "\\n" counts the lines."""
    counter: collections.Counter[str] = collections.Counter()
    for piece in parts:
        if config.level == "word":
            count_words(piece, config, counter)
        else:
            for points in codes(piece, config):
                times = np.bincount(points)
                for code in np.flatnonzero(times):
                    counter[chr(code)] += int(times[code])
    return counter


class TokenIds(dict[str, int]):
    """Ids by token; a token that is not there has the id of <unk>."""

    unknown: int

    def __missing__(self, token: str) -> int:
        return self.unknown


class Vocabulary:
    """The types a model knows, the most frequent first, and how its text was read."""

    def __init__(self, types: list[str], config: TextConfig) -> None:
        self.types, self.config = types, config
        self.ids = TokenIds((token, number) for number, token in enumerate(types))
        self.unknown: int | None = self.ids[UNK]  # None: every text has its ids
        self.ids.unknown = self.ids[UNK]
        self.eos = self.ids[EOS] if config.level == "word" else None
        # What stands before the first token of a text: the end of a line that is not there.
        self.start = self.ids[EOS if config.level == "word" else "\n"]

    @classmethod
    def build(cls, parts: Iterable[Piece], config: TextConfig) -> "Vocabulary":
        """The types that the texts have at least `min_count` times, the most frequent first."""
        counter = count(parts, config)
        if config.level == "word":
            counter[EOS] += counter.pop("\n", 0)
        special = {UNK, EOS} if config.level == "word" else {UNK}
        seen = [t for t, n in counter.items() if n >= config.min_count and t not in special]
        if len(seen) < 2:
            raise WorkingsError(
                f"the training text has {len(seen)} distinct {config.level}(s) seen at least "
                f"{config.min_count} time(s); a model needs two or more: "
                + _way_out(counter, config)
            )
        if config.vocabulary < len(special) + 2:
            raise WorkingsError(
                f"data.vocabulary: {config.vocabulary} leaves no type beside "
                f"{' and '.join(sorted(special))}; set at least {len(special) + 2}"
            )
        seen.sort(key=lambda t: (-counter[t], t))
        kept = seen[: config.vocabulary - len(special)]
        types = sorted([*kept, *special], key=lambda t: (-counter[t], t))
        return cls(types, config)

    def __len__(self) -> int:
        return len(self.types)

    def encode(self, text: str) -> list[int]:
        """Token ids of a short text, without an <eos> at its end."""
        eos = self.eos is not None
        return [self.ids[EOS if t == "\n" and eos else t] for t in self._tokens(text)]

    def unknown_in(self, text: str) -> list[str]:
        """The tokens of a short text that are not in the vocabulary."""
        return [t for t in self._tokens(text) if t not in self.ids and t != "\n"]

    def frequent(self) -> str:
        """The longest of the most frequent words, or a letter: a prompt that the model knows."""
        return max((t for t in self.types[:FREQUENT] if t.isalpha()), key=len, default="a")

    def _tokens(self, text: str) -> list[str]:
        if self.config.level == "word":
            return tokenise(text.lstrip(), self.config)
        return list(text.lower() if self.config.lowercase else text)

    def join(self, tokens: Iterable[int]) -> str:
        """Readable text of token ids."""
        types = [self.types[number] for number in tokens]
        if self.config.level == "char":
            return "".join(types)
        text = " ".join("\n" if token == EOS else token for token in types).replace(" \n ", "\n")
        if self.config.tokens == "words":
            text = re.sub(r" ([,.;:!?%)\]’”])", r"\1", text)
            text = re.sub(r"([(\[$“]) ", r"\1", text)
        return text.strip(" ")

    def to_json(self) -> bytes:
        """The content of vocabulary.json: the types in the order of their ids."""
        return json.dumps(self.types, ensure_ascii=False, indent=0).encode()

    @classmethod
    def from_json(cls, content: bytes, config: TextConfig) -> "Vocabulary":
        """What `to_json` wrote; WorkingsError where it is damaged."""
        try:
            types = conform(parse(content), list[str])
            "".join(types).encode()  # half of a character is no text
            if len(set(types)) < len(types):
                raise WrongJson("it has a token twice")
            if not {UNK, *([EOS] if config.level == "word" else [])} <= set(types):
                raise ValueError(f"{UNK} or {EOS} is not in it")
            return cls(types, config)
        except ValueError as error:
            raise WorkingsError(f"vocabulary.json: is damaged ({error})") from None


def _way_out(counter: collections.Counter[str], config: TextConfig) -> str:
    """What to do about a text of too few types."""
    words = [word for word in counter if word not in (UNK, EOS)]
    if config.level == "word" and sum(map(len, words)) > UNSPACED * len(words) > 0:
        return "its words have no spaces between them, so set data.level=char"
    return "give more text" + (" or set data.min_count=1" if config.min_count > 1 else "")
