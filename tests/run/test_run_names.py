"""Names that a line of UTF-8 cannot hold: refused before training, or kept and shown escaped."""

import json
import os
import shutil
from pathlib import Path

import pytest
from PIL import Image

from tests.command import Command

SETTINGS = ("train.epochs=1", "train.batch=4", "train.window=10", "model.embed=4", "model.hidden=4")
TINY = tuple(word for setting in SETTINGS for word in ("--set", setting))
BAD = {"not UTF-8": "a\udcff", "line break": "a\nb", "escape": "a\x1b[2J", "U+2028": "a\u2028b"}


@pytest.fixture(params=BAD)
def bad(request: pytest.FixtureRequest) -> str:
    return BAD[str(request.param)]


def refused(command: tuple[int, str, str], bad: str) -> None:
    code, _, err = command
    assert code == 2
    assert len(err.splitlines()) == 1
    assert "\x1b" not in err
    assert ascii(bad)[1:-1] in err


def test_a_run(workings: Command, book: Path, bad: str) -> None:
    refused(workings("train", "language", "--data", book, *TINY, "--run", bad), bad)
    assert not Path("runs").exists()


def test_a_config_file_that_names_the_run(workings: Command, book: Path, bad: str) -> None:
    Path(f"{bad}.toml").write_text(f'task = "language"\n[data]\ntrain = ["{book}"]\n')
    refused(workings("train", f"./{bad}.toml", *TINY), bad)
    assert not Path("runs").exists()


def test_a_data_file(workings: Command, book: Path, bad: str) -> None:
    shutil.copy(book, f"{bad}.txt")
    refused(workings("train", "language", "--data", f"{bad}.txt", *TINY), bad)
    assert not Path("runs").exists()


def test_the_folder_that_all_is_in(workings: Command, book: Path, tmp_path: Path) -> None:
    """Nothing of the current folder's name is written, unless it is asked for."""
    path = tmp_path / "caf\udce9"
    path.mkdir()
    os.chdir(path)
    code, _, err = workings("train", "language", "--data", book, *TINY, "--run", "one")
    assert code == 0, err
    code, _, err = workings(
        "train", "language", "--data", book, *TINY, "--run", "two", "--init-from", "one"
    )
    assert code == 0, err
    code, out, _ = workings("runs", "list", "--json")
    assert [row["state"] for row in json.loads(out)] == ["finished", "finished"]


def test_a_class_of_images(workings: Command, tmp_path: Path, bad: str) -> None:
    for name in ("first", bad):
        (tmp_path / "pictures" / name).mkdir(parents=True)
        for number in range(20):
            image = Image.new("L", (8, 8), number * 9)
            image.save(tmp_path / "pictures" / name / f"{number}.png")
    command = ("train", "images", "--data", "pictures", "--set", "train.epochs=1", "--run", "one")
    refused(workings(*command), bad)
    assert not Path("runs").exists()


def test_a_run_that_was_renamed_is_listed_escaped(workings: Command, book: Path, bad: str) -> None:
    workings("train", "language", "--data", book, *TINY, "--run", "one")
    Path("runs/one").rename(f"runs/{bad}")
    code, out, _ = workings("runs", "list")
    assert code == 0
    assert ascii(bad)[1:-1] in out
    code, out, _ = workings("runs", "list", "--json")
    assert json.loads(out)[0]["state"] == "finished"
