"""The judge of the fuzzers sees each thing that it is there to see."""

import contextlib
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fuzz.target import Kind, Target, judge
from workings.errors import WorkingsError


def outcome_of(use: Callable[[bytes, Path], object], seconds: float = 10) -> Kind:
    return judge(Target("made-up", lambda random: b"", use), b"", seconds).kind


def fail(error: BaseException) -> None:
    raise error


def loop(content: bytes, folder: Path) -> None:
    while True:
        with contextlib.suppress(Exception):
            sum(range(1000))


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (WorkingsError("one line"), Kind.REFUSED),
        (WorkingsError("unexpected '§'\n    a § b\n      ^"), Kind.REFUSED),
        (WorkingsError("two\nlines"), Kind.UNFORESEEN),
        (WorkingsError(""), Kind.UNFORESEEN),
        (ValueError("one line"), Kind.UNFORESEEN),
        (RecursionError(), Kind.UNFORESEEN),
        (SystemExit(0), Kind.UNFORESEEN),
    ],
)
def test_only_our_own_error_in_one_line_is_a_refusal(error: BaseException, kind: Kind) -> None:
    assert outcome_of(lambda content, folder: fail(error)) is kind


def test_a_hang_is_stopped_even_where_every_exception_is_caught() -> None:
    assert outcome_of(loop, seconds=0.2) is Kind.HANG


@pytest.mark.parametrize("name", ["../new.txt", "../outside/new.txt", "../outside/keep.txt"])
def test_what_is_written_outside_is_a_loss(name: str) -> None:
    assert outcome_of(lambda content, folder: (folder / name).write_text("x")) is Kind.LOSS
    assert outcome_of(lambda content, folder: (folder / "x").write_text("x")) is Kind.WORKED


def test_what_is_removed_outside_is_a_loss() -> None:
    assert outcome_of(lambda content, folder: Path("../outside/keep.txt").unlink()) is Kind.LOSS


def test_an_input_is_the_same_whenever_it_is_asked_for() -> None:
    target = Target("made-up", lambda random: random.randbytes(8), lambda content, folder: None)
    assert target.input(3) == target.input(3) != target.input(4)
