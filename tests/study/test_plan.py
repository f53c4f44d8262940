"""Plans: every row with every seed, checked before anything runs."""

from pathlib import Path
from typing import Any

import pytest

from tests.study.tiny import write_study
from workings.errors import WorkingsError
from workings.run import config as configs
from workings.study.file import StudyFile, load, shipped
from workings.study.measures import direction
from workings.study.plan import Plan, config_key, plan
from workings.tasks.summary import packages


def made(tmp_path: Path, book: Path, changes: dict[str, Any] | None = None, **narrow: Any) -> Plan:
    name, file = load(write_study(tmp_path, book, **(changes or {})))
    return plan(name, file, **narrow)


def test_rows_times_seeds(tmp_path: Path, book: Path) -> None:
    planned = made(tmp_path, book, {"seeds": [3, 5]})
    assert [(job.row, job.seed) for job in planned.jobs] == [
        ("rnn", 3),
        ("rnn", 5),
        ("lstm", 3),
        ("lstm", 5),
    ]
    kinds = [configs.resolve(job.values).model.kind for job in planned.jobs]
    assert kinds == ["rnn", "rnn", "lstm", "lstm"]
    assert [job.values["seed"] for job in planned.jobs] == [3, 5, 3, 5]
    assert len({job.folder for job in planned.jobs}) == 4
    assert planned.narrowed == []


def test_narrowed(tmp_path: Path, book: Path) -> None:
    planned = made(tmp_path, book, rows=["2"], settings=["train.epochs=1"], seeds=[7])
    assert [(job.row, job.seed) for job in planned.jobs] == [("lstm", 7)]
    assert planned.jobs[0].values["train"]["epochs"] == 1
    assert planned.narrowed == [
        "1 of 2 rows: lstm",
        "seeds 7",
        "set for every row: train.epochs=1",
    ]
    assert [job.row for job in made(tmp_path, book, rows=["lstm", "1"]).jobs] == ["rnn", "lstm"]


def test_a_run_is_another_one_when_its_config_is(tmp_path: Path, book: Path) -> None:
    one = made(tmp_path, book).jobs[0]
    same = made(tmp_path, book, settings=["train.threads=2", "train.checkpoint_seconds=3"]).jobs[0]
    other = made(tmp_path, book, settings=["train.lr=0.5"]).jobs[0]
    assert one.folder == same.folder
    assert made(tmp_path, book, settings=["train.threads=2"]).narrowed == []
    assert one.key == config_key(configs.resolve(one.values))
    assert one.folder != other.folder


BAD: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    ({"row": [{"name": "odd", "set": {"model.hiden": 3}}]}, {}, "row 'odd': model.hiden: unknown"),
    ({"row": [{"name": "odd", "set": {"task.x": 3}}]}, {}, "row 'odd': set: task.x: task is not"),
    ({"row": [{"name": "odd", "base": "nothing"}]}, {}, "row 'odd': 'nothing' is neither"),
    (
        {"row": [{"published": {"test.accuracy": 1.0}}]},
        {},
        "row 'base': published: no metric 'test.accuracy'",
    ),
    ({"metric": "test.perplexty"}, {}, "did you mean test.perplexity?"),
    ({"also": ["perplexity"]}, {}, "also: no metric 'perplexity'"),
    ({}, {"rows": ["3"]}, "--rows: no row '3'"),
    ({}, {"rows": ["lstn"]}, "did you mean lstm?"),
    (
        {"base": None, "measure": "vanish", "metric": "test.half_life"},
        {},
        "no measurement 'vanish' (did you mean vanishing?)",
    ),
    (
        {"base": None, "measure": "vanishing", "row": [{"set": {"cel": "rnn"}}]},
        {},
        "cel: unknown key (did you mean cell?)",
    ),
    (
        {"base": None, "measure": "vanishing", "row": [{"set": {"steps": "ten"}}]},
        {},
        "steps: must be a int (got 'ten')",
    ),
]


@pytest.mark.parametrize(("changes", "narrow", "message"), BAD, ids=[bad[2][:28] for bad in BAD])
def test_what_is_wrong_is_named_with_its_row(
    changes: dict[str, Any], narrow: dict[str, Any], message: str, tmp_path: Path, book: Path
) -> None:
    with pytest.raises(WorkingsError) as raised:
        made(tmp_path, book, changes, **narrow)
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("name", shipped())
def test_shipped_studies_can_be_planned(name: str) -> None:
    file = load(name)[1]
    if not file.parts:
        assert len(plan(name, file).jobs) == len(file.rows()) * len(file.seeds)


def test_planning_parses_no_library(monkeypatch: pytest.MonkeyPatch) -> None:
    def parsed() -> None:
        raise AssertionError("the standard library was parsed")

    monkeypatch.setattr(packages, "standard_library", parsed)
    assert len(plan(*load("summary-graph")).jobs) == 6


@pytest.mark.parametrize(
    ("metric", "given", "said"),
    [
        ("test.mrr", {}, ""),
        ("test.mrr", {"lower_is_better": False}, ""),
        ("test.accuracy", {"lower_is_better": True}, "lower_is_better: of test.accuracy higher is"),
        ("test.nodes", {}, "metric: which way test.nodes goes is not known; set lower_is_better"),
        ("test.nodes", {"lower_is_better": True}, ""),
    ],
)
def test_which_way_a_metric_goes_is_known_and_not_guessed(
    metric: str, given: dict[str, bool], said: str
) -> None:
    values = {"title": "t", "base": "karate-gcn", "metric": metric, "row": [{}], **given}
    file = StudyFile.model_validate(values)
    if said:
        with pytest.raises(WorkingsError, match=said):
            plan("t", file)
    else:
        plan("t", file)
        assert direction(file) is (metric == "test.nodes")


@pytest.mark.parametrize("row", ["²", "0", "-1", "99999999999999999999", ""])
def test_what_is_no_row_of_a_study_is_refused(row: str, tmp_path: Path, book: Path) -> None:
    with pytest.raises(WorkingsError, match="--rows: no row"):
        made(tmp_path, book, rows=[row])
