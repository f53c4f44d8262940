"""workings graph, and the graph task from the command line."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tests.command import command
from workings import charts
from workings.cli import app
from workings.cli.shared.show import table
from workings.errors import WorkingsError

runner = CliRunner()


def said(*arguments: str) -> str:
    result = runner.invoke(app, list(arguments))
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.output


def given(*arguments: str) -> Any:
    return json.loads(said(*arguments, "--json"))


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("WORKINGS_RUNS", str(tmp_path / "runs"))
    return tmp_path / "runs"


def test_spread_of_the_worked_example(tmp_path: Path) -> None:
    shown = said("graph", "spread", "six-nodes", "--from", "C", "--to", "E")
    assert "information from C reaches E after 4 update(s), by 2 shortest way(s):" in shown
    assert "C → D → B → A → E" in shown
    assert "C → D → F → A → E" in shown
    found = given("graph", "spread", "--from", "C", "--to", "E")
    assert found["updates"] == 4
    assert [row["nodes"] for row in found["field"]] == [1, 2, 4, 5, 6]
    assert found["field"][1]["new"] == ["A"]
    assert found["indistinguishable"] == []


def test_spread_of_a_directed_graph_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "a.edges"
    path.write_text("a b\nb c\n")
    where = ("graph", "spread", str(path), "--directed")
    assert given(*where, "--from", "a", "--to", "c")["updates"] == 2
    found = given(*where, "--from", "c", "--to", "a")
    assert (found["updates"], found["way"]) == (None, None)
    assert "never reaches" in said(*where, "--from", "c", "--to", "a")
    assert [r["nodes"] for r in given(*where, "--from", "a")["field"]] == [1, 2, 3]
    assert given("graph", "spread", str(path))["indistinguishable"] == []


def test_spread_of_every_node() -> None:
    found = given("graph", "spread", "karate", "--depth", "3")
    assert [row["updates"] for row in found["known"]] == [0, 1, 2, 3]
    assert found["known"][0]["mean"] == 1
    assert found["known"][3]["most"] == 34


def test_smooth(tmp_path: Path) -> None:
    found = given("graph", "smooth", "karate", "--depth", "4")
    assert found["weights"] == "none"
    assert len(found["rows"]) == 8 * 5
    assert "Â^k X, no weights" in said("graph", "smooth", "--depth", "2")
    assert "random weights, seed 3" in said(
        "graph", "smooth", "--depth", "2", "--weights", "random", "--seed", "3"
    )


def test_charts_are_written(tmp_path: Path, runs: Path) -> None:
    said("train", "graph", "--set", "model.kind=gat", "--set", "train.epochs=3", "--run", "g", "-q")
    commands = {
        "spread": ("graph", "spread", "--to", "E"),
        "field": ("graph", "spread", "karate"),
        "smooth": ("graph", "smooth", "--depth", "2"),
        "attention": ("graph", "attention", "g"),
        "node": ("graph", "attention", "g", "--node", "0"),
    }
    for name, arguments in commands.items():
        path = tmp_path / f"{name}.svg"
        said(*arguments, "--chart", str(path))
        assert path.read_bytes().startswith(b"<svg")
    for name, title in (("spread", "After how many updates E knows of each node"),
                        ("smooth", "Over-smoothing on six-nodes"),
                        ("node", "What node 0 attends to")):  # fmt: skip
        assert title in (tmp_path / f"{name}.svg").read_text()
    assert set(charts.FORMATS) >= {".svg"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("graph", "spread", "--from", "C", "--to", "Z"), "no node 'Z'"),
        (("graph", "spread", "nowhere.npz"), "no such file, folder or data set"),
        (("graph", "spread", "cara"), r"no such file, folder or data set \(did you mean cora\?\)"),
        (("graph", "spread", "karate", "--directed"), "karate is not directed"),
        (("graph", "smooth", "--weights", "some"), "--weights: no such weights 'some'"),
        (("graph", "smooth", "--chart", "a.jpg"), "no chart can be written as 'a.jpg'"),
        (("graph", "smooth", "--chart", "no/where/a.svg"), "there is no folder no/where"),
        (("graph", "attention", "none"), "none"),
    ],
)
def test_bad_input_is_one_line(arguments: tuple[str, ...], message: str, runs: Path) -> None:
    with pytest.raises(WorkingsError, match=message) as error:
        said(*arguments)
    assert "\n" not in str(error.value)


def test_attention_of_a_run(runs: Path) -> None:
    said("train", "graph", "--set", "model.kind=gat", "--set", "train.epochs=3", "--run", "g", "-q")
    assert "evenness" in said("graph", "attention", "g")
    assert len(given("graph", "attention", "g")) == 2 * 78 + 34
    rows = given("graph", "attention", "g", "--node", "11")
    assert {row["to"] for row in rows} == {"0", "11"}
    said("train", "graph", "--set", "train.epochs=1", "--run", "c", "-q")
    with pytest.raises(WorkingsError, match="gcn has no attention"):
        said("graph", "attention", "c")


def test_train_evaluate_predict_and_draw(runs: Path) -> None:
    said("train", "graph", "--set", "train.epochs=5", "--run", "r", "-q")
    assert "accuracy" in said("eval", "r")
    rows = given("predict", "r", "4", "7")
    assert [row["input"] for row in rows] == ["4", "7"]
    said("runs", "charts", "r")
    names = {path.stem for path in (runs / "r" / "figures").iterdir()}
    assert {"confusion", "classes"} <= names
    assert "karate" in said("data", "show", "karate")
    assert " loss " in said("runs", "list")  # what decides of so few nodes


def test_data_by_path_from_the_command_line(runs: Path, tmp_path: Path) -> None:
    rows = "\n".join(f"{i},{'ab'[i % 2]}" for i in range(12))
    (tmp_path / "nodes.csv").write_text(f"id,label\n{rows}\n")
    edges = "\n".join(f"{i},{(i + 2) % 12}" for i in range(12))
    (tmp_path / "edges.csv").write_text(f"source,target\n{edges}\n")
    said("train", "graph", "--data", str(tmp_path), "--set", "train.epochs=3", "--run", "r", "-q")
    assert given("data", "show", str(tmp_path))["nodes"] == 12


def test_bad_files_leave_nothing_and_say_one_line(runs: Path, tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    path.write_bytes(b"PK\x03\x04 not an archive")
    code, _, err = command("train", "graph", "--data", path)
    assert code == 2
    assert err.count("\n") == 1
    assert "is not an .npz file, or is cut short" in err
    assert not runs.exists()


def test_names_with_escapes_reach_no_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = "c\x1b[31m\u202e"
    table("title " + bad, ["column " + bad, "figure"], [[bad, "1.0"]])
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "\u202e" not in out
    assert "figure" in out
