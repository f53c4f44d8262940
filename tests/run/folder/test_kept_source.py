"""A run keeps the source of its class, and says so when it is used with another one."""

import sys
from pathlib import Path

import pytest

import workings
from workings.run.folder.run_folder import RunFolder
from workings.run.progress import Progress
from workings.version import RESULTS

NET = """
from torch import nn
from kept_net_part import Part

class Net(nn.Module):
    def __init__(self, vocabulary):
        super().__init__()
        self.part = Part(vocabulary)

    def forward(self, tokens, state):
        return self.part(tokens), state
"""
PART = """
from torch import nn

class Part(nn.Sequential):
    def __init__(self, vocabulary):
        super().__init__(nn.Embedding(vocabulary, 4), nn.Linear(4, vocabulary))
"""


class Warned(Progress):
    """Remembers what it was to warn of."""

    def __init__(self) -> None:
        self.warnings: list[str] = []

    def warn(self, text: str) -> None:
        self.warnings.append(text)


@pytest.fixture
def run(tmp_path: Path, book: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A finished run of a class that imports another module."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path.copy())
    for name, content in {"kept_net": NET, "kept_net_part": PART}.items():
        monkeypatch.delitem(sys.modules, name, raising=False)
        (tmp_path / f"{name}.py").write_text(content)
    values = {
        "task": "language",
        "data": {"train": [str(book)]},
        "model": {"kind": "kept_net:Net"},
        "train": {"epochs": 1, "batch": 4, "window": 8},
    }
    return workings.train(values, "mine").folder.path


def test_its_source_is_kept_and_a_change_is_said(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (run / "source" / "kept_net.py").read_text() == NET
    assert (run / "source" / "kept_net_part.py").read_text() == PART
    view = Warned()
    workings.open_run("mine", progress=view)
    assert view.warnings == []

    Path("kept_net_part.py").write_text(PART + "# another one\n")
    said = (
        "kept_net:Net is not what this run was trained with: kept_net_part.py changed; "
        "runs/mine/source has what it was"
    )
    workings.open_run("mine", progress=view).evaluate()
    assert view.warnings == [said]

    # To go on with it is not exact; nor with a program of other results.
    monkeypatch.setitem(RESULTS, "language", 2)
    view = Warned()
    workings.resume("mine", settings=["train.epochs=2"], progress=view)
    assert view.warnings[0] == f"resuming, but not exactly: {said}"
    assert view.warnings[1].endswith("(results 1 → 2)")
    assert RunFolder(run).about()["results"] == 1  # it was begun so

    # This process has imported it before the edit: that is what it trains, keeps, and says.
    view = Warned()
    values = RunFolder(run).config().model_dump(mode="json")
    again = workings.train(values, "again", progress=view).folder
    assert (again.path / "source" / "kept_net_part.py").read_text() == PART
    assert "kept_net_part.py changed since this Python imported it" in view.warnings[0]
    again.remove()
    assert not again.path.exists()
