"""What is summarised: a snippet of code or prose, as tokens with typed edges, and its summary."""

# E edges

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

# Tokens that stand for what is left out; none of them is ever written in a summary.
NAME, STRING, NUMBER = "<name>", "<string>", "<number>"
PLACEHOLDERS = frozenset((NAME, STRING, NUMBER))


@dataclass(frozen=True)
class Snippet:
    """A function or a text: its tokens, edges between them by kind, and the words of its summary.

    Shapes: each kind's edges E×2, from token to token.
    """

    tokens: tuple[str, ...]
    edges: Mapping[str, np.ndarray]
    summary: tuple[str, ...]
    label: str = ""  # the function's own name, or where the text stands
    line: int = 0  # of its file, from 1; 0: not known
    project: str = ""
    module: str = ""
    split: str = ""  # where its file says it: train, valid or test
    cut: int = field(default=0, compare=False)  # tokens that were cut off its end

    def shortened(self, tokens: int, words: int) -> "Snippet":
        """The first so many tokens with the edges among them, and the summary's first words."""
        summary = self.summary[:words]
        if len(self.tokens) <= tokens:
            return replace(self, summary=summary)
        edges = {kind: pairs[(pairs < tokens).all(1)] for kind, pairs in self.edges.items()}
        cut = self.cut + len(self.tokens) - tokens
        return replace(self, tokens=self.tokens[:tokens], edges=edges, summary=summary, cut=cut)


def pairs(edges: list[tuple[int, int]]) -> np.ndarray:
    """Edges as an array, E×2, each once, in order."""
    return np.array(sorted(set(edges)), np.int32).reshape(-1, 2)
