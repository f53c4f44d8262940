"""The last resort: an exception that nobody foresaw becomes one line, and a file to report."""

import datetime
import os
import platform
import shlex
import sys
import traceback
from pathlib import Path

from workings.errors import first_line
from workings.names import escaped
from workings.version import __version__

EXIT_CODE = 70  # EX_SOFTWARE of sysexits.h: tells a defect of ours from input that is refused


def report(error: BaseException) -> str:
    """Keep the traceback in the cache; return the one line that says where, and what to do."""
    name, message = type(error).__name__, escaped(first_line(error))
    try:
        kept = f"please report it with {_keep(error)}"
    except OSError as disk:  # a full disk must not hide the first error
        kept = f"its traceback could not be kept ({disk.strerror}); please report how to get it"
    what = f"{name}: {message}" if message else name
    return f"workings: a defect of workings ({what}); {kept}"


def _keep(error: BaseException) -> Path:
    from workings.data.sources import cache

    now = datetime.datetime.now()
    path = cache() / "defects" / f"{now:%Y%m%d-%H%M%S}-{os.getpid()}.txt"
    lines = [
        f"workings {__version__}, Python {platform.python_version()}, {platform.platform()}\n",
        f"command: {escaped(shlex.join(sys.argv))}\n\n",
        *traceback.format_exception(error),
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(lines), encoding="utf-8", errors="backslashreplace")
    return path


def came_from_interrupt(error: BaseException | None) -> bool:
    """Whether an exception is what an extension module made of Ctrl-C while it was imported."""
    while error is not None:
        if isinstance(error, KeyboardInterrupt) or "KeyboardInterrupt" in str(error):
            return True
        error = error.__cause__ or error.__context__
    return False
