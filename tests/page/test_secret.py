"""The secret of the cookie: kept for the next server, and for nobody else."""

import os
from pathlib import Path

import pytest

from workings.page.secret import KEPT_DAYS, kept_secret


def test_it_is_kept_where_its_owner_alone_can_read_it(tmp_path: Path) -> None:
    file = tmp_path / "page" / "cookie"
    secret = kept_secret(file)
    assert len(secret) >= 32
    assert file.stat().st_mode & 0o777 == 0o600
    assert kept_secret(file) == secret


@pytest.mark.parametrize("how", ["open to others", "old", "empty", "a link", "no text"])
def test_one_that_is_not_safe_is_replaced(tmp_path: Path, how: str) -> None:
    file = tmp_path / "cookie"
    secret = kept_secret(file)
    if how == "open to others":
        file.chmod(0o644)
    elif how == "old":
        os.utime(file, (0, file.stat().st_mtime - 86_400 * KEPT_DAYS))
    elif how == "a link":
        file.rename(tmp_path / "elsewhere")
        file.symlink_to(tmp_path / "elsewhere")
    else:
        file.write_bytes(b"" if how == "empty" else b"\xff")
    replaced = kept_secret(file)
    assert replaced != secret
    assert len(replaced) >= 32
    assert not file.is_symlink()


def test_where_nothing_can_be_kept_there_is_one_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert len(kept_secret(tmp_path / "file" / "cookie")) >= 32
