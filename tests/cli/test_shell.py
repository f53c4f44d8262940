"""The shell around everything: help, completion, the machine, the cache, runs and studies kept."""

import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
import typer

import workings as package
from tests.command import Command
from workings.cli import app
from workings.cli.shared import complete, complete_keys
from workings.cli.shared.groups import EXAMPLES, GROUPS
from workings.errors import WorkingsError
from workings.run.folder.run_folder import RunFolder
from workings.study.folder import StudyFolder
from workings.tasks import TASKS

TINY = ("train.epochs=1", "train.batch=2", "train.window=8", "model.embed=4", "model.hidden=4")
SET = tuple(word for setting in TINY for word in ("--set", setting))


def test_the_help_has_every_command_in_one_group_and_three_examples(workings: Command) -> None:
    grouped = [name for group in GROUPS.values() for name in group]
    named = {command.name or command.callback.__name__ for command in app.registered_commands}  # type: ignore[union-attr]
    named |= {str(group.name) for group in app.registered_groups}
    assert sorted(grouped) == sorted(named)
    code, out, _ = workings("--help")
    assert code == 0
    assert [out.index(f"{heading}:") for heading in (*GROUPS, "Examples")] == sorted(
        out.index(f"{heading}:") for heading in (*GROUPS, "Examples")
    )
    assert all(example in out for example, _ in EXAMPLES)
    lines = [line.strip() for line in out.splitlines()]
    for group in GROUPS.values():
        assert all(
            any(f"{name} " in at and line in at for at in lines) for name, line in group.items()
        )


def test_completion_needs_no_torch_and_knows_the_names() -> None:
    assert tuple(TASKS) == complete.TASKS
    assert "ptb-lstm" in dict(complete.configs("ptb-l"))
    assert "ptb-rnn" in complete.studies("ptb-r")
    assert "cora" in dict(complete.data_sets("co"))
    asks = (
        "import sys; from workings.cli.shared import complete as c, complete_keys as k; k.keys('');"
        "c.configs(''); c.runs(''); c.data_sets('')"
    )
    code = f"{asks}; assert 'torch' not in sys.modules"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_every_key_of_every_config_is_completed_with_its_meaning() -> None:
    known = dict(complete_keys.keys(""))
    for task in TASKS.values():
        sections = [("data", task.Data), ("train", task.Train)]
        sections += [("model", model) for model in task.MODELS.values()]
        for section, kind in sections:
            for key, field in kind.model_fields.items():
                assert known.get(f"{section}.{key}=") is not None, key
                assert known[f"{section}.{key}="] or not field.description
    assert list(dict(complete_keys.keys("train.clip"))) == ["train.clip="]


def test_keys_are_those_of_the_task_that_the_command_names() -> None:
    def of(incomplete: str, **given: str) -> dict[str, str]:
        context = SimpleNamespace(params=given, args=[])
        return dict(complete_keys.keys_of(cast("typer.Context", context), incomplete))

    graph = of("data.d", what="graph")
    assert list(graph) == ["data.directed="]
    assert of("data.d", what="cora-gcn") == of("data.d", task="graph") == graph
    typed = SimpleNamespace(params={"what": None}, args=["graph"])  # what comes before `--set`
    assert dict(complete_keys.keys_of(cast("typer.Context", typed), "data.d")) == graph
    assert "data.digits=" in of("data.d", what="speech")
    assert {*of("data.d", what="speech"), *graph} <= {*of("data.d", what="./mine.toml")}
    assert of("train.b", what="graph")["train.batch="].startswith("of many graphs")
    assert of("train.b", what="language")["train.batch="].startswith("parallel streams")


def test_tab_completion_offers_what_is_ours() -> None:
    assert {"train", "open", "check"} <= {*dir(package)}
    assert not {"import_module", "TYPE_CHECKING"} & {*dir(package)}


