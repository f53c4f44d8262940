"""Snippets as JSON lines: one object a line with tokens, edges and summary; read with care.

    {"tokens": ["def", "<name>", …], "edges": {"child": [[0, 3], …]}, "summary": ["read", "file"],
     "label": "Reader.read_file", "line": 12, "project": "json", "module": "json.decoder"}

`text` in the place of tokens and edges is prose. summary may be one string. All from `edges` on
may be missing, but for the summary; `split` may say train, valid or test.
"""

import hashlib
import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NotRequired, TypedDict

import numpy as np

from workings.data.readers import unpack
from workings.errors import WorkingsError
from workings.json_files import WrongJson, conform, parse
from workings.tasks.summary import prose
from workings.tasks.summary.snippet import Snippet
from workings.tasks.summary.subwords import words

LONGEST_LINE = 1 << 22  # bytes
MOST_KINDS = 16  # of edges: each has two matrices of weights


class _Line(TypedDict):
    tokens: NotRequired[list[str]]
    text: NotRequired[str]
    edges: NotRequired[dict[str, list]]
    summary: str | list[str]
    label: NotRequired[str]
    line: NotRequired[int]
    project: NotRequired[str]
    module: NotRequired[str]
    split: NotRequired[Literal["", "train", "valid", "test"]]


def read(path: Path, seen: "hashlib._Hash | None" = None) -> Iterator[Snippet]:
    """The snippets of a file; what is wrong is said with its line.

    seen: is updated with every line.
    """
    size = unpack.size(path)  # refuses what is no regular file
    unpack.require_sane(str(path), size, size)
    with path.open("rb") as file:
        for number in itertools.count(1):
            line = file.readline(LONGEST_LINE + 1)
            if not line:
                return
            if seen:
                seen.update(line)
            if len(line) > LONGEST_LINE:
                raise WorkingsError(f"{path}: line {number}: longer than {LONGEST_LINE:,} bytes")
            if line.strip():
                try:
                    yield snippet(parse(line))
                except WrongJson as error:
                    raise WorkingsError(f"{path}: line {number}: {error}") from None


def snippet(value: object) -> Snippet:
    """The snippet that an object stands for; WrongJson names what is wrong with it."""
    given = conform(value, _Line)
    if ("tokens" in given) == ("text" in given):
        raise WrongJson("give tokens or text, one of the two")
    if "text" in given:
        tokens, edges = prose.sentence_graph(given["text"])
    else:
        tokens = tuple(given["tokens"])
        edges = _edges(given.get("edges", {}), len(tokens))
    summary = given["summary"]
    summary_words = words(summary) if isinstance(summary, str) else tuple(summary)
    for each in (*tokens, *summary_words, *edges):
        if not each.isascii():
            _require_characters(each)
    about = (given.get("label", ""), given.get("line", 0))
    where = (given.get("project", ""), given.get("module", ""), given.get("split", ""))
    return Snippet(tokens, edges, summary_words, *about, *where)


def _edges(given: dict[str, list], tokens: int) -> dict[str, np.ndarray]:
    if len(given) > MOST_KINDS:
        raise WrongJson(f"edges: {len(given)} kinds, {MOST_KINDS} at most")
    edges = {}
    for kind, ends in given.items():
        if not _all_pairs(ends, tokens):
            position = next(n for n, pair in enumerate(ends) if not _all_pairs([pair], tokens))
            raise WrongJson(
                f"edges.{kind[:40]}.{position}: expected two numbers of tokens, "
                f"0 to {tokens - 1}, found {repr(ends[position])[:40]}"
            )
        array = np.array(ends, np.int32).reshape(-1, 2)
        edges[kind] = array if len(array) < 2 else np.unique(array, axis=0)
    return edges


def _all_pairs(ends: list, tokens: int) -> bool:
    """Whether all are pairs of numbers of tokens; True is no number."""
    if not ends:
        return True
    if set(map(type, ends)) != {list} or set(map(len, ends)) != {2}:
        return False
    numbers = [number for pair in ends for number in pair]
    return set(map(type, numbers)) == {int} and min(numbers) >= 0 and max(numbers) < tokens


def _require_characters(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise WrongJson(f"{text[:40]!a}: half of a character") from None


def line(snippet: Snippet) -> bytes:
    """A snippet as a line."""
    value: dict[str, object] = {
        "tokens": snippet.tokens,
        "edges": {kind: ends.tolist() for kind, ends in snippet.edges.items()},
        "summary": snippet.summary,
        "label": snippet.label,
        "line": snippet.line,
        "project": snippet.project,
        "module": snippet.module,
    }
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
