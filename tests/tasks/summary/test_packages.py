"""Python sources are looked for below a folder, within bounds."""

from pathlib import Path

import pytest

from workings.errors import WorkingsError
from workings.tasks.summary import packages


def test_every_source_below_a_folder_is_found_but_for_tests_and_links(tmp_path: Path) -> None:
    for name in ("b/deep/two.py", "a.py", "b/one.py", "b/tests/no.py", "b/readme.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    (tmp_path / "b" / "loop").symlink_to(tmp_path)
    assert packages.folder_sources(tmp_path) == [
        ("a", "a", tmp_path / "a.py"),
        ("b", "b.deep.two", tmp_path / "b" / "deep" / "two.py"),
        ("b", "b.one", tmp_path / "b" / "one.py"),
    ]


def test_a_whole_disk_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(5):
        (tmp_path / f"{number}.txt").write_text("")
    monkeypatch.setattr(packages, "MOST_ENTRIES", 3)
    with pytest.raises(WorkingsError, match="holds more than 3 files; name a folder of sources"):
        packages.folder_sources(tmp_path)
