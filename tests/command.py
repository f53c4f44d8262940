"""The `workings` command as tests call it: in this process, which saves the start of another."""

import io
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from typing import NamedTuple

import pytest

from workings.cli import main
from workings.cli.shared import unforeseen


class Done(NamedTuple):
    """How a command ended, and what it wrote."""

    code: int
    out: str
    err: str


Command = Callable[..., Done]


def command(*args: object) -> Done:
    """Run `workings` with these arguments; a defect that it reports fails the test."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    with (
        pytest.MonkeyPatch.context() as patch,
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        patch.setattr(sys, "argv", ["workings", *map(str, args)])
        with pytest.raises(SystemExit) as exited:
            main()
    written = []
    for stream in (out, err):
        stream.seek(0)
        written.append(stream.read())
    assert isinstance(exited.value.code, int)
    assert exited.value.code != unforeseen.EXIT_CODE, written[1]
    return Done(exited.value.code, *written)
