"""A run of the user's own class opens where it was made; elsewhere it needs trust."""

import json
import sys
from pathlib import Path

import pytest

import workings
from workings.errors import WorkingsError
from workings.report.samples import samples
from workings.report.write import of_runs
from workings.run.folder import made_here
from workings.run.folder.run_folder import RunFolder

NET = """
from torch import nn

class Net(nn.Module):
    def __init__(self, vocabulary, width=4):
        super().__init__()
        self.table = nn.Embedding(vocabulary, width)
        self.output = nn.Linear(width, vocabulary)

    def forward(self, tokens, state):
        return self.output(self.table(tokens)), state
"""


@pytest.fixture
def run(tmp_path: Path, book: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A finished run of a class of the user's own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "made_here_net", raising=False)
    (tmp_path / "made_here_net.py").write_text(NET)
    values = {
        "task": "language",
        "data": {"train": [str(book)]},
        "model": {"kind": "made_here_net:Net"},
        "train": {"epochs": 1, "batch": 4, "window": 8},
    }
    return workings.train(values, "mine").folder.path


def test_it_opens_where_it_was_made(run: Path) -> None:
    assert workings.open_run(str(run.absolute())).model is not None
    workings.resume("mine")


def test_elsewhere_it_needs_trust(
    run: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORKINGS_CACHE", str(tmp_path_factory.mktemp("cache of somebody else")))
    for use in (workings.open_run, workings.resume):
        with pytest.raises(WorkingsError, match=r"was not made here.*made_here_net.py.*--trust"):
            use("mine")
        use("mine", trust=True)
    start = {"task": "language", "train": {"epochs": 1}}
    with pytest.raises(WorkingsError, match="--trust"):
        workings.train(start, "next", init_from="mine")


def test_another_class_in_its_config_is_not_covered(run: Path) -> None:
    config = run / "config.toml"
    config.write_text(config.read_text().replace("made_here_net:Net", "os:abort"))
    with pytest.raises(WorkingsError, match=r"'os:abort'.*--trust"):
        workings.open_run("mine")


def test_a_forged_signature_is_refused(run: Path) -> None:
    about = json.loads((run / "run.json").read_text())
    for signed in ("", "0" * 64, "é", None, ["x"]):
        (run / "run.json").write_text(json.dumps(about | {made_here.FIELD: signed}))
        with pytest.raises(WorkingsError, match="--trust"):
            workings.open_run("mine")


def test_another_file_of_the_same_name_is_not_covered(
    run: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, elsewhere = run.absolute(), tmp_path_factory.mktemp("from a stranger")
    (elsewhere / "made_here_net.py").write_text("raise SystemExit")
    monkeypatch.chdir(elsewhere)
    with pytest.raises(WorkingsError, match=r"from that file.*made_here_net.py.*--trust"):
        workings.open_run(str(made))


def test_a_run_is_never_opened_past_that_question(run: Path) -> None:
    config = run / "config.toml"
    config.write_text(config.read_text().replace("made_here_net:Net", "os:abort"))
    with pytest.raises(WorkingsError, match=r"'os:abort'.*--trust"):
        workings.Run(RunFolder(run))
    (sample,) = samples(of_runs([RunFolder(run)]))
    assert "'os:abort'" in sample.error
