"""Files and folders that are there whole or not at all."""

from pathlib import Path

import pytest

from workings.errors import WorkingsError
from workings.files import new_folder


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
