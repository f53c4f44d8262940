"""What a fuzz target is, and the judgement of one input: it works, or one line says why not."""

import contextlib
import io
import os
import re
import signal
import tempfile
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from random import Random
from types import FrameType

from workings.errors import WorkingsError

SECONDS = 10  # of processor time for one input
KEPT = "what lies beside the input's folder stays as it is"


class Kind(StrEnum):
    """How the use of one input ended."""

    WORKED = "worked"
    REFUSED = "refused"
    UNFORESEEN = "unforeseen"
    HANG = "hang"
    LOSS = "loss"


@dataclass(frozen=True)
class Outcome:
    """How the use of one input ended, and what is to be said of it."""

    kind: Kind
    detail: str = ""

    @property
    def held(self) -> bool:
        """Whether the input did what any input may do."""
        return self.kind in (Kind.WORKED, Kind.REFUSED)


@dataclass(frozen=True)
class Target:
    """One kind of input: how one is made at random, and how it is used in an empty folder."""

    name: str
    make: Callable[[Random], bytes]
    use: Callable[[bytes, Path], object]
    good: Sequence[bytes] = ()  # inputs that work, of which the others are made
    share: float = 1.0  # of the suite's inputs: less where one takes long
    weight: float = 1.0  # of the driver's time

    def input(self, seed: int) -> bytes:
        """The input of that number, always the same."""
        return self.make(Random(f"{self.name} {seed}"))


class TookTooLong(BaseException):
    """Raised by the timer; not an Exception, so that no reader takes it for an error of its own."""


@contextlib.contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Stop what takes more processor time than that."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise TookTooLong

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def judge(target: Target, content: bytes, seconds: float = SECONDS) -> Outcome:
    """Use one input in a folder of its own, with a neighbour that must not be touched."""
    with tempfile.TemporaryDirectory() as name, contextlib.chdir(name):
        root = Path(name).resolve()
        inside, outside = root / "inside", root / "outside"
        inside.mkdir()
        outside.mkdir()
        (outside / "keep.txt").write_text(KEPT)
        cache = os.environ.get("WORKINGS_CACHE")
        os.environ["WORKINGS_CACHE"] = str(root / "cache")
        try:
            with contextlib.chdir(inside):
                outcome = _use(target, content, inside, seconds)
        finally:
            if cache is None:
                del os.environ["WORKINGS_CACHE"]
            else:
                os.environ["WORKINGS_CACHE"] = cache
        return _untouched(root) or outcome


def _use(target: Target, content: bytes, folder: Path, seconds: float) -> Outcome:
    quiet = io.StringIO()
    try:
        with (
            limited(seconds),
            warnings.catch_warnings(),
            contextlib.redirect_stdout(quiet),
            contextlib.redirect_stderr(quiet),
        ):
            warnings.simplefilter("error")
            target.use(content, folder)
    except WorkingsError as error:
        return _refused(str(error))
    except TookTooLong:
        return Outcome(Kind.HANG, f"more than {seconds} s of processor time")
    except (Exception, SystemExit) as error:
        return Outcome(Kind.UNFORESEEN, _last_lines(error))
    return Outcome(Kind.WORKED)


def _refused(message: str) -> Outcome:
    """One line; below a formula's stand an excerpt and a caret, which the command leaves out."""
    line, *rest = message.split("\n")
    if not line.strip() or (rest and (len(rest) != 2 or rest[1].strip() != "^")):
        return Outcome(Kind.UNFORESEEN, f"a message of several lines: {message!r}")
    return Outcome(Kind.REFUSED, line)


def _last_lines(error: BaseException) -> str:
    """The exception, and the last line of our own that it went through."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if re.search(r"/workings/\w+", frame.filename)]
    where = f"{own[-1].filename.rpartition('/workings/')[2]}:{own[-1].lineno}" if own else "?"
    return f"{type(error).__name__}: {str(error)[:200]!r} in {where}"


def _untouched(root: Path) -> Outcome | None:
    """Whether all that lies beside the input's folder and the cache is as it was."""
    names = {path.name for path in root.iterdir()} - {"cache"}
    files = [path.name for path in (root / "outside").iterdir()]
    if names != {"inside", "outside"} or files != ["keep.txt"]:
        return Outcome(Kind.LOSS, f"files beside the folder: {sorted(names)}, {sorted(files)}")
    if (root / "outside" / "keep.txt").read_text() != KEPT:
        return Outcome(Kind.LOSS, "a file beside the folder was changed")
    return None
