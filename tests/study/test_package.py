"""`workings.study` is a package, and what runs a study."""

from pathlib import Path

import pytest

import workings
from tests.study.tiny import write_study


def test_the_package_can_be_called(tmp_path: Path, book: Path) -> None:
    rows = [{"name": "rnn", "set": {"cell": "rnn", "steps": 9, "hidden": 4}}]
    file = write_study(
        tmp_path, book, base=None, measure="vanishing", metric="test.half_life", row=rows
    )
    done = workings.study(file, folder=tmp_path / "out")
    assert done.summary.rows[0].values("test.half_life")[1] > 0
    assert "Tiny" in done._repr_html_()
    assert callable(workings.study)  # also once it has been imported
    assert workings.study.__name__ == "workings.study"


def test_unknown_names_are_still_errors() -> None:
    with pytest.raises(AttributeError, match="nothing"):
        _ = workings.nothing
