"""The benchmark of several processes makes real steps with real processes."""

import contextlib
from pathlib import Path

import pytest

from tests.run.test_resume import config
from workings.bench import scaling
from workings.errors import WorkingsError
from workings.run.config import resolve
from workings.run.processes import launch


def test_a_step_by_two_processes(
    book: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And at an epoch's end, where it has no more, it says so."""
    monkeypatch.setattr(launch, "GRACE", 0.0)  # the other one waits for a step that never comes
    values = config(book, "lstm", "adam, plateau", epochs=9, patience=9)
    toml = tmp_path / "tiny.toml"
    toml.write_bytes(resolve(values).to_toml())
    work = scaling.step(str(toml), 2)
    with contextlib.closing(work.inside):  # type: ignore[attr-defined]
        steps = resolve(values).build_task().steps
        for _ in range(steps):
            work()
        with pytest.raises(WorkingsError, match="fewer or shorter rounds"):
            work()
