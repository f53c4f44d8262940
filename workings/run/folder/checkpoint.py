"""Checkpoints: written atomically, checked by SHA-256 when they are read, old ones removed.

    checkpoint/last-000007/   tensors.safetensors  state.json  manifest.json
    checkpoint/best-000420/

A folder appears under its name only when it is whole. The last two `last` folders are kept, so
that a damaged one has a predecessor, and the `best` folders that those two refer to.
"""

import contextlib
import hashlib
import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypedDict, TypeVar

import safetensors.torch
from safetensors import SafetensorError
from torch import Tensor

from workings.data.readers.unpack import memory_budget
from workings.errors import WorkingsError
from workings.files import explain, read_file, write_folder
from workings.json_files import Count, WrongJson, conform, parse
from workings.run.folder.records import BestRecord, LastRecord

TENSORS, STATE, MANIFEST = FILES = "tensors.safetensors", "state.json", "manifest.json"
FORMAT = 1  # raised when an older version could not read what this one writes

# What a killed process leaves while it writes, and a checkpoint that was put aside as damaged.
LEFTOVER = re.compile(r"\.(last|best)-\d+-\w+|damaged-\d+")
CHECKPOINT = re.compile(r"(last|best)-([0-9]+)")

R = TypeVar("R")


Saved = tuple[dict[str, Tensor], R]  # the tensors, and what JSON holds


class _Format(TypedDict):
    format: Count


class _BestStep(TypedDict):
    best_step: Count


class Damaged(Exception):
    """A checkpoint folder that is not what was written."""


def write(folder: Path, tensors: dict[str, Tensor], state: Mapping[str, object]) -> None:
    """A checkpoint folder, whole or not at all."""
    files = {
        TENSORS: safetensors.torch.save({k: v.cpu() for k, v in tensors.items()}),
        STATE: json.dumps({"format": FORMAT, **state}).encode(),
    }
    digests = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
    write_folder(folder, files | {MANIFEST: json.dumps(digests).encode()})


def read(folder: Path, kind: type[R], weights: str = "") -> Saved[R]:
    """The tensors and the state, every byte checked; Damaged says which file is not whole.

    weights: what the names of the model's weights begin with. None of them was ever written with a
    NaN or an infinity in it.
    """
    try:
        manifest = conform(parse(read_file(folder / MANIFEST)), dict[str, str])
        content = {TENSORS: read_file(folder / TENSORS, memory_budget())}
        content[STATE] = read_file(folder / STATE)
    except (OSError, WrongJson) as error:
        raise Damaged(f"{folder}: {error}") from error
    for name, read_bytes in content.items():
        if hashlib.sha256(read_bytes).hexdigest() != manifest.get(name):
            raise Damaged(f"{folder / name}: truncated or changed (its checksum differs)")
    try:
        state = parse(content[STATE])
        if conform(state, _Format)["format"] > FORMAT:
            raise WorkingsError(f"{folder}: was written by a newer version of workings; upgrade it")
        tensors, record = _tensors(content[TENSORS]), conform(state, kind)
    except WrongJson as error:
        raise Damaged(f"{folder / STATE}: {error}") from error
    except SafetensorError as error:
        raise Damaged(f"{folder / TENSORS}: {error}") from error
    for name, tensor in sorted(tensors.items()):
        if name.startswith(weights) and (bad := _not_finite(tensor)):
            raise Damaged(
                f"{folder / TENSORS}: weight {name.removeprefix(weights)!r} is not finite: "
                f"{bad:,} of its {tensor.numel():,} numbers are NaN or infinite"
            )
    return tensors, record


def _tensors(content: bytes) -> dict[str, Tensor]:
    try:
        return safetensors.torch.load(content)
    except KeyError as error:  # the format knows types that torch does not, as numbers of 6 bits
        raise SafetensorError(f"torch has no type {error}") from error


