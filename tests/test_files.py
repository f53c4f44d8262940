"""Files and folders that are there whole or not at all."""

import errno
import os
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from workings.errors import WorkingsError
from workings.files import append_file, new_folder, read_file


def test_a_new_folder_appears_when_it_is_filled(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    with new_folder(folder) as temporary:
        (temporary / "file").write_text("x")
        assert not folder.exists()
    assert (folder / "file").read_text() == "x"
    assert [path.name for path in folder.parent.iterdir()] == ["b"]


def test_an_error_leaves_nothing(tmp_path: Path) -> None:
    def interrupted() -> None:
        with new_folder(tmp_path / "b") as temporary:
            (temporary / "file").write_text("x")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_another_process_made_meanwhile_stays(tmp_path: Path) -> None:
    with new_folder(tmp_path / "b") as temporary:
        (temporary / "file").write_text("late")
        (tmp_path / "b").mkdir()
        (tmp_path / "b" / "file").write_text("first")
    assert (tmp_path / "b" / "file").read_text() == "first"
    assert [path.name for path in tmp_path.iterdir()] == ["b"]


def test_a_folder_that_cannot_be_made_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("a file")
    with (
        pytest.raises(WorkingsError, match=r"a/b: .*(exists|directory)"),
        new_folder(tmp_path / "a" / "b"),
    ):
        pass


@pytest.mark.parametrize("size", [0, 1, 1000, 1 << 20])
def test_a_file_is_read_whole_up_to_its_bound(size: int, tmp_path: Path) -> None:
    content = os.urandom(size)
    (tmp_path / "a").write_bytes(content)
    assert read_file(tmp_path / "a", most=size) == content
    if size:
        with pytest.raises(OSError, match="larger than"):
            read_file(tmp_path / "a", most=size - 1)


def test_a_file_that_does_not_know_its_size() -> None:
    status = Path("/proc/self/maps")
    assert len(read_file(status)) > 1000 > status.stat().st_size
    with pytest.raises(OSError, match="larger than"):
        read_file(status, most=100)


@pytest.mark.parametrize(
    ("make", "number"),
    [
        (os.mkfifo, errno.EINVAL),
        (lambda path: path.symlink_to("/dev/zero"), errno.EINVAL),
        (Path.mkdir, errno.EISDIR),
        (lambda path: path.symlink_to(path.name), errno.ELOOP),
        (lambda path: None, errno.ENOENT),
    ],
)
def test_what_is_no_file_is_not_read(make: Any, number: int, tmp_path: Path) -> None:
    make(tmp_path / "a")
    with pytest.raises(OSError, match=r".") as refused:
        read_file(tmp_path / "a")
    assert refused.value.errno == number
    assert refused.value.strerror


def test_a_terabyte_of_zeros_takes_no_memory(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    os.truncate(tmp_path / "a", 1 << 40)
    tracemalloc.start()
    try:
        with pytest.raises(OSError, match="larger than"):
            read_file(tmp_path / "a")
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "make",
    [
        lambda path, other: path.hardlink_to(other),
        lambda path, other: path.symlink_to(other),
        lambda path, other: os.mkfifo(path),
        lambda path, other: path.mkdir(),
    ],
)
def test_nothing_is_added_to_what_is_not_a_file_of_its_own(make: Any, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_text("kept")
    make(tmp_path / "a", other)
    with pytest.raises(WorkingsError, match="a: "):
        append_file(tmp_path / "a", b"added")
    assert other.read_text() == "kept"
    append_file(tmp_path / "new", b"a")
    append_file(tmp_path / "new", b"b")
    assert (tmp_path / "new").read_text() == "ab"


def test_no_file_has_a_zero_byte_in_its_name() -> None:
    with pytest.raises(OSError, match="zero byte"):
        read_file("a\0b")
