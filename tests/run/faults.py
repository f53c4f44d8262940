"""Runs killed at a chosen write, and what must not depend on it; shared by every task's tests."""

import contextlib
import itertools
import os
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
import torch

from workings.run import resume, train
from workings.run.folder.checkpoint import Checkpoints
from workings.run.folder.run_folder import RunFolder

MODES = ("before", "middle", "after")  # a write at which a run is killed


def outcome(path: Path) -> tuple[dict[str, torch.Tensor], list[dict[str, Any]], dict[str, Any]]:
    """All that must not depend on when a run was killed: every tensor, metric and counter."""
    checkpoints = Checkpoints(path / "checkpoint", lambda text: None)
    tensors, state = checkpoints.load_last() or ({}, {})
    best, _ = checkpoints.load_best() or ({}, {})
    folder = RunFolder(path)
    lines = [{k: v for k, v in line.items() if "second" not in k} for line in folder.metrics()]
    result = folder.result() or {}
    place = {k: v for k, v in state["place"].items() if k != "seconds"}
    kept = {"place": place, "metrics": result["metrics"], "bad": state["learner"]["bad"]}
    return tensors | {f"best.{k}": v for k, v in best.items()}, lines, kept


def assert_same(path: Path, expected: Any) -> None:
    tensors, lines, kept = outcome(path)
    assert lines == expected[1]
    assert kept == expected[2]
    assert tensors.keys() == expected[0].keys()
    for name, tensor in tensors.items():
        assert torch.equal(tensor, expected[0][name]), name


class Killed(BaseException):
    """The process is gone."""


class Fault:
    """Dies at the n-th write: before it, in its middle, or after it; from then on, at every one."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, at: int, mode: str) -> None:
        self.at, self.mode, self.calls = at, mode, 0
        real = {"rename": os.rename, "replace": os.replace, "rmtree": shutil.rmtree}
        monkeypatch.setattr(os, "fsync", self.wrap(lambda handle: None, self.half_written))
        monkeypatch.setattr(os, "rename", self.wrap(real["rename"], None))
        monkeypatch.setattr(os, "replace", self.wrap(real["replace"], None))
        monkeypatch.setattr(shutil, "rmtree", self.wrap(real["rmtree"], self.half_removed))

    def wrap(self, real: Any, half: Any) -> Any:
        def call(*args: Any, **kwargs: Any) -> Any:
            number, self.calls = self.calls, self.calls + 1
            if number > self.at or (number == self.at and self.mode == "before"):
                raise Killed
            if number == self.at and self.mode == "middle" and half:
                half(args[0])
                raise Killed
            value = real(*args, **kwargs)
            if number == self.at:
                raise Killed
            return value

        return call

    @staticmethod
    def half_written(handle: int) -> None:
        """The end is missing: as much as can be of a line that was being appended."""
        with contextlib.suppress(OSError):  # a folder has no length
            os.ftruncate(handle, max(0, os.fstat(handle).st_size - 7))

    @staticmethod
    def half_removed(path: Path) -> None:
        for file in sorted(Path(path).glob("*"))[:1]:
            file.unlink()


def uninterrupted(values: dict[str, Any], tmp_path: Path) -> Any:
    train(values, str(tmp_path / "whole"))
    return outcome(tmp_path / "whole")


def kill_and_resume(values: dict[str, Any], path: Path, at: int, mode: str) -> bool:
    """Train with a fault, then to the end without it; whether the fault came at all."""
    killed = False
    with pytest.MonkeyPatch.context() as patch:
        Fault(patch, at, mode)
        try:
            train(values, str(path))
        except Killed:
            killed = True
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda handle: None)
        if not path.exists():
            train(values, str(path))
        else:
            resume(str(path))
    return killed


def assert_resumes(
    values: dict[str, Any], tmp_path: Path, writes: Iterable[int], modes: Iterable[str] = MODES
) -> int:
    """Killed at each of these writes, the modes in turn, and resumed, a run ends the same.

    Ends with the first write that the run does not come to; returns the last that was tried.
    """
    expected, last = uninterrupted(values, tmp_path), 0
    for last, mode in zip(writes, itertools.cycle(modes), strict=False):
        path = tmp_path / f"at-{last}"
        killed = kill_and_resume(values, path, last, mode)
        assert_same(path, expected)
        shutil.rmtree(path)
        if not killed:
            break
    return last
