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
    cnn = {field["key"]: field["kind"] for field in found["images"]["models"]["cnn"]}
    assert (cnn["channels"], cnn["pool"], cnn["dense"]) == ("wholes", "texts", "wholes")


def test_the_form_has_a_field_for_all_that_shipped_configs_say() -> None:
    (found,) = forms.tasks()
    for task, form in found.items():
        for config in form["configs"].values():
            (said,) = forms.checked(config, ".", False)
            sections = {**form["sections"], "model": form["models"][said["model"]]}
            fields = {f"{name}.{each['key']}" for name, all_ in sections.items() for each in all_}
            assert set(said["given"]) <= {"task", "seed", "model.kind", *fields}, task


def test_a_config_is_checked_as_it_is_typed(tmp_path: Path) -> None:
    text = 'task = "graph"\n[data]\nname = "karate"\n'
    given = {"task": "graph", "data.name": "karate"}
    expected = {"task": "graph", "model": "gcn", "given": given}
    assert list(forms.checked(text, str(tmp_path), False)) == [expected]
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
