"""Unpacking: what is damaged or absurd is named, in one line, before it fills the memory."""

import gzip
import os
from pathlib import Path

import pytest

from workings.data.readers import unpack
from workings.errors import WorkingsError


def test_a_file_is_read_packed_or_not(tmp_path: Path) -> None:
    content = os.urandom(10_000)
    (tmp_path / "plain").write_bytes(content)
    (tmp_path / "packed").write_bytes(gzip.compress(content))
    for name in ("plain", "packed"):
        assert unpack.read(tmp_path / name) == content
        assert unpack.read(tmp_path / name, 17) == content[:17]


@pytest.mark.parametrize("cut", [1, 5, 9, 50])
def test_a_gz_cut_short_is_named(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(os.urandom(1000))[:-cut])
    with pytest.raises(WorkingsError, match=r"a\.gz: is damaged or cut short"):
        unpack.read(path)


def test_a_flipped_byte_is_found(tmp_path: Path) -> None:
    content = bytearray(gzip.compress(b"images" * 500))
    content[25] ^= 0xFF
    (tmp_path / "a.gz").write_bytes(content)
    with pytest.raises(WorkingsError, match=r"a\.gz: is damaged"):
        unpack.read(tmp_path / "a.gz")


def test_a_bomb_is_refused_before_it_is_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unpack, "BOMB_SIZE", 1 << 20)
    path = tmp_path / "bomb.gz"
    path.write_bytes(gzip.compress(bytes(1 << 25)))
    with pytest.raises(WorkingsError, match="zip bomb") as caught:
        unpack.read(path)
    assert "0.0 GB" in str(caught.value)  # it went off at a megabyte, not at 33 of them


def test_what_does_not_fit_into_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpack, "memory_budget", lambda: 1000)
    unpack.require_sane("it", 900, 1000)
    with pytest.raises(WorkingsError, match="more than half of this machine's memory"):
        unpack.require_sane("it", 900, 1001)


def test_half_of_the_memory_is_a_sensible_number() -> None:
    assert 1 << 27 < unpack.memory_budget() < 1 << 50


def test_files_that_are_none_are_named(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    os.mkfifo(tmp_path / "pipe")
    for name, said in (
        ("none", "no such file"),
        ("empty", "is empty"),
        ("pipe", "is not a regular file"),
        (".", "is a folder"),
    ):
        with pytest.raises(WorkingsError, match=said):
            unpack.size(tmp_path / name)
