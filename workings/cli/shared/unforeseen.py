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
    except Exception as second:  # a full disk, or a broken import, must not hide the first error
        why = getattr(second, "strerror", None) or first_line(second)
        kept = f"its traceback could not be kept ({why}); please report how to get it"
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
