"""`workings study` from the command line."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command import Command
from tests.study.tiny import write_study
from workings.cli.study import fitting
from workings.study import file as files


def in_a_process(*args: str) -> subprocess.CompletedProcess:
    """The command in a process of its own, which starts the workers of a study."""
    return subprocess.run(
        [sys.executable, "-m", "workings", *args], capture_output=True, text=True, timeout=300
    )


def test_from_plan_to_report(workings: Command, tmp_path: Path, book: Path) -> None:
    file = write_study(tmp_path, book, question="Which is better?")
    out = str(tmp_path / "out")
    planned = workings("study", file, "--folder", out, "--plan")
    assert planned.code == 0
    assert "Tiny: 2 runs, 2 to do" in planned.err
    assert "rnn: at most" in planned.err
    assert not (tmp_path / "out").exists()
    done = in_a_process("study", file, "--folder", out, "--jobs", "1")
    assert done.returncode == 0, done.stderr
    assert "Which is better?" in done.stdout
    assert "published" in done.stdout
    for name in ("report.html", "table.md", "table.tex", "table.csv", "study.toml"):
        assert (tmp_path / "out" / name).stat().st_size > 100, name
    summary = json.loads(workings("study", file, "--folder", out, "--json").out)
    assert [row["name"] for row in summary["rows"]] == ["rnn", "lstm"]
    assert summary["rows"][0]["published"] == 20.0


def test_the_shipped_ones_are_listed(workings: Command) -> None:
    _, listed, _ = workings("study")
    assert all(name in listed for name in files.shipped())


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["nothing"], "no study 'nothing'"),
        (["vanishing", "--rows", "17"], "--rows: no row '17'"),
        (["vanishing", "--seeds", "one"], "--seeds: expected numbers"),
        (["vanishing", "--engine", "hpc"], "--engine: no engine 'hpc'"),
        (["vanishing", "--search", "3"], "--search: needs a study of trainings"),
    ],
)
def test_bad_input_is_one_line(workings: Command, args: list[str], message: str) -> None:
    code, out, err = workings("study", *args)
    assert (code, out) == (2, "")
    assert message in err
    assert len(err.strip().splitlines()) == 1


def test_a_wide_table_is_shown_in_parts_with_the_names_of_the_rows() -> None:
    columns, rows = ["row", "test accuracy", "best", "time"], [["a", "0.5 ± 0.1", "x", "1 s"]]
    assert fitting(columns, rows, 80) == [(columns, rows)]
    assert fitting(columns, rows, 24) == [
        (["row", "test accuracy"], [["a", "0.5 ± 0.1"]]),
        (["row", "best", "time"], [["a", "x", "1 s"]]),
    ]
    assert [heads for heads, _ in fitting(columns, rows, 1)] == [
        ["row", head] for head in columns[1:]
    ]


def test_a_search_runs_on_ray_or_says_that_it_cannot(
    workings: Command, book: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    pytest.importorskip("optuna")
    file = write_study(tmp_path, book, row=None, search={"model.hidden": [4, 6]})
    done = workings("study", file, "--search", 2, "--engine", "ray")
    assert done.code == 2
    assert "--engine ray needs ray" in done.err
