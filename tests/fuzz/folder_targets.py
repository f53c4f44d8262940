"""Fuzz targets of run folders: any of their files changed, checksums made to fit."""

import hashlib
import json
import shutil
import struct
import tomllib
from collections.abc import Callable
from pathlib import Path
from random import Random

from tests.fuzz import mutate
from tests.fuzz.config_targets import ODD, to_toml
from tests.fuzz.target import Target
from workings.cli import app
from workings.errors import WorkingsError
from workings.run.progress import Progress
from workings.run.run import resume

STORED = Path(__file__).parents[1] / "stored" / "0.1"
RUNS = ("language-finished", "language-unfinished", "graph-finished", "images-finished")
USES = {
    "language-finished": ["generate", "--prompt", "the", "--length", "3"],
    "language-unfinished": ["generate", "--prompt", "the", "--length", "3"],
    "graph-finished": ["predict", "0"],
    "images-finished": ["predict", str(STORED / "pictures" / "lower" / "0.png")],
}


def put(folder: Path, run: str) -> Path:
    """A stored run where the command finds it, its data beside it."""
    runs = folder / "runs"
    shutil.copytree(STORED / run, runs / run)
    config = runs / run / "config.toml"
    config.write_text(config.read_text().replace("STORED", str(STORED)))
    return runs / run


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
    checkpoint = (path / name).parent
    if (checkpoint / "manifest.json").is_file() and not name.endswith("manifest.json"):
        manifest = json.loads((checkpoint / "manifest.json").read_bytes())
        manifest[Path(name).name] = hashlib.sha256((path / name).read_bytes()).hexdigest()
        (checkpoint / "manifest.json").write_text(json.dumps(manifest))
    app(["runs", "list"], standalone_mode=False)
    command, *arguments = USES[run]
    refusals = []
    for use in (["runs", "compare", run, run], ["eval", run], [command, run, *arguments]):
        try:
            app(use, standalone_mode=False)
        except WorkingsError as error:
            refusals.append(error)
    if run == "language-unfinished":
        resume(run, progress=Progress(), settings=["train.epochs=4"])
    for refusal in refusals:
        raise refusal


def target(name: str, *patterns: str, runs: tuple[str, ...] = RUNS, share: float = 0.1) -> Target:
    """The target of some files of run folders."""
    good = [
        f"{run} run.json\n".encode() + (STORED / run / "run.json").read_bytes() for run in runs[:1]
    ]
    return Target(name, make(*patterns, runs=runs), fuzz_run, good, share)


FINISHED = tuple(run for run in RUNS if run.endswith("-finished"))
TARGETS = [
    target("run.json", "run.json"),
    target("run-config", "config.toml"),
    target("metrics", "metrics.jsonl"),
    target("result", "result.json", runs=FINISHED),
    target("assets", "vocabulary.json", "graph.json", "classes.json"),
    target("checkpoint", "checkpoint/*/*", share=0.1),
]
