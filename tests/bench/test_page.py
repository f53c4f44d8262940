"""The benchmark of the page: its runs are runs, and its rows are of what they say."""

from pathlib import Path

from workings.bench import page
from workings.run import listing


def test_a_made_run_is_listed_as_a_finished_one(tmp_path: Path) -> None:
    page.make_run(tmp_path / "run", 3)
    (line,) = listing.listed(tmp_path)
    assert (line["state"], line["epochs"], line["task"]) == ("finished", 20, "images")
    assert line["valid"] == 1 - 1 / 24


def test_every_row_has_a_time() -> None:
    said: list[str] = []
    rows = page.run(5, 200, said.append)
    assert [row["name"] for row in rows][-1] == "5 curves"
    assert len(rows) == 5
    assert all(row["seconds"] >= 0 for row in rows)
    assert said
