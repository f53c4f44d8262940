"""Runs of older versions get what they made of each example, so that they can be compared."""

import shutil
from pathlib import Path

from workings.report.missing_examples import keep_missing_examples
from workings.report.write import of_runs
from workings.run.folder import examples_file
from workings.run.folder.run_folder import RunFolder
from workings.study.compare import compare

STORED = Path(__file__).parents[1] / "stored" / "0.1" / "graph-finished"


def test_a_report_makes_the_examples_of_older_runs(tmp_path: Path) -> None:
    for name in ("one", "other"):
        shutil.copytree(STORED, tmp_path / name)
    (tmp_path / "other" / "result.json").unlink()  # not finished: nothing is made for it
    said: list[str] = []
    study = of_runs([RunFolder(tmp_path / name) for name in ("one", "other")])
    keep_missing_examples(study, said.append)
    assert len(said) == 1
    assert examples_file.read(tmp_path / "one")["test"].unit == "node"
    assert not (tmp_path / "other" / examples_file.NAME).exists()
    assert compare(study)["one"].rests_on.endswith(" nodes")
    keep_missing_examples(study, said.append)
    assert len(said) == 1


def test_a_run_that_cannot_be_used_is_left_as_it_is(tmp_path: Path) -> None:
    shutil.copytree(STORED, tmp_path / "run")
    shutil.rmtree(tmp_path / "run" / "checkpoint")
    study = of_runs([RunFolder(tmp_path / "run")])
    keep_missing_examples(study, lambda line: None)
    assert examples_file.read(tmp_path / "run") == {}
    assert compare(study)["run"].interval is None
