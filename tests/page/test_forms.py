"""The form of a new run: fields as the config has them, mistakes named, data kept inside."""

from pathlib import Path

import pytest

from workings.errors import WorkingsError
from workings.page import forms


def test_every_task_has_its_fields_with_their_descriptions() -> None:
    (found,) = forms.tasks()
    assert set(found) >= {"language", "images", "graph", "speech"}
    train = {field["key"]: field for field in found["graph"]["sections"]["train"]}
    assert train["epochs"]["kind"] == "whole"
    assert train["schedule"]["choices"] == ["constant", "plateau", "cosine", "linear"]
    assert train["optimizer"]["kind"] == "text"  # one of four, or the user's own
    assert "learning rate" in train["lr"]["about"]
    assert "karate" in found["graph"]["sets"]
    assert {"gcn", "gat"} <= set(found["graph"]["models"])


def test_a_config_is_checked_as_it_is_typed(tmp_path: Path) -> None:
    text = 'task = "graph"\n[data]\nname = "karate"\n'
    assert list(forms.checked(text, str(tmp_path), False)) == [{"task": "graph", "model": "gcn"}]
    for wrong, why in (
        ("[train]\nepoch = 3\n", r"did you mean train\.epochs"),
        ("[train]\nepochs = -3\n", r"train\.epochs"),
        ("[train\n", "line 4"),
        ('[model]\nkind = "os:system"\n', "--trust"),
    ):
        with pytest.raises(WorkingsError, match=why):
            list(forms.checked(text + wrong, str(tmp_path), False))


@pytest.mark.parametrize("path", ["/etc/passwd", "../outside.txt", "link/outside.txt"])
def test_data_outside_of_the_page_s_folder_is_refused(tmp_path: Path, path: str) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "outside.txt").write_text("a")
    (root / "link").symlink_to(tmp_path)
    (root / "own.txt").write_text("a")
    forms.stay_inside(("train",), {"train": ("own.txt",)}, root)
    with pytest.raises(WorkingsError, match="outside of the folder"):
        forms.stay_inside(("train",), {"train": (path,)}, root)
