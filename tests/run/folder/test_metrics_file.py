"""metrics.jsonl: a damaged line costs itself and no other, and is said."""

import json
from pathlib import Path

import pytest

from workings.run.folder.metrics_file import MetricsFile
from workings.run.folder.records import MetricsLine


@pytest.fixture
def file(tmp_path: Path) -> MetricsFile:
    file = MetricsFile(tmp_path)
    for epoch in (1, 2, 3):
        file.append(
            [
                {"step": 5 * epoch, "epoch": epoch, "split": s, "loss": 1.0}
                for s in ("train", "valid")
            ]
        )
    return file


def epochs(lines: list[MetricsLine]) -> list[object]:
    return [line["epoch"] for line in lines]


def test_lines_after_the_checkpoint_are_forgotten(file: MetricsFile) -> None:
    warnings: list[str] = []
    file.keep(2, 4, warnings.append)
    assert epochs(file.read()) == [1, 1, 2, 2]
    assert not warnings


def test_a_line_cut_short_is_forgotten(file: MetricsFile) -> None:
    """A killed process leaves one, which the checkpoint does not know of."""
    warnings: list[str] = []
    with file.path.open("a") as end:
        end.write('{"step": 20, "ep')
    assert epochs(file.read()) == [1, 1, 2, 2, 3, 3]
    file.keep(3, 6, warnings.append)
    assert epochs(file.read()) == [1, 1, 2, 2, 3, 3]
    assert not warnings
    assert not file.path.with_name("metrics.damaged.jsonl").exists()


@pytest.mark.parametrize(
    "bad", [b"\xff\x00", b'{"step": 1', b"[1]", b'{"step": [1]}', b"[" * 99_999]
)
def test_a_damaged_line_is_set_aside_and_the_rest_kept(file: MetricsFile, bad: bytes) -> None:
    lines = file.path.read_bytes().splitlines()
    lines[1] = bad
    file.path.write_bytes(b"\n".join(lines) + b"\n")
    warnings: list[str] = []
    file.keep(3, 6, warnings.append)
    assert epochs(file.read()) == [1, 2, 2, 3, 3]
    assert file.path.with_name("metrics.damaged.jsonl").read_bytes() == bad + b"\n"
    (warning,) = warnings
    assert "1 of its 6 lines cannot be read" in warning
    assert "metrics.damaged.jsonl" in warning


def test_lines_that_are_gone_are_said(file: MetricsFile) -> None:
    file.path.unlink()
    warnings: list[str] = []
    file.keep(3, 6, warnings.append)
    assert "6 of its 6 lines are gone" in warnings[0]


def test_what_is_not_finite_is_null(tmp_path: Path) -> None:
    file = MetricsFile(tmp_path)
    file.append([{"loss": float("nan"), "other": float("inf")}])
    assert json.loads(file.path.read_text()) == {"loss": None, "other": None}
