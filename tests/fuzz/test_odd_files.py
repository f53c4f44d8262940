"""In the place of each file that is read: a pipe, a device, a folder, a loop, a terabyte of zeros.

All are refused in one line, at once: none is waited for, read without end or taken into memory.
"""

import os
import shutil
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType

import pytest

from tests.fuzz import data_targets, folder_targets
from tests.fuzz.data_targets import read_data
from workings.claims.check import find
from workings.claims.documents import is_document, read_document
from workings.cli import app
from workings.errors import WorkingsError
from workings.run import config as configs
from workings.run import resume
from workings.run.loop import Loop
from workings.run.progress import Progress
from workings.study import file as study_file

SECONDS = 20  # that no refusal takes: a busy machine has time for it


def sparse(path: Path) -> None:
    path.touch()
    os.truncate(path, 1 << 40)


ODD: dict[str, Callable[[Path], None]] = {
    "pipe": os.mkfifo,
    "device": lambda path: path.symlink_to("/dev/zero"),
    "folder": Path.mkdir,
    "loop": lambda path: path.symlink_to(path.name),
    "terabyte": sparse,
}


def claims(path: Path) -> None:
    if is_document(str(path)):
        read_document(path)
    find(str(path))


def text(path: Path) -> None:
    read_data("language", {"train": str(path)})


def images(path: Path) -> None:
    read_data("images", {"train": str(path)})


def pictures(path: Path) -> None:
    for name in ("a/2.png", "b/2.png"):
        data_targets.write(path.parents[1], name, data_targets.PICTURES[0])
    read_data("images", {"train": str(path.parents[1])})


def graph(path: Path) -> None:
    read_data("graph", {"path": str(path)})


def tables(path: Path) -> None:
    edges, _, nodes = data_targets.TABLES.partition(data_targets.SEPARATOR)
    for name, content in (("edges.csv", edges), ("nodes.csv", nodes)):
        if name != path.name:
            data_targets.write(path.parent, name, content)
    graph(path.parent)


def planetoid(path: Path) -> None:
    for name, content in data_targets.PLANETOID.items():
        if f"ind.toy.{name}" != path.name:
            data_targets.write(path.parent, f"ind.toy.{name}", content)
    graph(path.parent)


def speech(path: Path) -> None:
    read_data("speech", {"path": str(path)})


def summaries(path: Path) -> None:
    read_data("summary", {"path": str(path)})


def sounds(path: Path) -> None:
    for name in "bcd":
        data_targets.write(path.parent, f"{name}.wav", data_targets.sound("cab"))
    data_targets.write(path.parents[1], "metadata.csv", data_targets.LJ_SPEECH)
    speech(path.parents[1])


READERS: dict[str, Callable[[Path], object]] = {
    "config.toml": lambda path: configs.load(str(path)),
    "study.toml": lambda path: study_file.load(str(path)),
    "claims.toml": claims,
    "claims.md": claims,
    "paper.tex": read_document,
    "paper.ipynb": read_document,
    "book.txt": text,
    "set.npz": images,
    "set.csv": images,
    "train-images-idx3-ubyte": images,
    "a/1.png": pictures,
    "g.graphml": graph,
    "g.gml": graph,
    "g.edges": graph,
    "g.npz": graph,
    "g/edges.csv": tables,
    "g/nodes.csv": tables,
    "set/ind.toy.allx": planetoid,
    "set/ind.toy.test.index": planetoid,
    "clips.csv": speech,
    "set.jsonl": summaries,
    "code.py": summaries,
    "wavs/a.wav": sounds,
}


@pytest.fixture(autouse=True)
def _in_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What is waited for is a failure, and does not hold up the tests."""

    def stop(number: int, frame: FrameType | None) -> None:
        pytest.fail("it was waited for")

    monkeypatch.setenv("WORKINGS_CACHE", str(tmp_path / "cache"))
    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(SECONDS)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("name", READERS)
def test_a_file_of_a_stranger(name: str, odd: str, tmp_path: Path) -> None:
    path = tmp_path / "inside" / "here" / name
    path.parent.mkdir(parents=True)
    ODD[odd](path)
    with pytest.raises(WorkingsError) as refused:
        READERS[name](path)
    assert "\n" not in str(refused.value)


RUN_FILES = (
    *("run.json", "config.toml", "metrics.jsonl", "result.json", "manifest.json", "lock"),
    *("failure.json", "vocabulary.json", "checkpoint", "steps.jsonl", "examples.safetensors"),
    *("checkpoint/last-000001", "checkpoint/last-000001/state.json"),
    *("checkpoint/best-000084/manifest.json", "checkpoint/best-000084/tensors.safetensors"),
)


@pytest.mark.parametrize("odd", ["pipe", "terabyte"])
@pytest.mark.parametrize("name", RUN_FILES)
def test_a_file_of_a_run(
    name: str, odd: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Loop, "run", lambda self: None)  # it goes on: what follows is not asked
    monkeypatch.setattr(Loop, "finish", lambda self: None)
    path = folder_targets.put(tmp_path, "language-unfinished")
    target = path / name
    shutil.rmtree(target) if target.is_dir() else target.unlink(missing_ok=True)
    ODD[odd](target)
    app(["runs", "list"], standalone_mode=False)
    refusals: list[str] = []
    for use in (
        lambda: app(["generate", path.name, "--length", "2"], standalone_mode=False),
        lambda: resume(path.name, progress=Progress()),
        lambda: app(["runs", "remove", path.name, "--yes"], standalone_mode=False),
    ):
        try:
            use()
        except WorkingsError as refused:
            refusals.append(str(refused))
    assert "\n" not in "".join(refusals)
