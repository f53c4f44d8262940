"""Event files for TensorBoard: read back by its own reader."""

import sys
from pathlib import Path

import pytest

from tests.report.summaries import NOWHERE, row, run, study
from workings.errors import WorkingsError
from workings.report.tensorboard import write_events
from workings.study.summary import RowSummary, RunSummary

tensorboard = pytest.importorskip("tensorboard")


def read(folder: Path) -> dict[str, list[tuple[int, float]]]:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    events = EventAccumulator(str(folder))
    events.Reload()
    return {
        tag: [(event.step, event.value) for event in events.Scalars(tag)]
        for tag in events.Tags()["scalars"]
    }


def test_curves_and_final_figures_come_back(tmp_path: Path) -> None:
    rows = [row("rnn", [8.0, 9.0]), RowSummary("gru", {}, {}, "", [run(7, None, [4.0, None])])]
    made = write_events(study(rows), tmp_path)
    names = [str(path.relative_to(tmp_path)) for path in made]
    assert names == ["01-rnn/seed-1", "01-rnn/seed-2", "02-gru/seed-7"]
    first = read(made[0])
    assert first["valid/perplexity"] == [(10, 24.0), (20, 16.0), (30, 8.0)]
    assert first["train/perplexity"] == [(10, 12.0), (20, 8.0), (30, 4.0)]
    assert first["test/perplexity"] == [(30, 8.0)]
    stopped = read(made[2])
    assert stopped["valid/perplexity"] == [(10, 4.0)]  # what is no number is left out
    assert "test/perplexity" not in stopped


def test_rows_whose_names_a_path_cannot_hold(tmp_path: Path) -> None:
    rows = [row("a/b", [8.0]), row("a b", [9.0]), row("../..", [9.0]), row("é" * 300, [9.0])]
    rows.append(RowSummary("waiting", {}, {}, "", [RunSummary(NOWHERE, 1, "waiting")]))
    made = write_events(study(rows), tmp_path)
    assert [path.parent.name for path in made] == ["01-a-b", "02-a-b", "03-row", "04-row"]
    assert {path.parent.parent for path in made} == {tmp_path}


def test_parts_have_folders_of_their_own(tmp_path: Path) -> None:
    file = {"title": "Tour", "base": "", "metric": "", "plot": [], "row": [], "parts": ["a"]}
    tour = study([], file=file, parts=[study([row("rnn", [8.0])])])
    assert write_events(tour, tmp_path) == [tmp_path / "gates" / "01-rnn" / "seed-1"]


def test_a_measurement_goes_over_its_own_axis(tmp_path: Path) -> None:
    points = [{"distance": d, "share": 0.5**d} for d in (1, 2)]
    one = RunSummary(NOWHERE, 1, "finished", result={"metrics": {}}, lines=points)
    (path,) = write_events(study([RowSummary("a", {}, {}, "", [one])], x="distance"), tmp_path)
    assert read(path) == {"share": [(1, 0.5), (2, 0.25)]}


def test_without_tensorboard_one_line_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", None)
    with pytest.raises(WorkingsError, match=r"pip install 'workings\[tensorboard\]'"):
        write_events(study([row("rnn", [8.0])]), tmp_path)
    assert list(tmp_path.iterdir()) == []
