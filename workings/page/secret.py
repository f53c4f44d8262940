"""The secret of a browser's cookie: kept, so that a window finds the server again after a restart.

The link's token is a new one for every server, and stands in no file. A window that is open has a
cookie, which no address ever holds; a server of the same folders at the same port knows it again.
"""

import contextlib
import os
import secrets
import time
from pathlib import Path

KEPT_DAYS = 30
FRESH = os.O_WRONLY | os.O_CREAT | os.O_EXCL


def new_secret() -> str:
    """A text that cannot be guessed."""
    return secrets.token_urlsafe(24)


def kept_secret(file: Path) -> str:
    """The secret in a file that nobody else can read; a new one where there is none, or an old."""
    return _read(file) or _written(file)


def _read(file: Path) -> str:
    """The secret; nothing where the file is a link, old, another user's, or open to others."""
    try:
        with os.fdopen(os.open(file, os.O_RDONLY | os.O_NOFOLLOW), encoding="ascii") as opened:
            status = os.fstat(opened.fileno())
            ours = status.st_uid == os.getuid() and not status.st_mode & 0o077
            young = 0 <= time.time() - status.st_mtime < KEPT_DAYS * 86_400
            return opened.read(100) if ours and young else ""
    except (OSError, ValueError):
        return ""


def _written(file: Path) -> str:
    secret = new_secret()
    with contextlib.suppress(OSError):  # one that cannot be kept is that of this server alone
        file.parent.mkdir(parents=True, exist_ok=True)
        file.unlink(missing_ok=True)
        with os.fdopen(os.open(file, FRESH, 0o600), "w") as opened:
            opened.write(secret)
    return secret