def test_doctor_and_cache(workings: Command, book: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKINGS_CACHE", str(Path.cwd() / "cache"))
    code, out, _ = workings("doctor", "--json")
    facts = json.loads(out)
    assert code == 0
    assert facts["workings"] == package.__version__
    assert str(Path.cwd() / "cache") in facts["data looked for in"]
    assert {f"extra {name}" for name in ("search", "cluster", "speak")} <= set(facts)
    workings("data", "show", book)
    code, out, _ = workings("cache", "--json")
    assert json.loads(out)["bytes"]["text"] > 0
    for name in ("page", "mine"):
        Path("cache", name).mkdir()
    lines = {line.split()[0]: line for line in workings("cache")[1].splitlines() if line.split()}
    assert "the page's list of runs" in lines["page"]  # what it is, or nothing is said of it
    assert "a data set" not in lines["mine"] + lines["page"]
    assert workings("cache", "--clear", "txt")[0] == 2
    assert workings("cache", "--clear", "text", "--yes")[0] == 0
    assert not Path("cache/text").exists()


def test_data_is_shown_as_it_would_be_read(workings: Command, book: Path) -> None:
    code, out, _ = workings("data", "show", book, "--set", "data.level=char", "--json")
    assert code == 0
    assert "train characters" in json.loads(out)
    assert "only data.…" in workings("data", "show", book, "--set", "train.lr=1")[2]


def test_unnamed_runs_of_one_second_both_live_and_are_pruned(workings: Command, book: Path) -> None:
    for _ in range(2):  # within one second or not
        assert workings("train", "language", "--data", book, *SET, "-q")[0] == 0
    listed = package.runs("runs")
    assert [run["state"] for run in listed] == ["finished"] * 2
    first, second = (RunFolder(Path("runs") / run["run"]) for run in listed)
    before = package.open(f"runs/{first.path.name}").evaluate()
    code, out, _ = workings("runs", "prune", "--yes")
    assert (code, out.split(" of ")[1]) == (0, "2 finished runs\n")
    assert first.last_checkpoints_size() == second.last_checkpoints_size() == 0
    opened = package.open(f"runs/{first.path.name}")
    assert opened.evaluate() == before
    assert [row["split"] for row in opened.history] == ["train", "valid"]
    assert {"open", "runs", "train", "cost"} <= set(dir(package))


def test_a_new_study_is_one_that_can_be_planned(workings: Command) -> None:
    code, out, _ = workings("study", "new", "mine")
    assert (code, out) == (
        0,
        "wrote mine.toml; run it with `workings study ./mine.toml`, or --plan first\n",
    )
    assert workings("study", "new", "mine")[0] == 2
    from workings.study.file import load
    from workings.study.plan import plan

    planned = plan(*load("./mine.toml"))
    assert len(planned.jobs) == 6
    assert planned.jobs[5].values["model"]["hidden"] == 16


def test_a_study_is_run_by_one_process(tmp_path: Path) -> None:
    folder = StudyFolder(tmp_path)
    with folder.hold(), pytest.raises(WorkingsError, match="another process is running this study"):
        folder.hold()
    with folder.hold():
        pass


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        ("train language --epochs 3", "--set train.epochs=…"),
        ("train language --learning-rate 1", "--set train.lr=…"),
        ("train language --batch-size 3", "--set train.batch=…"),
        ("train images --model resnet", "--set model.kind=…"),
        ("train graph --dropot 0.1", "--set model.dropout=…"),
        ("study ptb-rnn --epochs 3", "--set train.epochs=…"),
        ("train language --name mine", "it is called --run here"),
        ("train language --sed 3", "did you mean --seed?"),
        ("generate mine --temprature 2", "did you mean --temperature?"),
        ("generate mine --epochs 2", "No such option: --epochs; see"),
        ("train language novel.txt", "data is given with --data"),
        ("train novel.txt", "`workings train language --data novel.txt`"),
        ("train photos", "`workings train images --data photos`"),
    ],
)
def test_what_is_typed_where_it_does_not_belong_is_answered_with_where_it_does(
    workings: Command, book: Path, typed: str, answer: str
) -> None:
    Path("novel.txt").write_text("a b\n", encoding="utf-8")
    Path("photos/cat").mkdir(parents=True)
    Path("photos/cat/1.png").touch()
    code, _, error = workings(*typed.split())
    assert (code, error.count("\n")) == (2, 1)
    assert answer in error


def test_a_key_of_no_task_is_not_completed() -> None:
    assert "train.kind=" not in dict(complete_keys.keys("train."))
    assert "model.args=" in dict(complete_keys.keys("model."))