def _not_finite(tensor: Tensor) -> int:
    """How many numbers are none; of a single byte, which no weight is of, it is not known."""
    return int((~tensor.isfinite()).sum()) if tensor.element_size() > 1 else 0


def is_ours(folder: Path) -> bool:
    """Whether this is a checkpoint, or what a kill left of one, with nothing else in it."""
    if not (CHECKPOINT.fullmatch(folder.name) or LEFTOVER.fullmatch(folder.name)):
        return False
    return all(path.name in FILES and not path.is_dir() for path in folder.glob("*"))


def remove(folder: Path) -> None:
    """Remove one checkpoint's folder, never through a symbolic link; another's file in it stays."""
    if folder.is_symlink() or folder.parent.is_symlink():
        return
    with contextlib.suppress(OSError):
        for name in FILES:
            (folder / name).unlink(missing_ok=True)
        folder.rmdir()


class Checkpoints:
    """The checkpoint folder of one run."""

    def __init__(self, folder: Path, warn: Callable[[str], None]) -> None:
        self.folder, self.warn = folder, warn

    def _numbered(self, kind: str) -> list[tuple[int, Path]]:
        numbered = [
            (int(match[2]), path)
            for path in self.folder.glob(f"{kind}-*")
            if (match := CHECKPOINT.fullmatch(path.name))
        ]
        return sorted(numbered)

    def save_best(self, step: int, tensors: dict[str, Tensor], state: Mapping[str, object]) -> None:
        """The best weights so far, of that step."""
        with explain(self.folder):
            self.folder.mkdir(exist_ok=True)
            path = self.folder / f"best-{step:06d}"
            remove(path)  # left by a run killed before its `last`
        write(path, tensors, state)

    def save_last(self, tensors: dict[str, Tensor], state: Mapping[str, object]) -> None:
        """Where the run is now; the checkpoints that it replaces go."""
        with explain(self.folder):
            self.folder.mkdir(exist_ok=True)
        numbered = self._numbered("last")
        number = numbered[-1][0] + 1 if numbered else 1
        write(self.folder / f"last-{number:06d}", tensors, state)
        self._prune()

    def _prune(self) -> None:
        *old, previous, last = [None, *(path for _, path in self._numbered("last"))]
        for path in old:
            if path:
                remove(path)
        needed = set()
        for path in filter(None, (previous, last)):
            try:
                needed.add(conform(parse(read_file(path / STATE)), _BestStep)["best_step"])
            except (OSError, WrongJson):
                return  # damaged: keep every `best` until it has gone
        for step, path in self._numbered("best"):
            if step not in needed:
                remove(path)
        for leftover in self.folder.iterdir():
            if LEFTOVER.fullmatch(leftover.name):
                remove(leftover)

    def load_last(self) -> Saved[LastRecord] | None:
        """The newest good `last`; each damaged one is named and put aside."""
        damaged = []
        for number, path in reversed(self._numbered("last")):
            try:
                saved = read(path, LastRecord, "model.")
            except Damaged as damage:
                self.warn(f"damaged checkpoint, looking for the one before it: {damage}")
                damaged.append((number, path))
                continue
            for bad, folder in damaged:
                with explain(folder):
                    folder.rename(folder.with_name(f"damaged-{bad:06d}"))
            return saved
        if damaged:
            raise WorkingsError(
                f"{self.folder}: every checkpoint of the last state is damaged; nothing was "
                "changed; start a new run, from its best weights with --init-from if they are good"
            )
        return None

    def has_best(self) -> bool:
        """Whether any evaluated weights were kept, good or damaged."""
        return bool(self._numbered("best"))

    def load_best(self, step: int | None = None) -> Saved[BestRecord] | None:
        """The best weights of that step, or the newest good ones."""
        for number, path in reversed(self._numbered("best")):
            if step is not None and number != step:
                continue
            try:
                return read(path, BestRecord)
            except Damaged as damage:
                self.warn(f"damaged checkpoint: {damage}")
        return None
