"""Rows compared on the same examples: which test is used, on what it rests, what is not ranked."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from workings.report.answer import answer
from workings.report.explain import simpler
from workings.report.table import cells
from workings.report.table import columns as heads
from workings.run.folder import examples_file
from workings.study import comparable
from workings.study import compare as compare_module
from workings.study.bootstrap import ratios
from workings.study.choice import rankings
from workings.study.compare import Compared, compare
from workings.study.file import StudyFile
from workings.study.statistics import Comparison
from workings.study.summary import RowSummary, RunSummary, StudySummary
from workings.tasks.examples import Examples

DRAW = np.random.default_rng(11)


def run(
    folder: Path,
    metric: str,
    value: float,
    seed: int = 1,
    columns: Any = None,
    sha: str = "s",
    unit: str = "image",
) -> RunSummary:
    """A finished run; columns: what it made of each test example."""
    folder.mkdir(parents=True)
    result: Any = {
        "metrics": {f"test.{metric}": value, f"valid.{metric}": value},
        "data": {"sha256": sha, "about": f"data {sha}"},
        "baselines": {"guess": {f"test.{metric}": len(sha) / 10}},
    }
    if columns is not None:
        examples = Examples(unit, sha, columns)
        examples_file.write(folder, {"test": examples})
        result["examples"] = {"test": examples_file.record(examples)}
    return RunSummary(folder, seed, "finished", result=result)


def study(metric: str, rows: dict[str, list[RunSummary]]) -> StudySummary:
    file = {"title": "t", "base": "images", "metric": f"test.{metric}", "row": [{}]}
    made = [RowSummary(name, {}, {}, "", runs) for name, runs in rows.items()]
    lower = metric in ("perplexity", "word_error_rate")
    return StudySummary("t", StudyFile.model_validate(file), made, lower)


def hits(share: float, count: int = 200) -> dict[str, np.ndarray]:
    return {"hit": (DRAW.random(count) < share).astype(np.uint8)}


def test_one_seed_of_classifiers_is_mcnemars(tmp_path: Path) -> None:
    a, b = hits(0.9), hits(0.6)
    rows = {
        name: [run(tmp_path / name, "accuracy", float(each["hit"].mean()), columns=each)]
        for name, each in (("a", a), ("b", b))
    }
    summary = study("accuracy", rows)
    found = compare(summary)
    test = found["b"].examples
    assert test
    only_a, only_b = (int(((x == 1) & (y == 0)).sum()) for x, y in _both(a["hit"], b["hit"]))
    assert test.test == "McNemar's exact test"
    assert test.p_value == pytest.approx(stats.binomtest(only_b, only_a + only_b).pvalue)
    assert found["a"].interval == pytest.approx(
        tuple(stats.binomtest(int(a["hit"].sum()), 200).proportion_ci(method="exact"))
    )
    said = answer(summary)
    assert "On the same 200 images the difference between these two trained models is more" in said
    assert said.endswith("Whether other seeds would show it, one seed cannot tell.")


def _both(a: np.ndarray, b: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    return [(a, b), (b, a)]


def test_perplexities_of_several_seeds_are_compared_by_their_means(tmp_path: Path) -> None:
    tokens = DRAW.integers(5, 30, 150).astype(np.int32)
    rows: dict[str, list[RunSummary]] = {}
    nll: dict[str, list[np.ndarray]] = {}
    for name, worse in (("a", 0.0), ("b", 0.05)):
        for seed in (1, 2):
            sums = (DRAW.gamma(40, 0.1, 150) * tokens + worse * tokens).astype(np.float32)
            value = math.exp(sums.sum() / tokens.sum())
            columns = {"nll": sums, "tokens": tokens}
            nll.setdefault(name, []).append(sums.astype(float))
            made = run(tmp_path / f"{name}{seed}", "perplexity", value, seed, columns)
            rows.setdefault(name, []).append(made)
    found = compare(study("perplexity", rows))
    best, other = ("a", "b") if found["a"].badges else ("b", "a")
    test = found[other].examples
    assert test
    assert (test.test, test.seeds, test.count) == ("the paired bootstrap", 2, 150)
    (oracle,) = ratios((np.mean(nll[other], 0) - np.mean(nll[best], 0))[None], tokens)
    assert test.p_value == oracle.p_value
    assert test.difference == pytest.approx(math.expm1(oracle.value))
    assert test.relative
    assert found[other].seeds
    assert found[other].seeds.why_not == "it takes 3 seeds"
    assert found[best].over == "examples"


def test_pairs_are_compared_by_delong(tmp_path: Path) -> None:
    label = np.repeat([1, 0], 60).astype(np.uint8)
    rows = {}
    for name, strength in (("a", 2.0), ("b", 0.3)):
        score = (DRAW.normal(size=120) + strength * label).astype(np.float32)
        u = float(stats.mannwhitneyu(score[label == 1], score[label == 0]).statistic) / 3600
        columns = {"score": score, "label": label}
        rows[name] = [run(tmp_path / name, "roc_auc", u, columns=columns)]
    found = compare(study("roc_auc", rows))
    assert found["b"].examples
    assert found["b"].examples.test == "DeLong's test"
    assert found["b"].examples.p_value is not None
    assert found["b"].examples.p_value < 0.001


def test_other_test_examples_are_not_ranked_with_these(tmp_path: Path) -> None:
    """Each group has its own best row and its own baselines; a lone row is the best of nothing."""
    shas = {"a": "s", "b": "s", "c": "longer"}
    rows = {}
    for name, sha in shas.items():
        columns = hits({"a": 0.9, "b": 0.8, "c": 0.99}[name])
        value = float(columns["hit"].mean())
        rows[name] = [run(tmp_path / name, "accuracy", value, columns=columns, sha=sha)]
    summary = study("accuracy", rows)
    found = compare(summary)
    assert {name: (each.group, each.badges) for name, each in found.items()} == {
        "a": (0, ["best by validation", "best on test"]),
        "b": (0, []),
        "c": (1, []),
    }
    assert found["c"].examples is None
    assert "2 groups that are not ranked together" in answer(summary)
    assert [row[heads(summary).index("group")] for row in cells(summary)] == ["A", "A", "B"]
    assert simpler(summary) == [
        "Simpler methods on the same data of group A: guess 0.1000.",
        "Simpler methods on the same data of group B: guess 0.6000.",
    ]


def test_runs_without_examples_are_grouped_by_data_and_how_it_was_read(tmp_path: Path) -> None:
    rows = {}
    for name, level in (("words", "word"), ("also words", "word"), ("characters", "char")):
        made = run(tmp_path / name, "perplexity", 10.0)
        made.config.update({"task": "language", "data.level": level, "data.train": name})
        rows[name] = [made]
    found = compare(study("perplexity", rows))
    assert [each.group for each in found.values()] == [0, 0, 1]
    test = found["also words"].examples
    assert test
    assert test.why_not.startswith(f"`workings eval {tmp_path}")


def test_examples_that_give_another_figure_are_not_used(tmp_path: Path) -> None:
    rows = {
        name: [run(tmp_path / name, "accuracy", 0.5, columns={"hit": np.ones(50, np.uint8)})]
        for name in ("a", "b")
    }
    test = compare(study("accuracy", rows))["b"].examples
    assert test
    assert test.p_value is None
    assert "its examples give another figure" in test.why_not


def test_seeds_with_examples_of_their_own_are_not_averaged(tmp_path: Path) -> None:
    rows: dict[str, list[RunSummary]] = {}
    for name in ("a", "b"):
        for seed in (1, 2):
            columns = hits(0.8)
            value = float(columns["hit"].mean())
            made = run(tmp_path / f"{name}{seed}", "accuracy", value, seed, columns, f"s{seed}")
            rows.setdefault(name, []).append(made)
    found = compare(study("accuracy", rows))
    assert {each.group for each in found.values()} == {0}
    test = found["b"].examples or found["a"].examples
    assert test
    assert test.why_not == "each seed has its own test examples"


def test_sentences_of_a_text_are_drawn_in_blocks_though_one_seed_is_compared(
    tmp_path: Path,
) -> None:
    """Articles that one model gets all right and the other all wrong are few, however long."""
    a = np.repeat([1, 1, 0, 1, 0, 1, 1, 0, 1, 1], 100).astype(np.uint8)
    b = np.repeat([1, 0, 0, 1, 1, 1, 0, 0, 1, 0], 100).astype(np.uint8)
    for unit in ("image", "sentence"):
        rows = {
            name: [run(tmp_path / unit / name, "accuracy", x.mean(), columns={"hit": x}, unit=unit)]
            for name, x in (("a", a), ("b", b))
        }
        test = compare(study("accuracy", rows))["b"].examples
        assert test
        assert test.p_value
        assert test.difference == pytest.approx(-0.2)
        assert (test.p_value < 0.001) == (unit == "image")
        assert (test.p_value > 0.2) == (unit == "sentence")
    assert test.test == "Student's t-test over blocks"


def test_rows_chosen_by_the_examples_that_are_tested_are_corrected_for_all_pairs(
    tmp_path: Path,
) -> None:
    rows = {}
    for number in range(5):
        columns = hits(0.9 - 0.03 * number)
        made = run(
            tmp_path / str(number), "accuracy", float(columns["hit"].mean()), columns=columns
        )
        rows[str(number)] = [made]
    corrected, raw = {}, [0.01, 0.02, 0.03, 0.04]
    for metric in ("test.accuracy", "valid.accuracy"):
        summary = study("accuracy", rows)
        file = summary.file.model_copy(update={"metric": metric})
        summary = replace(summary, file=file)
        (ranking,) = rankings(summary)
        assert ranking.by_validation == (metric == "test.accuracy")
        corrected[metric] = compare_module._corrected(
            {
                name: Compared(
                    0,
                    [],
                    examples=Comparison("", "examples", 9, "image", p_value=p_value),
                    seeds=Comparison("", "seeds", 1, "seed"),
                )
                for name, p_value in zip(list(rows)[1:], raw, strict=True)
            },
            [ranking],
        )
    by_others = [c.examples.corrected for c in corrected["test.accuracy"].values() if c.examples]
    by_itself = [c.examples.corrected for c in corrected["valid.accuracy"].values() if c.examples]
    assert by_others == pytest.approx(_holm(raw, 4))
    assert by_itself == pytest.approx(_holm(raw, 10))  # all pairs of five rows


def _holm(p_values: list[float], comparisons: int) -> list[float]:
    largest, made = 0.0, []
    for rank, p_value in enumerate(sorted(p_values)):
        largest = max(largest, min(1.0, (comparisons - rank) * p_value))
        made.append(largest)
    return made


@pytest.mark.parametrize(
    ("unit", "data", "share"),
    [
        ("image", {"units": 400}, 0.5),
        ("image", {"units": 400, "trained": 800}, 0.25),
        ("pair", {"units": 400, "trained": 222}, 200 / 222),
        ("pair", {"units": 400}, None),  # nodes, in results of older versions
        ("edge", {"units": 400}, None),
    ],
)
def test_the_share_is_of_examples_of_the_same_kind(
    unit: str, data: dict[str, Any], share: float | None, tmp_path: Path
) -> None:
    runs = []
    for seed in (1, 2):
        made = run(tmp_path / str(seed), "accuracy", 0.5, seed, hits(0.5), str(seed), unit)
        assert made.result
        made.result["data"] |= data  # type: ignore[typeddict-item]
        runs.append(made)
    assert comparable.test_share(RowSummary("a", {}, {}, "", runs), "test.accuracy") == share
