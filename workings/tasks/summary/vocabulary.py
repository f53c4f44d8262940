"""The types that a summariser knows: words that it can write first, then tokens it only reads."""

import json
from collections import Counter
from collections.abc import Iterable
from typing import Annotated, TypedDict

from workings.errors import WorkingsError
from workings.json_files import AtLeast, WrongJson, conform, parse
from workings.tasks.summary.snippet import PLACEHOLDERS, Snippet

SPECIAL = ("<pad>", "<begin>", "<end>", "<unk>")
PAD, BEGIN, END, UNKNOWN = range(len(SPECIAL))


class _Record(TypedDict):
    types: list[str]
    outputs: Annotated[int, AtLeast(len(SPECIAL))]
    kinds: list[str]


class Vocabulary:
    """Types by number: `SPECIAL`, the `outputs` that can be written, and those only read.

    kinds: of edges, in the order of their numbers.
    """

    def __init__(self, types: list[str], outputs: int, kinds: tuple[str, ...]) -> None:
        self.types, self.outputs, self.kinds = types, outputs, kinds
        self.numbers = {name: number for number, name in enumerate(types)}
        for name in SPECIAL:
            del self.numbers[name]  # in a user's file they are words like others

    @classmethod
    def of(
        cls, snippets: Iterable[Snippet], most: int, least: int, kinds: tuple[str, ...]
    ) -> "Vocabulary":
        """The words, then the tokens, that are seen often enough, the most frequent first."""
        words, tokens = Counter[str](), Counter[str]()
        for each in snippets:
            words.update(each.summary)
            tokens.update(each.tokens)
        for name in (*SPECIAL, *PLACEHOLDERS):
            words.pop(name, None)
        for name in SPECIAL:
            tokens.pop(name, None)
        written = _frequent(words, least)[: max(0, most - len(SPECIAL))]
        known = set(written)
        read = [name for name in _frequent(tokens, least) if name not in known]
        types = [*SPECIAL, *written, *read][: max(most, len(SPECIAL))]
        return cls(types, len(SPECIAL) + len(written), kinds)

    def __len__(self) -> int:
        return len(self.types)

    def number(self, name: str) -> int:
        """The number of a type; UNKNOWN where it is none."""
        return self.numbers.get(name, UNKNOWN)

    def require_kinds(self, snippets: Iterable[Snippet], where: str) -> None:
        """Refuse edges of kinds that were not there in training: nothing was learned of them."""
        for kind in sorted({kind for each in snippets for kind in each.edges} - {*self.kinds}):
            raise WorkingsError(
                f"{where}: has edges of the kind {kind!r}; this run knows "
                f"{', '.join(map(repr, self.kinds)) or 'none'}"
            )

    def to_json(self) -> bytes:
        """As an asset of a run."""
        value = {"types": self.types, "outputs": self.outputs, "kinds": self.kinds}
        return json.dumps(value, ensure_ascii=False).encode()

    @classmethod
    def from_json(cls, content: bytes) -> "Vocabulary":
        """From an asset of a run."""
        try:
            given = conform(parse(content), _Record)
            types, outputs = given["types"], given["outputs"]
            if tuple(types[: len(SPECIAL)]) != SPECIAL or not outputs <= len(set(types)) == len(
                types
            ):
                raise WrongJson("types: are not those of a vocabulary")
        except WrongJson as error:
            raise WorkingsError(f"summary.json: is damaged ({error}); train again") from None
        return cls(types, outputs, tuple(given["kinds"]))


def _frequent(counts: Counter[str], least: int) -> list[str]:
    often = [(-count, name) for name, count in counts.items() if count >= least]
    return [name for _, name in sorted(often)]
