"""Shared by all tests: no user's cache is touched, one thread each, the shared data if there."""

import os
from pathlib import Path

import pytest
import torch

from tests.command import Command, command

torch.set_num_threads(1)
os.environ.setdefault("OMP_NUM_THREADS", "1")  # of the processes that tests start


@pytest.fixture(scope="session", autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> None:
    os.environ["WORKINGS_CACHE"] = str(tmp_path_factory.mktemp("cache"))
    os.environ.pop("WORKINGS_RUNS", None)


@pytest.fixture
def shared() -> Path:
    """The folder of real data sets, from WORKINGS_DATA."""
    for folder in os.environ.get("WORKINGS_DATA", "").split(os.pathsep):
        if folder and (Path(folder) / "ptb").is_dir():
            return Path(folder)
    pytest.skip("real data sets absent: set WORKINGS_DATA to a folder that holds ptb/ and others")


@pytest.fixture
def book(tmp_path: Path) -> Path:
    """A small text with structure, enough for a few windows."""
    lines = [
        f"the {a} {b} the {c} ."
        for a in ("old", "new", "red", "big")
        for b in ("fox saw", "dog bit", "cat met")
        for c in ("hen", "cow", "owl", "ant", "bee")
    ]
    path = tmp_path / "book.txt"
    path.write_text("\n".join(lines * 3) + "\n")
    return path


@pytest.fixture
def workings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Command:
    """Run the command in an empty folder: exit code, standard output, standard error."""
    monkeypatch.chdir(tmp_path)
    return command
