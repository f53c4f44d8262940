"""The examples run as their own first lines say."""

import json
import re
import shlex
import shutil
import sys
from pathlib import Path

import pytest

from tests.command import Command
from tests.tasks.images.image_sets import class_folders
from tests.tasks.speech.speech_sets import lj_speech, words
from tests.tasks.summary import sources

EXAMPLES = Path(__file__).parents[1] / "examples"

# What makes a training small: a few steps are enough to see that it learns.
SMALL = {
    "language": "train.batch=4 train.window=10 train.epochs=3 train.lr=0.02",
    "images": "train.batch=4 train.epochs=6 train.lr=0.02",
    "graph": "train.epochs=60 train.lr=0.05",
    "speech": "data.bands=20 data.window=160 data.hop=40 data.max_tokens=20 "
    "train.epochs=3 train.batch=8 train.lr=0.01 train.warmup=0",
    "summary": "data.min_count=1 train.epochs=3 train.batch=4 train.lr=0.02 train.warmup=0",
}
# A metric, and what a model that has learned nothing would have.
BETTER_THAN = {
    "language": ("perplexity", 19),  # kinds of words
    "images": ("loss", 0.6931),
    "graph": ("loss", 0.6931),
    "speech": ("loss", 3.5553),  # log 35 symbols
    "summary": ("loss", 2.3979),  # log 11 words that can be written
}


@pytest.fixture
def folder(workings: Command, book: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder: the examples, and the data that their first lines name."""
    shutil.copytree(EXAMPLES, tmp_path, dirs_exist_ok=True)
    class_folders(tmp_path / "pictures", 20)
    lj_speech(tmp_path / "recordings", words(40))
    sources.folder(tmp_path / "code")
    monkeypatch.setattr(sys, "path", [*sys.path])
    for path in EXAMPLES.glob("*_own.py"):
        monkeypatch.delitem(sys.modules, path.stem, raising=False)
    return tmp_path


def commands(text: str) -> list[list[str]]:
    """The `workings` commands that a text shows, as arguments; a backslash joins two lines."""
    joined = re.sub(r"\\\n\s*", "", text)
    return [shlex.split(line)[1:] for line in re.findall(r"workings [a-z]+ [^`\n]+", joined)]


@pytest.mark.parametrize("task", SMALL)
def test_an_own_network_learns(task: str, folder: Path, workings: Command) -> None:
    (command,) = commands((folder / f"{task}_own.py").read_text())
    small = [argument for setting in SMALL[task].split() for argument in ("--set", setting)]
    code, out, err = workings(*command, *small, "--set", "train.device=cpu", "--json")
    assert code == 0, err
    metric, chance = BETTER_THAN[task]
    assert json.loads(out)["metrics"][f"test.{metric}"] < chance


def test_the_claims_are_found_right_and_wrong(folder: Path, workings: Command) -> None:
    code, out, err = workings("check", "claims.toml", "--json")
    assert code == 1, err
    verdicts = {each["name"]: each["verdict"] for each in json.loads(out)}
    assert verdicts == {
        "gradient": "holds",
        "sign": "holds with the sign flipped",
        "lstm-parameters": "holds",
    }


def test_the_study_runs(folder: Path, workings: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    # The library that draws a page's charts takes seconds to bundle, and has its own tests.
    monkeypatch.setattr("workings.report.page.bundle", lambda: "window.vegaEmbed = null;")
    code, out, err = workings("study", "study.toml", "--folder", "out", "--json")
    assert code == 0, err
    graph, none = json.loads(out)["rows"]
    assert (graph["name"], none["name"]) == ("GCN", "MLP: no graph")
    assert (folder / "out" / "report.html").exists()


def test_the_table_names_every_example_and_its_command(folder: Path) -> None:
    text = (folder / "README.md").read_text()
    shown = [command[:3] for command in commands(text)]
    for path in EXAMPLES.iterdir():
        assert path.name == "README.md" or f"`{path.name}`" in text
    for task in SMALL:
        ((verb, name, *rest),) = commands((folder / f"{task}_own.py").read_text())
        assert [verb, name, rest[0]] in shown
