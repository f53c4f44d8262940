"""Fuzz targets of run folders: any of their files changed, checksums made to fit."""

import contextlib
import hashlib
import json
import shutil
import struct
import tomllib
import zlib
from collections.abc import Callable
from pathlib import Path
from random import Random

from tests.fuzz import mutate
from tests.fuzz.config_targets import ODD, to_toml
from tests.fuzz.target import Target
from workings.cli import app
from workings.errors import WorkingsError
from workings.page import run_details
from workings.page.answers import written
from workings.page.folders import Folders
from workings.page.run_index import RunIndex
from workings.run import resume
from workings.run.folder import manifest
from workings.run.progress import Progress

STORED = Path(__file__).parents[1] / "stored" / "0.1"
RUNS = ("language-finished", "language-unfinished", "graph-finished", "images-finished")
USES = {
    "language-finished": ["generate", "--prompt", "the", "--length", "3"],
    "language-unfinished": ["generate", "--prompt", "the", "--length", "3"],
    "graph-finished": ["predict", "0"],
    "images-finished": ["predict", str(STORED / "pictures" / "lower" / "0.png")],
}


def put(folder: Path, run: str) -> Path:
    """A stored run where the command finds it; its data stays where it is."""
    runs = folder / "runs"
    shutil.copytree(STORED / run, runs / run)
    config = runs / run / "config.toml"
    config.write_text(config.read_text().replace("STORED", str(STORED)))
    return runs / run


def digest(path: Path) -> str:
    """The SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def run_manifest(path: Path) -> bytes:
    """A manifest that fits the files of a run."""
    names = ("config.toml", "result.json", "vocabulary.json", "graph.json", "classes.json")
    return manifest.written({n: digest(path / n) for n in names if (path / n).is_file()}, "")


def make_manifest(random: Random) -> bytes:
    """A run's manifest, changed."""
    run = random.choice(RUNS)
    return f"{run} manifest.json\n".encode() + mutate.json_(random, run_manifest(STORED / run))


def make(*patterns: str, runs: tuple[str, ...] = RUNS) -> Callable[[Random], bytes]:
    """Make inputs `RUN NAME` and a line's end, then that file's content, changed."""

    def made(random: Random) -> bytes:
        run = random.choice(runs)
        files = [path for pattern in patterns for path in sorted((STORED / run).glob(pattern))]
        path = random.choice(files)
        name = path.relative_to(STORED / run)
        return f"{run} {name}\n".encode() + _changed(random, path)

    return made


def _changed(random: Random, path: Path) -> bytes:
    content = path.read_bytes().replace(b"STORED", str(STORED).encode())
    if path.suffix == ".json":
        return mutate.json_(random, content)
    if path.suffix == ".toml" and random.random() < 0.7:
        return to_toml(mutate.values(random, tomllib.loads(content.decode()), ODD))
    if path.suffix == ".jsonl" and random.random() < 0.7:
        lines = content.splitlines()
        number = random.randrange(len(lines))
        lines[number] = mutate.json_(random, lines[number])
        return b"\n".join(lines) + b"\n"
    if path.suffix == ".safetensors" and random.random() < 0.8:
        (length,) = struct.unpack("<Q", content[:8])
        header = mutate.json_(random, content[8 : 8 + length])
        return struct.pack("<Q", len(header)) + header + content[8 + length :]
    return mutate.bytes_(random, [content])


def fuzz_run(content: bytes, folder: Path) -> None:
    """A run folder of a stranger's is listed, opened, used, evaluated and resumed."""
    line, _, body = content.partition(b"\n")
    run, _, name = line.decode().partition(" ")
    path = put(folder, run)
    (path / name).write_bytes(body.replace(b"STORED", str(STORED).encode()))
    if "/" in name and not name.endswith("manifest.json"):
        checkpoint = (path / name).parent
        digests = {
            each: digest(checkpoint / each) for each in ("state.json", "tensors.safetensors")
        }
        (checkpoint / "manifest.json").write_text(json.dumps(digests))
    elif name != "manifest.json" and zlib.crc32(body) % 2:  # a run of 0.1 has none
        (path / "manifest.json").write_bytes(run_manifest(path))
    app(["runs", "list"], standalone_mode=False)
    show_on_the_page(path)
    command, *arguments = USES[run]
    uses = [["runs", "compare", run, run], ["eval", run], [command, run, *arguments]]
    # One of them, always the same for an input: all of them take four times as long.
    chosen = zlib.crc32(content) % (4 if run == "language-unfinished" else 3)
    if chosen == 3:
        resume(run, progress=Progress(), settings=["train.epochs=4"])
    else:
        app(uses[chosen], standalone_mode=False)


def show_on_the_page(run: Path) -> None:
    """The page lists a run, and shows it or says why not, in JSON that a browser reads."""
    index = RunIndex(Folders(run.parent, run.parent / "studies"), run.parents[1] / "index")
    index.refresh()
    parts: list[object] = [index.since(0)]
    for part in (run_details.curves, run_details.details):
        with contextlib.suppress(WorkingsError):
            parts.append(part(run))
    json.loads(written(parts), parse_constant=_no_constant)


def _no_constant(name: str) -> None:
    raise AssertionError(f"{name} is not JSON")


def target(name: str, *patterns: str, runs: tuple[str, ...] = RUNS, weight: float = 1) -> Target:
    """The target of some files of run folders."""
    return Target(name, make(*patterns, runs=runs), fuzz_run, GOOD[:1], share=0.25, weight=weight)


GOOD = [f"{run} run.json\n".encode() + (STORED / run / "run.json").read_bytes() for run in RUNS]
FINISHED = tuple(run for run in RUNS if run.endswith("-finished"))
TARGETS = [
    target("run.json", "run.json"),
    target("run-config", "config.toml"),
    target("metrics", "metrics.jsonl"),
    target("result", "result.json", runs=FINISHED),
    target("assets", "vocabulary.json", "graph.json", "classes.json"),
    Target("manifest", make_manifest, fuzz_run, GOOD[:1], share=0.25),
    target("checkpoint", "checkpoint/*/*", weight=3),
]
