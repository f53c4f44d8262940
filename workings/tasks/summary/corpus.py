"""Everything that is summarised, read, without duplicates and in its splits."""

import hashlib
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from workings.data import sources
from workings.errors import WorkingsError
from workings.files import explain, read_file, write_file
from workings.tasks.summary import functions, json_lines, packages, prose
from workings.tasks.summary.config import SummaryData
from workings.tasks.summary.snippet import Snippet
from workings.tasks.summary.splits import Splits, divide, kept_together_in, without_duplicates

FORMAT = 1  # raised when functions are made into tokens and edges otherwise than before
LARGEST_TEXT = 1 << 28  # bytes of a file of prose


@dataclass
class Notes:
    """What was left out or cut, and why: a count by reason."""

    counts: Counter[str] = field(default_factory=Counter)
    not_parsed: list[str] = field(default_factory=list)  # files, each with the reason

    def lines(self) -> list[str]:
        """In words."""
        said = [f"{count:,} {reason}" for reason, count in self.counts.items() if count]
        if self.not_parsed:
            more = f" and {len(self.not_parsed) - 1:,} more" if len(self.not_parsed) > 1 else ""
            said.append(f"left out, not parsed: {self.not_parsed[0]}{more}")
        return said


@dataclass(frozen=True)
class Corpus:
    """The snippets by split, what was left out, and the SHA-256 of what was read."""

    splits: Splits
    notes: Notes
    checksum: str
    kinds: tuple[str, ...]  # of edges, in the order of their numbers
    kept_together: str  # in one split: project, module, nothing (random); empty: the file says it

    def everything(self) -> list[Snippet]:
        """All snippets, whatever their split."""
        return [each for part in self.splits.values() for each in part]


def read(config: SummaryData) -> Corpus:
    """What a config names, in its splits."""
    notes = Notes()
    snippets, checksum = gather(config, notes)
    usable = list(_usable(snippets, config, notes))
    if not usable:
        where = config.path or "the standard library"
        raise WorkingsError(f"{where}: nothing to summarise in it{_why(notes)}")
    if 0 < config.subset < len(usable):
        draw = np.random.default_rng(config.split_seed)
        chosen = np.sort(draw.permutation(len(usable))[: config.subset])
        usable = [usable[number] for number in chosen]
    kept_together = kept_together_in(usable, config)
    splits = divide(usable, kept_together, config)
    if config.duplicates == "remove":
        splits, notes.counts["duplicates removed"] = without_duplicates(splits)
    kinds = tuple(dict.fromkeys(kind for each in usable for kind in each.edges))
    if len(kinds) > json_lines.MOST_KINDS:
        raise WorkingsError(
            f"{config.path}: has {len(kinds)} kinds of edges; {json_lines.MOST_KINDS} at most"
        )
    return Corpus(splits, notes, checksum, kinds, kept_together)


def _why(notes: Notes) -> str:
    return f" ({'; '.join(notes.lines())})" if notes.lines() else ""


def _usable(snippets: Iterable[Snippet], config: SummaryData, notes: Notes) -> Iterator[Snippet]:
    """Those that have something to read and to write, cut to what is read of them."""
    for each in snippets:
        if not each.tokens or not each.summary:
            notes.counts["left out, without text or summary"] += 1
            continue
        short = each.shortened(config.max_tokens, config.words)
        notes.counts[f"cut after {config.max_tokens} tokens"] += bool(short.cut)
        notes.counts[f"summaries cut after {config.words} words"] += short.summary != each.summary
        yield short


def gather(config: SummaryData, notes: Notes) -> tuple[Iterable[Snippet], str]:
    """All snippets that a config names, and the checksum of where they come from."""
    if not config.path:
        return python(packages.standard_library(), config, notes)
    path = Path(config.path)
    if not path.exists():
        raise WorkingsError(f"{path}: no such file or folder")
    if path.is_dir() or path.suffix == ".py":
        files = packages.folder_sources(path)
        if not files:
            raise WorkingsError(f"{path}: the folder holds no .py file")
        return python(files, config, notes)
    if path.suffix == ".txt":
        content = read_text(path)
        return prose.of_text(decoded(path, content)), hashlib.sha256(content).hexdigest()
    total = hashlib.sha256()
    snippets = list(json_lines.read(path, total))
    return snippets, total.hexdigest()


def read_text(path: Path) -> bytes:
    """The content of a file of prose or source."""
    try:
        return read_file(path, LARGEST_TEXT)
    except OSError as error:
        raise WorkingsError(f"{path}: cannot be read ({error.strerror})") from None


def decoded(path: Path, content: bytes) -> str:
    """Its text, which must be UTF-8."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise WorkingsError(f"{path}: not UTF-8 at byte {error.start}") from None


def python(
    files: list[packages.Source], config: SummaryData, notes: Notes
) -> tuple[list[Snippet], str]:
    """The functions of Python sources, from the cache or parsed into it, and their checksum."""
    total = hashlib.sha256()
    for project, module, path in files:
        total.update(f"{project}\n{module}\n".encode("utf-8", "backslashreplace"))
        try:
            total.update(hashlib.sha256(read_file(path, functions.LARGEST_SOURCE)).digest())
        except OSError as error:
            total.update((error.strerror or "").encode())
    checksum = total.hexdigest()
    asked = [FORMAT, sys.version_info[:2], config.target, config.min_statements]
    asked.append(config.special_methods)
    key = hashlib.sha256(f"{checksum} {asked}".encode()).hexdigest()[:32]
    file = sources.cache() / "summary" / f"{key}.jsonl"
    problems = file.with_suffix(".left-out")
    if not file.exists():
        snippets = list(parsed(files, config, notes.not_parsed.append))
        with explain(file):
            file.parent.mkdir(parents=True, exist_ok=True)
        write_file(problems, "\n".join(notes.not_parsed).encode("utf-8", "replace"))
        write_file(file, b"".join(map(json_lines.line, snippets)) or b"\n")
        return snippets, checksum
    notes.not_parsed += problems.read_text(encoding="utf-8").split("\n")
    notes.not_parsed[:] = filter(None, notes.not_parsed)
    return list(json_lines.read(file)), checksum


def parsed(
    files: list[packages.Source], config: SummaryData, left_out: Callable[[str], None]
) -> Iterator[Snippet]:
    """The functions of Python sources; a file that does not parse is named, with the reason."""
    for project, module, path in files:
        try:
            part = functions.of_file(path, config.target, config.min_statements, project, module)
        except functions.NotParsed as error:
            left_out(f"{module}: {error}")
            continue
        for each in part:
            if config.special_methods or not functions.is_special(each.label):
                yield each
