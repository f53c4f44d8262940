"""The benchmark of the page: its runs are runs, and its rows are of what they say."""

from pathlib import Path

import pytest

from workings.bench import page, page_trackers
from workings.errors import WorkingsError
from workings.run.folder import listing


def test_a_made_run_is_listed_as_a_finished_one(tmp_path: Path) -> None:
    page.make_run(tmp_path / "run", 3)
    (line,) = listing.listed(tmp_path)
    assert (line["state"], line["epochs"], line["task"]) == ("finished", 20, "images")
    assert line["valid"] == 1 - 1 / 24


def test_every_row_has_a_time() -> None:
    said: list[str] = []
    rows = page.run(5, 200, [], said.append)
    assert [row["name"] for row in rows][-1] == "5 curves"
    assert len(rows) == 5
    assert all(row["seconds"] >= 0 for row in rows)
    assert said


def test_a_tracker_that_is_not_known_or_not_here_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(WorkingsError, match="no tracker 'wandb'; mlflow or tensorboard"):
        page.run(1, 1, ["wandb"], print)
    monkeypatch.setattr(page_trackers.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(WorkingsError, match="pip install mlflow"):
        page.run(1, 1, ["mlflow"], print)


@pytest.mark.parametrize("name", ["mlflow", "tensorboard"])
def test_their_server_gives_what_was_written(tmp_path: Path, name: str) -> None:
    pytest.importorskip(name)
    tracker = page_trackers.TRACKERS[name]
    tracker.write(tmp_path, 3, page.curve)
    with tracker.serve(tmp_path) as address:
        names = page_trackers.until_all(tracker, address, 3, print)
        assert len(set(names)) == 3
        assert tracker.curves(address, names) == [page.EPOCHS] * 3
