"""The driver: `python -m tests.fuzz --minutes 30` goes through all targets, and writes a table.

Targets take turns, each turn in a process of its own with limits of memory and time. An input that
does not hold is kept in FOLDER/failed/TARGET; mend the cause, then move it to
tests/fuzz/corpus/TARGET.
"""

import argparse
import contextlib
import hashlib
import importlib
import json
import multiprocessing
import random
import re
import signal
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import torch

from tests.fuzz import worker
from tests.fuzz.target import Kind
from tests.fuzz.targets import TARGETS

ROOT = Path(__file__).parents[2]
SLICE = 10.0  # seconds of one target, times its weight, before the next has its turn
BEGIN, END = "<!-- the fuzzers' table: begin -->", "<!-- the fuzzers' table: end -->"
FAILURES = (Kind.UNFORESEEN, Kind.HANG, Kind.LOSS)


@dataclass
class Tally:
    """What was tried of one target."""

    kinds: Counter[Kind] = field(default_factory=Counter)
    next_number: int = 0
    causes: set[str] = field(default_factory=set)


def main() -> int:
    """Fuzz for so many minutes; the exit code is 1 where an input did not hold."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--seed", type=int, help="the number of the first input; random if not")
    parser.add_argument("--target", action="append", choices=[*TARGETS], help="only these")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "fuzz")
    parser.add_argument("--table", type=Path, help="a file whose table is replaced")
    arguments = parser.parse_args()
    first = random.randrange(1 << 40) if arguments.seed is None else arguments.seed
    tallies = {name: Tally(next_number=first) for name in arguments.target or TARGETS}
    print(f"inputs from number {first} on", flush=True)
    torch.set_num_threads(1)  # a forked process has none of the parent's threads
    start = time.monotonic()
    until = start + 60 * arguments.minutes
    turn = min(SLICE, 60 * arguments.minutes / sum(TARGETS[name].weight for name in tallies))
    while time.monotonic() < until:
        for name, tally in tallies.items():
            end = min(until, time.monotonic() + turn * TARGETS[name].weight)
            while (left := end - time.monotonic()) > 0:  # a failure ends a process early
                _turn(name, tally, left, arguments.folder)
    minutes = (time.monotonic() - start) / 60
    text = table(tallies, minutes, first)
    arguments.folder.mkdir(parents=True, exist_ok=True)
    (arguments.folder / "table.md").write_text(text)
    print(text)
    if arguments.table:
        _replace(arguments.table, text)
    return int(any(tally.kinds[kind] for tally in tallies.values() for kind in FAILURES))


def _turn(name: str, tally: Tally, seconds: float, folder: Path) -> None:
    """One process of a target, and what it left."""
    with tempfile.TemporaryDirectory() as temporary:
        here = Path(temporary)
        # Forked, so that what takes seconds to import is imported once.
        process = multiprocessing.get_context("fork").Process(
            target=worker.work, args=(TARGETS[name], tally.next_number, seconds, here)
        )
        process.start()
        process.join()
        outcomes = here / "outcomes.jsonl"
        lines = outcomes.read_text().splitlines() if outcomes.is_file() else []
        for line in lines:
            record = json.loads(line)
            kind = Kind(record["kind"])
            tally.kinds[kind] += 1
            if kind in FAILURES:
                _keep(name, tally, kind, record["detail"], (here / "input").read_bytes(), folder)
        tally.next_number += len(lines)
        if process.exitcode == 0:
            _import_for_the_next(here / "modules")
            return
        errors = (here / "errors").read_text(errors="replace")
        if not (here / "input").is_file():  # not an input's fault
            raise SystemExit(errors)
        kind, detail = _cause(process.exitcode or 0, errors)
        tally.kinds[kind] += 1
        tally.next_number += 1
        _keep(name, tally, kind, detail, (here / "input").read_bytes(), folder)


def _import_for_the_next(names: Path) -> None:
    """Import what a process imported, so that the next ones begin with it."""
    for name in names.read_text().split() if names.is_file() else ():
        with contextlib.suppress(Exception):
            importlib.import_module(name)


def _cause(code: int, errors: str) -> tuple[Kind, str]:
    """What a process died of that an input has ended."""
    if code == -signal.SIGXCPU or "Timeout (" in errors:
        return Kind.HANG, "hangs in a library"
    cause = signal.Signals(-code).name if code < 0 else f"exit code {code}"
    return Kind.UNFORESEEN, f"ended by {cause} {errors.strip().splitlines()[-1:]}"


def _keep(name: str, tally: Tally, kind: Kind, detail: str, content: bytes, folder: Path) -> None:
    """Keep the first input of every cause."""
    cause = re.sub(r"/tmp/\w+|\d+(?!\d*$)", "", detail)
    if cause in tally.causes:
        return
    tally.causes.add(cause)
    path = folder / "failed" / name / hashlib.sha256(content).hexdigest()[:12]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    print(f"{name}: {kind}: {detail}\n    {path}", flush=True)


def table(tallies: dict[str, Tally], minutes: float, first: int) -> str:
    """What was tried, as Markdown."""
    heads = ("target", "inputs", "worked", "refused", "unforeseen exceptions", "hangs", "losses")
    kinds = (Kind.WORKED, Kind.REFUSED, *FAILURES)
    rows = [
        [name, sum(tally.kinds.values()), *(tally.kinds[kind] for kind in kinds)]
        for name, tally in tallies.items()
    ]
    sums = [sum(int(row[column]) for row in rows) for column in range(1, len(heads))]
    lines = [
        f"{minutes:.0f} minutes, inputs from number {first} on.",
        "",
        f"| {' | '.join(heads)} |",
        f"|---{'|---:' * (len(heads) - 1)}|",
        *(
            f"| {row[0]} | " + " | ".join(f"{int(cell):,}" for cell in row[1:]) + " |"
            for row in [*rows, ["all", *sums]]
        ),
    ]
    return "\n".join(lines) + "\n"


def _replace(path: Path, text: str) -> None:
    """Put the table between the marks of a file."""
    before, begin, rest = path.read_text().partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f"{path}: has no marks {BEGIN} … {END}")
    path.write_text(f"{before}{BEGIN}\n{text}{END}{after}")


if __name__ == "__main__":
    sys.exit(main())
