"""The summary task: its batches, loss and metrics; that it learns, resumes and says what is bad."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from tests.command import Command
from tests.run.faults import assert_resumes
from tests.tasks.summary.sources import folder, jsonl, module
from workings.errors import WorkingsError
from workings.nn import Dropout
from workings.run import Run, train
from workings.run import config as configs
from workings.tasks.speech.clips import by_length
from workings.tasks.summary.task import SummaryTask


@pytest.fixture(scope="module")
def code(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return folder(tmp_path_factory.mktemp("code") / "code")


def values(path: Path, **sections: Any) -> dict[str, Any]:
    data = {"path": str(path), "valid_share": 0.1, "test_share": 0.1, "min_count": 1}
    recipe = {"batch": 4, "epochs": 2, "lr": 0.01, "warmup": 0, "device": "cpu"}
    return {
        "task": "summary",
        "data": data | sections.get("data", {}),
        "model": {"width": 16, "steps": 1} | sections.get("model", {}),
        "train": recipe | sections.get("train", {}),
    }


def task_of(path: Path, **sections: Any) -> SummaryTask:
    task = configs.resolve(values(path, **sections)).build_task()
    assert isinstance(task, SummaryTask)
    return task


@pytest.fixture(scope="module")
def run(code: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    recipe = {"epochs": 15, "patience": 15}
    return train(values(code, train=recipe), str(tmp_path_factory.mktemp("runs") / "run"))


def test_learns_to_name_functions(run: Run) -> None:
    """The verb is in the statements, and the noun is copied from them."""
    assert run.result
    metrics, baselines = run.result["metrics"], run.result["baselines"]
    assert metrics["test.f1"] > 0.75
    assert metrics["test.f1"] > baselines["most frequent"]["test.f1"] + 0.2
    assert metrics["test.f1"] > baselines["nearest neighbour (TF-IDF)"]["test.f1"]
    examples = run.result["examples"]["test"]
    assert examples["unit"] == "snippet"


def test_loss_is_the_mean_over_words_and_ignores_padding(code: Path) -> None:
    task = task_of(code)
    model = task.build().eval()
    (batch, *_) = task.batches(0, 0)
    loss, units, _ = task.loss(model, batch, None)
    nll, words, _ = task._each(model, task.encoded["train"], lambda done: None)
    lengths = np.array([len(each.tokens_S) for each in task.encoded["train"]])
    numbers = by_length(lengths, 4, np.random.default_rng([task.seed, 0]), False)[0]
    assert loss.item() == pytest.approx(nll[numbers].sum() / words[numbers].sum(), rel=1e-5)
    assert units == 4


def test_batches_are_the_same_whenever_asked_and_cover_every_snippet(code: Path) -> None:
    task = task_of(code)
    first, again = list(task.batches(1, 0)), list(task.batches(1, 2))
    assert len(first) == task.steps
    for one, other in zip(first[2:], again, strict=True):
        assert torch.equal(one.source.tokens_BS, other.source.tokens_BS)
    assert sum(len(batch.read_BL) for batch in first) == task.units


def test_a_model_that_cannot_copy_learns_the_unknown_word_instead(tmp_path: Path) -> None:
    """Every noun is seen once: it is no word of the vocabulary, and stands in the source."""
    code = folder(tmp_path / "code")
    for noun in ("file", "name", "page", "list", "node", "key"):
        (code / f"{noun}.py").unlink()
    lines = {"data": {"min_count": 5, "min_statements": 1}}
    task, other = task_of(code, **lines), task_of(code, model={"copy_tokens": False}, **lines)
    (batch, *_) = task.batches(0, 0)
    assert (batch.written_BL >= task.vocabulary.outputs).any()
    torch.manual_seed(1)
    loss, _, _ = other.loss(other.build(), batch, None)
    assert math.isfinite(loss.item())
    loss.backward()
    assert task.loss(task.build(), batch, None)[0].item() != loss.item()


def test_a_killed_run_resumes_bit_for_bit(code: Path, tmp_path: Path) -> None:
    recipe = {"checkpoint_seconds": 0, "max_steps": 9}
    settings = values(code, train=recipe, model={"dropout": 0.3})
    assert_resumes(settings, tmp_path, (14, 31))


BAD = {
    "negative": ({"tokens": ["a"], "edges": {"k": [[-1, 0]]}, "summary": "x"}, "edges.k.0"),
    "huge": ({"tokens": ["a"], "edges": {"k": [[0, 10**30]]}, "summary": "x"}, "edges.k.0"),
    "float": ({"tokens": ["a"], "edges": {"k": [[0, 0.5]]}, "summary": "x"}, "edges.k.0"),
    "nan": ({"tokens": ["a"], "edges": {"k": [[0, float("nan")]]}, "summary": "x"}, "edges.k.0"),
    "triple": ({"tokens": ["a"], "edges": {"k": [[0, 0, 0]]}, "summary": "x"}, "edges.k.0"),
    "nested": ({"tokens": ["a"], "edges": {"k": [[[0], 0]]}, "summary": "x"}, "edges.k.0"),
    "list": ([1, 2], "expected a table"),
    "number": ({"tokens": [1], "summary": "x"}, "tokens.0: expected a text"),
    "both": ({"tokens": ["a"], "text": "a", "summary": "x"}, "tokens or text"),
    "no summary": ({"tokens": ["a"]}, "summary: is missing"),
    "kinds": (
        {"tokens": ["a"], "edges": {str(n): [] for n in range(17)}, "summary": "x"},
        "17 kinds, 16 at most",
    ),
    "half": ({"tokens": ["\ud800"], "summary": "x"}, "half of a character"),
    "split": ({"tokens": ["a"], "summary": "x", "split": "dev"}, "split"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_line_is_named(name: str, tmp_path: Path) -> None:
    value, message = BAD[name]
    path = jsonl(tmp_path / "bad.jsonl", {"tokens": ["a"], "summary": "b"}, value)
    with pytest.raises(WorkingsError, match=rf"bad.jsonl: line 2: .*{message}"):
        task_of(path).settle()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"\n\n", "nothing to summarise"),
        (b"[" * 100_000, "line 1: .*nested too deeply"),
        (b'{"tokens": [], "summary": "a"}\n', "nothing to summarise .*1 left out"),
        (b'{"tokens": ["a"], "summary": "a"}\n', "the (valid|train) split is empty"),
        (b"\xff\xfe{}", "line 1: is not JSON"),
        (b'{"summary": "a", "text": "' + b"x" * (1 << 22), "line 1: longer than"),
    ],
)
def test_a_bad_file_is_said_in_one_line(content: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_bytes(content)
    with pytest.raises(WorkingsError, match=message):
        task_of(path).encoded  # noqa: B018


def test_files_that_do_not_parse_are_left_out_and_counted(tmp_path: Path) -> None:
    root = folder(tmp_path / "code")
    (root / "broken.py").write_text("def f(:\n")
    for _ in range(2):  # parsed, and from the cache
        notes = task_of(root).corpus.notes.lines()
        assert any("not parsed: broken: " in line for line in notes)
    assert "broken" in task_of(root).describe()


def test_duplicates_are_in_one_split_only(tmp_path: Path) -> None:
    """Those that a file gives to train and test stay in test."""
    same = {"tokens": ["a", "b"], "summary": "one"}
    lines = [{**same, "split": split} for split in ("train", "test")]
    lines += [
        {"tokens": [name], "summary": name, "split": split}
        for split, name in (("train", "x"), ("valid", "y"), ("test", "z"))
    ]
    path = jsonl(tmp_path / "given.jsonl", *lines)
    parts = task_of(path).corpus.splits
    assert {split: len(part) for split, part in parts.items()} == {
        "train": 1,
        "valid": 1,
        "test": 2,
    }
    kept = task_of(path, data={"duplicates": "keep"})
    assert [leak.grave for leak in kept.leaks(kept.build())] == [False]


def test_prose_has_edges_within_and_between_sentences(tmp_path: Path) -> None:
    blocks = [f"about {n}\nThe {n} is here. We saw the {n}.\n" for n in ("cat", "dog", "hen")]
    blocks += [f"about {n}\nThe {n} is here. We met the {n}.\n" for n in ("ant", "fox", "owl")]
    path = tmp_path / "texts.txt"
    path.write_text("\n".join(blocks))
    task = task_of(path)
    assert task.corpus.kinds == ("next", "same word", "sentence")
    snippet = task.corpus.everything()[0]
    assert snippet.tokens[:2] == ("the", snippet.summary[1])
    assert [0, 1] in snippet.edges["sentence"].tolist()
    assert [0, 5] not in snippet.edges["sentence"].tolist()
    same = [(snippet.tokens[a], snippet.tokens[b]) for a, b in snippet.edges["same word"].tolist()]
    assert set(same) == {("the", "the"), (snippet.summary[1],) * 2}


def test_the_command_shows_and_evaluates(
    code: Path, run: Run, workings: Command, tmp_path: Path
) -> None:
    status, out, _ = workings("data", "show", code, "--json")
    assert status == 0
    assert json.loads(out)["edges"].startswith("next token ")
    status, out, err = workings("eval", run.folder.path, "--data", code, "--json")
    assert status == 0, err
    assert json.loads(out)["metrics"]["f1"] > 0.5
    file = jsonl(tmp_path / "odd.jsonl", {"tokens": ["a"], "edges": {"odd": []}, "summary": "b"})
    for command in (
        ["eval", run.folder.path, "--data", file],
        ["summarise", run.folder.path, file],
    ):
        status, _, err = workings(*command)
        assert status == 2
        assert "edges of the kind 'odd'; this run knows 'next token'" in err


def test_summarise_names_functions_and_says_what_it_looked_at(
    run: Run, workings: Command, tmp_path: Path
) -> None:
    file = tmp_path / "mine.py"
    file.write_text(module("page").partition("\n\n")[2])
    status, out, err = workings("summarise", run.folder.path, file, "--top", "2", "--json")
    assert status == 0, err
    (functions,) = json.loads(out).values()
    first = functions[0]
    assert (first["label"], first["line"]) == ("check_page", 2)
    assert len(first["summaries"]) == 2
    likeliest, other = (share for _, share in first["summaries"])
    assert 1 >= likeliest >= other > 0
    assert [look["word"] for look in first["looked_at"]] == first["summaries"][0][0].split()
    assert all(look["tokens"][0][1] >= look["tokens"][-1][1] for look in first["looked_at"])
    status, out, _ = workings("summarise", run.folder.path, file)
    assert f"{file}:2: check_page" in out
    file.write_text("def f(:\n")
    status, _, err = workings("summarise", run.folder.path, file)
    assert (status, err.count("\n")) == (2, 1)


def test_a_chart_shows_what_the_first_test_snippet_is_looked_at_for(run: Run) -> None:
    (chart,) = run.task_charts().values()
    rows = chart.to_dict()["data"]["values"]
    by_word: dict[str, float] = {}
    for row in rows:
        by_word[row["word"]] = by_word.get(row["word"], 0.0) + row["weight"]
    assert list(by_word.values()) == pytest.approx([1.0] * len(by_word), abs=0.01)


def test_packages_become_a_set_that_can_be_trained_on(workings: Command, tmp_path: Path) -> None:
    file = tmp_path / "set.jsonl"
    status, out, err = workings("data", "functions", "--packages", "tomlkit", "-o", file, "--json")
    assert status == 0, err
    about = json.loads(out)
    assert about["functions"] > 100
    assert (about["projects"], about["not_parsed"]) == (1, 0)
    corpus = task_of(file).corpus
    assert len(corpus.everything()) == about["functions"]
    assert corpus.notes.counts["duplicates removed"] == 0
    assert workings("data", "functions", "-o", file)[0] == 2
    status, _, err = workings("data", "functions", "--packages", "tomlkt", "-o", tmp_path / "b")
    assert status == 2
    assert "did you mean tomlkit" in err


FIELDS = {
    "target": "docstring",
    "min_statements": 3,
    "special_methods": True,
    "max_tokens": 12,
    "max_words": 1,
    "duplicates": "keep",
    "split": "module",
    "split_seed": 2,
    "valid_share": 0.3,
    "test_share": 0.3,
    "subset": 20,
    "vocabulary": 12,
    "min_count": 4,
}


@pytest.mark.parametrize("key", FIELDS)
def test_every_field_of_the_data_changes_something(key: str, tmp_path: Path) -> None:
    root = folder(tmp_path / "code")
    (root / "twin.py").write_text(
        module("page") + "\n\ndef __len__(self):\n    a = 1\n    return a\n"
    )

    def read(**data: object) -> tuple[object, ...]:
        task = task_of(root, data=data)
        splits = [
            [(each.tokens, each.summary) for each in part] for part in task.corpus.splits.values()
        ]
        return splits, task.vocabulary.types

    assert read() == read()
    assert read(**{key: FIELDS[key]}) != read()


def test_a_loss_and_metrics_of_the_users_own(
    code: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = "from torch.nn import functional as F\n\n\n"
    source += "def twice(log_p, words):\n    return 2 * F.nll_loss(log_p, words)\n\n\n"
    source += (
        "def share(written, right):\n    return sum(map(str.__eq__, written, right)) / len(right)\n"
    )
    (tmp_path / "mine_summary.py").write_text(source)
    monkeypatch.chdir(tmp_path)
    recipe = {"max_steps": 2, "loss": "mine_summary:twice", "metrics": ["mine_summary:share"]}
    run = train(values(code, train=recipe), "run")
    assert run.result
    metrics = run.result["metrics"]
    assert metrics["test.share"] == metrics["test.exact_match"]
    (batch, *_) = run.task.batches(0, 0)
    plain = run.task.loss(run.model.eval(), batch, None)[0]
    for part in run.model.modules():
        if isinstance(part, Dropout):
            part.p = 0.0
    own = run.task.loss(run.model.train(), batch, None)[0]
    assert own.item() == pytest.approx(2 * plain.item(), rel=1e-5)
