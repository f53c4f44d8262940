"""Kill runs of every task, and a study, at random moments for as long as asked; `make soak`.

    python -m tests.faults.soak --minutes 30 [--seed 1]

Each is killed with SIGKILL after a random time, resumed, killed again …, and must end with the
very same weights, metrics and counters as an uninterrupted one. The summary is a line a task.
"""

import argparse
import itertools
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from tests.run.faults import assert_same, outcome
from tests.study.tiny import write_study
from tests.tasks.summary import sources
from workings.run.config import resolve
from workings.run.folder.run_folder import RunFolder

COMMAND = [sys.executable, "-m", "workings"]
TRAIN = {"checkpoint_seconds": 0, "device": "cpu", "threads": 1, "patience": 99}


@dataclass
class Count:
    """What was tried of a task."""

    rounds: int = 0
    kills: int = 0
    differed: int = 0
    failed: int = 0


def write_text(folder: Path) -> dict[str, Any]:
    path = folder / "book.txt"
    path.write_text("the old fox saw the hen .\nthe new dog bit the cow .\n" * 80)
    return {
        "task": "language",
        "data": {"train": [str(path)], "valid_share": 0.1, "test_share": 0.1},
        "model": {"kind": "lstm", "embed": 6, "hidden": 6, "dropout_output": 0.2},
        "train": {"epochs": 6, "batch": 4, "window": 20, **TRAIN},
    }


def write_images(folder: Path) -> dict[str, Any]:
    generator = np.random.default_rng(1)
    for name, level in (("dark", 60), ("light", 160)):
        (folder / "pictures" / name).mkdir(parents=True)
        for number in range(30):
            pixels = generator.integers(level - 40, level + 40, (8, 8)).astype("uint8")
            Image.fromarray(pixels).save(folder / "pictures" / name / f"{number}.png")
    return {
        "task": "images",
        "data": {"train": [str(folder / "pictures")]},
        "train": {"epochs": 6, "batch": 8, **TRAIN},
    }


def write_graph(folder: Path) -> dict[str, Any]:
    generator = random.Random(1)
    pairs = {(a, b) for a in range(60) for b in range(a) if generator.random() < 0.1}
    (folder / "graph").mkdir()
    rows = [f"{node},{node % 2},{node % 3},{node % 5}" for node in range(60)]
    (folder / "graph" / "nodes.csv").write_text("id,label,x,y\n" + "\n".join(rows) + "\n")
    edges = [f"{a},{b}" for a, b in sorted(pairs)]
    (folder / "graph" / "edges.csv").write_text("source,target\n" + "\n".join(edges) + "\n")
    return {
        "task": "graph",
        "data": {"path": str(folder / "graph")},
        "train": {"epochs": 60, **TRAIN},
    }


def write_speech(folder: Path) -> dict[str, Any]:
    import soundfile

    generator = np.random.default_rng(1)
    (folder / "speech" / "wavs").mkdir(parents=True)
    lines = []
    for number in range(24):
        text = ("one two", "three", "four five")[number % 3]
        sound = generator.normal(0, 0.1, 4000).astype("float32")
        soundfile.write(folder / "speech" / "wavs" / f"c{number}.wav", sound, 8000)
        lines.append(f"c{number}|{text}|{text}")
    (folder / "speech" / "metadata.csv").write_text("\n".join(lines) + "\n")
    return {
        "task": "speech",
        "data": {"path": str(folder / "speech")},
        "train": {"epochs": 3, "batch": 4, **TRAIN},
    }


def write_summaries(folder: Path) -> dict[str, Any]:
    return {
        "task": "summary",
        "data": {"path": str(sources.folder(folder / "code")), "min_count": 1},
        "model": {"width": 8},
        "train": {"epochs": 4, "batch": 4, **TRAIN},
    }


TASKS = {
    "language": write_text,
    "images": write_images,
    "graph": write_graph,
    "speech": write_speech,
    "summary": write_summaries,
}


