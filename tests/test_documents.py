"""The code that CONTRIBUTING.md shows works, put where it says that it belongs."""

import importlib
import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from workings.data.named import SOURCES
from workings.tasks import TASKS, ImageTask

ROOT = Path(__file__).parents[1]
Names = dict[str, Any]


def sections() -> dict[str, list[tuple[str, str, str]]]:
    """By heading: the language, the file name and the text of every block of code."""
    text = (ROOT / "CONTRIBUTING.md").read_text()
    headed = (part.partition("\n") for part in text.split("\n## ")[1:])
    block = re.compile(r"^```(\w+)\n# (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
    return {heading: block.findall(body) for heading, _, body in headed}


def add_model(patch: pytest.MonkeyPatch, names: Names) -> None:
    patch.setattr(ImageTask, "MODELS", {**ImageTask.MODELS, "linear": names["LinearConfig"]})


def add_task(patch: pytest.MonkeyPatch, names: Names) -> None:
    patch.setitem(TASKS, "curve", names["CurveTask"])


def add_source(patch: pytest.MonkeyPatch, names: Names) -> None:
    patch.setitem(SOURCES, "limericks", names["LIMERICKS"])


def add_nothing(patch: pytest.MonkeyPatch, names: Names) -> None:
    """A claim is data, and belongs nowhere."""


# What stands in words beside the blocks: the one line that makes the new thing known.
KNOWN: dict[str, Callable[[pytest.MonkeyPatch, Names], None]] = {
    "An architecture": add_model,
    "A task": add_task,
    "A data set": add_source,
    "A claim": add_nothing,
}


def existing(file: str) -> Names:
    """What a file of the package has before the block is added to it."""
    if not file.startswith("workings/") or not (ROOT / file).exists():
        return {}
    return vars(importlib.import_module(file.removesuffix(".py").replace("/", ".")))


@pytest.mark.parametrize("heading", KNOWN)
def test_what_is_added_works(heading: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: Names = {"__name__": "added"}
    for language, file, code in sections()[heading]:
        if language == "python":
            names |= {k: v for k, v in existing(file).items() if not k.startswith("__")}
            exec(compile(code, file, "exec"), names)
        else:
            Path(file).write_text(code)
    KNOWN[heading](monkeypatch, names)
    fixtures = {"tmp_path": tmp_path, "monkeypatch": monkeypatch}
    tests = [value for name, value in names.items() if name.startswith("test_")]
    assert tests
    for test in tests:
        test(**{name: fixtures[name] for name in inspect.signature(test).parameters})


def test_a_linear_classifier_trains(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, workings: Any
) -> None:
    from tests.tasks.images.image_sets import class_folders

    test_what_is_added_works("An architecture", tmp_path, monkeypatch)
    class_folders(tmp_path / "pictures", 20)
    options = ("--set", "model.kind=linear", "--set", "train.epochs=1", "--set", "train.batch=4")
    code, _, err = workings("train", "images", "--data", "pictures", *options)
    assert code == 0, err


def test_the_python_of_the_readme_is_the_example_that_mypy_checks() -> None:
    (block,) = re.findall(r"^```python\n(.*?)^```$", (ROOT / "README.md").read_text(), re.M | re.S)
    assert block == (ROOT / "docs" / "readme.py").read_text()
    compile(block, "README.md", "exec")
