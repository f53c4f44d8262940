"""A file of a run that changed since it was written is said or refused; a killed write is not."""

import json
import os
from pathlib import Path

import pytest

from tests.run.folder.test_listing import make
from workings.errors import WorkingsError
from workings.run.folder.run_folder import RunFolder


def test_an_untouched_folder_passes(tmp_path: Path) -> None:
    folder = make(tmp_path / "a")
    warnings: list[str] = []
    config = folder.config(warnings.append)
    folder.require_same_config(config)
    assert folder.assets(config) == {"vocabulary.json": b"[]"}
    assert folder.result()
    assert not warnings


def test_a_changed_vocabulary_is_refused(tmp_path: Path) -> None:
    folder = make(tmp_path / "a")
    (folder.path / "vocabulary.json").write_text('["other"]')
    with pytest.raises(WorkingsError, match=r"vocabulary\.json: changed since the run wrote it"):
        folder.assets(folder.config())


def test_a_changed_result_is_refused_with_the_way_to_make_it_again(tmp_path: Path) -> None:
    path = make(tmp_path / "a").path / "result.json"
    path.write_text(path.read_text().replace("7.5", "1.5"))
    with pytest.raises(WorkingsError, match=r"remove it, and `workings resume .*` makes it again"):
        RunFolder(path.parent).result()


@pytest.mark.parametrize(
    ("old", "new", "goes_on"),
    [
        ("epochs = 50", "epochs = 60", True),
        ('/book.txt"', '/moved/book.txt"', True),
        ('kind = "rnn"', 'kind = "gru"', False),
        ("seed = 1", "seed = 2", False),
    ],
)
def test_an_edited_config_goes_on_where_a_run_may_change(
    old: str, new: str, goes_on: bool, tmp_path: Path
) -> None:
    folder = make(tmp_path / "a", finished=False)
    path = folder.path / "config.toml"
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    warnings: list[str] = []
    config = folder.config(warnings.append)
    assert warnings[0] == f"{path}: was edited since the run wrote it; what it says now is used"
    if goes_on:
        folder.require_same_config(config)
    else:
        with pytest.raises(WorkingsError, match="undo the edit, or start a new run"):
            folder.require_same_config(config)


def test_a_config_that_is_no_longer_one_says_that_it_changed(tmp_path: Path) -> None:
    folder = make(tmp_path / "a")
    (folder.path / "config.toml").write_text("task = ")
    with pytest.raises(WorkingsError, match=r"is not TOML.*has changed since the run wrote it"):
        folder.config()


def test_our_own_change_is_no_edit(tmp_path: Path) -> None:
    folder = make(tmp_path / "a")
    config = folder.config()
    longer = config.model_copy(update={"train": config.train.model_copy(update={"epochs": 99})})
    folder.write_config(longer)
    folder.forget_result()
    warnings: list[str] = []
    folder.require_same_config(folder.config(warnings.append))
    assert not warnings
    assert "result.json" not in folder.manifest.read()["files"]


@pytest.mark.parametrize("at", range(3))
def test_killed_between_the_file_and_its_checksum(
    at: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = make(tmp_path / "a")
    config, result = folder.config(), folder.result()
    assert result
    real, calls = os.replace, iter(range(9))

    def killed(*args: str) -> None:
        if next(calls) == at:
            raise KeyboardInterrupt
        real(*args)

    monkeypatch.setattr(os, "replace", killed)
    with pytest.raises(KeyboardInterrupt):
        folder.write_result({**result, "seconds": 2.0})
    calls = iter(range(9))
    with pytest.raises(KeyboardInterrupt):
        folder.write_config(config.model_copy(update={"seed": 5}))
    monkeypatch.setattr(os, "replace", real)
    warnings: list[str] = []
    folder.require_same_config(folder.config(warnings.append))
    assert folder.result() in (result, {**result, "seconds": 2.0})
    assert not warnings


def test_an_older_folder_has_no_manifest(tmp_path: Path) -> None:
    folder = make(tmp_path / "a")
    (folder.path / "manifest.json").unlink()
    path = folder.path / "config.toml"
    path.write_text(path.read_text().replace("seed = 1", "seed = 2"))
    warnings: list[str] = []
    folder.require_same_config(folder.config(warnings.append))
    assert not warnings
    assert folder.result()


def test_a_damaged_manifest_is_named(tmp_path: Path) -> None:
    folder = make(tmp_path / "a")
    (folder.path / "manifest.json").write_text(json.dumps({"files": {"a": 1}}))
    with pytest.raises(WorkingsError, match=r"manifest\.json: damaged: "):
        folder.config()
