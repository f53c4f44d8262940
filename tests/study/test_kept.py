"""What a study keeps is what it still asks for: no result is stale, and none is made twice."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.study.tiny import write_study
from workings.own_source import own_source
from workings.run import config as configs
from workings.run.folder.run_folder import RunFolder
from workings.study import kept
from workings.study.plan import Job
from workings.study.progress import Quiet
from workings.study.study import Conductor, Wanted
from workings.tasks.language.config import LanguageTrain

NET = "from helper import width\nclass Net: ...\n"


class Saying(Quiet):
    """Remembers what it was to say."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def say(self, text: str) -> None:
        self.said.append(text)


class Kept:
    """A study whose runs are kept as if they had been trained."""

    def __init__(self, folder: Path, book: Path, **changes: Any) -> None:
        self.file, self.out = write_study(folder, book, **changes), folder / "out"
        self.said: list[str] = []

    def plan(self, **wanted: Any) -> Conductor:
        view = Saying()
        made = Conductor(self.file, Wanted(folder=self.out, trust=True, **wanted), view)
        self.said = view.said
        return made

    def to_do(self) -> int:
        return len(self.plan().left())

    def finish(self, **changes: Any) -> list[Path]:
        """Keep a finished run of every job."""
        return [self.keep(job, **changes) for job in self.plan().jobs]

    def keep(self, job: Job, folder: Path | None = None, **changes: Any) -> Path:
        config = configs.resolve(job.values)
        about: dict[str, Any] = {"data": config.build_task().checksum(), "results": 1}
        if ":" in config.kind:
            about["own_class_source"] = own_source(config.kind).digest
        about = {key: value for key, value in (about | changes).items() if value is not None}
        run = RunFolder((folder or self.out / "runs") / job.folder)
        run.create(config, {}, about)
        (run.path / "result.json").touch()
        return run.path


@pytest.fixture
def ours(tmp_path: Path, book: Path) -> Kept:
    """Two rows of our own models."""
    return Kept(tmp_path, book)


@pytest.fixture
def own(tmp_path: Path, book: Path, monkeypatch: pytest.MonkeyPatch) -> Kept:
    """One row of a class of the user's, which imports another module of theirs."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path.copy())
    Path("own_model.py").write_text(NET)
    Path("helper.py").write_text("width = 3\n")
    return Kept(tmp_path, book, base=str(tmp_path / "own.toml"), row=[{"name": "own"}])


def test_what_is_kept_is_not_done_again(ours: Kept) -> None:
    assert ours.to_do() == 2
    ours.finish()
    assert ours.to_do() == 0
    assert ours.said == []


def test_replaced_data_is_another_run_though_size_and_time_are_the_same(
    ours: Kept, book: Path
) -> None:
    first = ours.finish()
    times = book.stat()
    book.write_text(book.read_text().replace("hen", "pig"))
    os.utime(book, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert book.stat().st_size == times.st_size
    assert ours.to_do() == 2
    assert ours.said[0] == "rnn, seed 1: is trained again, its data has changed"
    # The new runs have names of their own, and the old ones are there again with the old data.
    assert not {path.name for path in first} & {job.folder for job in ours.plan().jobs}
    ours.finish()
    assert ours.to_do() == 0
    book.write_text(book.read_text().replace("pig", "hen"))
    assert ours.to_do() == 0
    assert [job.folder for job in ours.plan().jobs] == [path.name for path in first]


def test_data_behind_a_symbolic_link(tmp_path: Path, book: Path) -> None:
    link = tmp_path / "link.txt"
    link.symlink_to(book)
    linked = Kept(tmp_path, link)
    linked.finish()
    assert linked.to_do() == 0
    other = tmp_path / "other.txt"
    other.write_text(book.read_text() * 2)
    link.unlink()
    link.symlink_to(other)
    assert linked.to_do() == 2


def test_an_edited_class_and_an_edited_module_that_it_imports(own: Kept) -> None:
    own.finish()
    assert own.to_do() == 0
    for name in ("own_model.py", "helper.py"):
        before = Path(name).read_text()
        Path(name).write_text(before + "# edited\n")
        assert own.to_do() == 1
        assert own.said == ["own, seed 1: is trained again, own_model:Net has changed"]
        Path(name).write_text(before)
        assert own.to_do() == 0


def test_a_new_field_of_the_program_changes_nothing(
    ours: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = ours.finish()

    class NewTrain(LanguageTrain):
        novelty: float = 0.5

    monkeypatch.setattr("workings.tasks.language.task.LanguageTask.Train", NewTrain)
    assert ours.plan().jobs[0].values["train"]["novelty"] == 0.5
    assert ours.to_do() == 0
    assert "novelty" not in (paths[0] / "config.toml").read_text()
    assert len(ours.plan(settings=["train.novelty=0.7"]).left()) == 2


def test_a_run_of_an_older_version_is_recognised_under_its_name(ours: Kept) -> None:
    """Older names were made of all fields, and older runs say nothing of results and classes."""
    for path in ours.finish(results=None):
        path.rename(path.with_name(f"older-{path.name}"))
    assert ours.to_do() == 0
    assert [job.folder[:6] for job in ours.plan().jobs] == ["older-", "older-"]


def test_an_older_run_of_an_own_class_cannot_be_shown_to_be_the_same(own: Kept) -> None:
    own.finish(own_class_source=None)
    assert own.to_do() == 1
    assert "was not kept, so it may have changed" in own.said[0]


def test_another_number_of_results(ours: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    ours.finish()
    monkeypatch.setitem(kept.RESULTS, "images", 2)
    assert ours.to_do() == 0
    monkeypatch.setitem(kept.RESULTS, "language", 2)
    assert ours.to_do() == 2
    assert "other figures than it did (results 1 → 2)" in ours.said[0]


def test_where_the_data_is_gone_what_is_kept_stands_and_that_is_said(
    ours: Kept, book: Path
) -> None:
    ours.finish()
    planned = ours.plan().plans[""]
    book.unlink()
    settled, said = kept.settle(planned, ours.out / "runs")
    assert settled == planned
    assert said == [f"{row}: its data is not here to be compared" for row in ("rnn", "lstm")]


def test_only_what_is_the_same_is_taken_in(ours: Kept, tmp_path: Path, book: Path) -> None:
    jobs = ours.plan().jobs
    ours.keep(jobs[0], tmp_path / "elsewhere", data="0" * 64)
    ours.keep(jobs[1], tmp_path / "elsewhere", init_from="/somewhere")
    made = ours.plan(take=(tmp_path / "elsewhere",))
    assert made.prepare() == []
    assert sorted(line.rpartition(": ")[2] for line in made.view.said) == [  # type: ignore[attr-defined]
        "it began with the weights of another run",
        "its data has changed",
    ]
    ours.keep(jobs[1], tmp_path / "third")
    assert len(ours.plan(take=(tmp_path / "third",)).prepare()) == 1
    assert json.loads((ours.out / "study.json").read_text())["jobs"][1]["folder"] == jobs[1].folder
