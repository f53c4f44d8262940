"""The source of an own class: every module of the user's that it rests on, and no other."""

import os
from pathlib import Path

import pytest

from workings.own_source import imported_source, own_source


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's folder: a class, what it imports in each of the ways there are, what it does not."""
    monkeypatch.chdir(tmp_path)
    files = {
        "net.py": "import torch, json, layers.cell\nfrom near import thing\n",
        "near.py": "def thing():\n    from far import away\n",
        "far.py": "import importlib\nimportlib.import_module('called')\nimport net\n",
        "called.py": "",
        "layers/__init__.py": "from . import norm\n",
        "layers/cell.py": "from .deep.inner import x\nfrom ..beyond import y\n",
        "layers/norm.py": "",
        "layers/deep/inner.py": "x = 1\n",  # a folder without __init__.py
        "other.py": "import net\n",
        "workings_like.py": "import workings.nn\n",
    }
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content)
    return tmp_path


def test_all_that_a_class_imports_from_the_users_folder(here: Path) -> None:
    source = own_source("net:Net")
    assert sorted(source.files) == [
        *("called.py", "far.py", "layers/__init__.py", "layers/cell.py", "layers/deep/inner.py"),
        *("layers/norm.py", "near.py", "net.py"),
    ]
    assert source.files["near.py"] == (here / "near.py").read_bytes()
    assert list(own_source("workings_like:Net").files) == ["workings_like.py"]
    assert own_source("nowhere.at.all:Net").digest == ""


@pytest.mark.parametrize(
    "name", ["net.py", "called.py", "layers/__init__.py", "layers/deep/inner.py"]
)
def test_an_edit_of_any_of_them_is_seen(here: Path, name: str) -> None:
    before, path = own_source("net:Net"), here / name
    times = path.stat()
    path.write_text(path.read_text() + "# more\n")
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert own_source("net:Net").digest != before.digest
    assert own_source("net:Net").unlike(before) == [name]


def test_what_is_not_imported_does_not_count(here: Path) -> None:
    before = own_source("net:Net").digest
    (here / "other.py").write_text("import net, layers\n")
    assert own_source("net:Net").digest == before


def test_a_class_in_memory_keeps_the_source_that_it_was_imported_from(here: Path) -> None:
    class Net:
        pass

    before = imported_source(Net, "net:Net")
    (here / "net.py").write_text("class Net: ...\n")
    assert imported_source(Net, "net:Net") == before
    assert before.unlike(own_source("net:Net")) == sorted(before.files)
    assert list(own_source("net:Net").files) == ["net.py"]


def test_an_installed_class_is_its_own_module_alone() -> None:
    assert list(own_source("torch.nn.modules.linear:Linear").files) == [
        "torch/nn/modules/linear.py"
    ]