def command(*args: object) -> "subprocess.Popen[bytes]":
    """Start `workings`, in a process group of its own."""
    return subprocess.Popen(
        [*COMMAND, *map(str, args)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        start_new_session=True,
    )


def killed(process: "subprocess.Popen[bytes]", after: float) -> bool:
    """Whether the process was still there to be killed after so many seconds."""
    try:
        process.wait(after)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return True
    return False


def finish(process: "subprocess.Popen[bytes]") -> None:
    _, errors = process.communicate()
    if process.returncode:
        raise RuntimeError(errors.decode(errors="replace").strip())


def kill_a_run(toml: Path, run: Path, seconds: float, generator: random.Random) -> int:
    """Train and resume under kills until the result is there; how many there were."""
    for kills in itertools.count():
        resumed = (run / "run.json").is_file()
        process = command("resume", run) if resumed else command("train", toml, "--run", run)
        # The last attempts are left alone, so that a round always ends.
        if kills < 4 and killed(process, generator.uniform(0, seconds)):
            continue
        finish(process)
        return kills
    raise AssertionError


def soak_task(name: str, folder: Path, generator: random.Random, count: Count) -> None:
    """A round of one task."""
    toml = folder / f"{name}.toml"
    if not toml.exists():
        toml.write_bytes(resolve(TASKS[name](folder)).to_toml())
        finish(command("train", toml, "--run", folder / f"{name}-warm"))  # fills the caches
        began = time.monotonic()
        finish(command("train", toml, "--run", folder / f"{name}-whole"))
        (folder / f"{name}.seconds").write_text(str(time.monotonic() - began))
    seconds = float((folder / f"{name}.seconds").read_text())
    run = folder / f"{name}-{count.rounds}"
    count.rounds += 1
    count.kills += kill_a_run(toml, run, seconds, generator)
    try:
        assert_same(run, outcome(folder / f"{name}-whole"))
        shutil.rmtree(run)
    except AssertionError as difference:
        count.differed += 1
        print(f"{name}: {run} differs: {difference}", file=sys.stderr)


def soak_study(folder: Path, generator: random.Random, count: Count) -> None:
    """A study of two rows, killed with its workers."""
    if not (folder / "study.toml").exists():
        book = folder / "study.txt"
        book.write_text("the old fox saw the hen .\nthe new dog bit the cow .\n" * 80)
        write_study(folder, book)
        finish(command("study", folder / "study.toml", "--folder", folder / "study-whole"))
    target = folder / f"study-{count.rounds}"
    count.rounds += 1
    for kills in itertools.count():
        process = command("study", folder / "study.toml", "--folder", target)
        if kills < 3 and killed(process, generator.uniform(0, 12)):
            count.kills += 1
            continue
        finish(process)
        break
    runs = sorted(path.name for path in (folder / "study-whole" / "runs").iterdir())
    assert sorted(path.name for path in (target / "runs").glob("[!.]*")) == runs
    for name in runs:
        ours, theirs = (
            RunFolder(each / "runs" / name) for each in (target, folder / "study-whole")
        )
        first, second = ours.result(), theirs.result()
        if not first or not second or first["metrics"] != second["metrics"]:
            count.differed += 1
            print(f"study: {ours.path} differs", file=sys.stderr)
    shutil.rmtree(target)


def main() -> int:
    """Soak until the time is over; 1 where anything differed or failed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--task", action="append", choices=[*TASKS, "study"], help="only these")
    asked = parser.parse_args()
    generator, until = random.Random(asked.seed), time.monotonic() + 60 * asked.minutes
    counts = {name: Count() for name in asked.task or (*TASKS, "study")}
    with tempfile.TemporaryDirectory(prefix="soak-", ignore_cleanup_errors=True) as temporary:
        os.environ["WORKINGS_CACHE"] = str(Path(temporary) / "cache")
        for name in itertools.cycle(counts):
            if time.monotonic() > until:
                break
            try:
                if name == "study":
                    soak_study(Path(temporary), generator, counts[name])
                else:
                    soak_task(name, Path(temporary), generator, counts[name])
            except (AssertionError, RuntimeError) as failure:
                counts[name].failed += 1
                print(f"{name}: {failure}", file=sys.stderr)
    print(f"{'task':<10} {'rounds':>7} {'kills':>7} {'differed':>9} {'failed':>7}")
    for name, count in counts.items():
        print(
            f"{name:<10} {count.rounds:>7} {count.kills:>7} {count.differed:>9} {count.failed:>7}"
        )
    return int(any(count.differed or count.failed for count in counts.values()))


if __name__ == "__main__":
    sys.exit(main())
