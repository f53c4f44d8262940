"""The table: the figures, the best row and the p-values that stand in it."""

from pathlib import Path
from typing import Any

import pytest
from scipy import stats

from workings.report.answer import answer
from workings.report.table import Published, cells, clock, columns, lines
from workings.report.table_formats import as_json, markdown
from workings.study.file import StudyFile
from workings.study.summary import RowSummary, RunSummary, StudySummary


def row(name: str, values: list[float | None], **published: float) -> RowSummary:
    runs = [
        RunSummary(
            Path(name),
            seed,
            "finished" if value is not None else "failed",
            "" if value is not None else "it broke",
            result=None
            if value is None
            else {
                "metrics": {"test.perplexity": value, "valid.perplexity": value + 1},
                "parameters": 1234,
                "seconds": 90.0 * seed,
            },
        )
        for seed, value in enumerate(values, start=1)
    ]
    return RowSummary(name, {}, {k.replace("_", "."): v for k, v in published.items()}, "", runs)


def study(*rows: RowSummary, **changes: Any) -> StudySummary:
    file = StudyFile.model_validate(
        {"title": "t", "base": "language", "metric": "test.perplexity", "row": [{}]} | changes
    )
    return StudySummary("t", file, list(rows), lower_is_better=True)


def test_lines() -> None:
    first = row("a", [100.0, 104.0, 105.0], test_perplexity=101.0)
    a, b = lines(study(first, row("b", [90.0, 92.0, 93.0])))
    assert a.figures["test.perplexity"].mean == 103
    assert a.figures["test.perplexity"].deviation == pytest.approx(7**0.5)
    assert a.beside == {"test.perplexity": Published(101.0, 2.0, "agrees")}
    assert (a.compared.badges, b.compared.badges) == ([], ["best by validation", "best on test"])
    assert (b.compared.seeds, b.beside) == (None, {})
    # d = 10, 12, 12: t = 17 with two degrees of freedom
    assert a.compared.seeds
    assert a.compared.seeds.p_value == pytest.approx(0.003442, abs=1e-6)
    assert (a.compared.seeds.count, a.compared.over) == (3, "seeds")
    assert a.compared.interval == pytest.approx((103 - 6.5724, 103 + 6.5724), abs=1e-3)
    assert (a.parameters, a.seconds) == (1234, 180.0)


def test_a_p_value_is_corrected_for_the_rows_and_not_given_for_two_seeds() -> None:
    three, two = row("b", [90.0, 92.0, 93.0]), row("a", [100.0, 104.0])
    more = [row("c", [95.0, 98.0, 99.5]), row("d", [95.1, 98.0, 99.3])]
    table = study(three, *more, two)
    tests = [line.compared.seeds for line in lines(table)[1:]]
    p_c, p_d = (stats.ttest_rel(x, [90, 92, 93]).pvalue for x in ([95, 98, 99.5], [95.1, 98, 99.3]))
    assert [test and test.p_value for test in tests] == pytest.approx([p_c, p_d, None])
    assert p_d < p_c < 2 * p_d  # of the six pairs of four rows
    assert [test and test.corrected for test in tests] == pytest.approx([5 * p_c, 6 * p_d, None])
    at = columns(table).index("against the best, over seeds")
    assert [line[at] for line in cells(table)] == [
        "",
        "+5.83 (3.94 to 7.73), p = 0.028",
        "+5.80 (4.25 to 7.35), p = 0.023",
        "not given (2 seeds)",
    ]


def test_without_a_p_value_the_best_rows_are_still_marked() -> None:
    table = study(row("a", [3.0]), row("b", [2.0]), row("c", [2.0]))
    at = columns(table).index("best")
    assert [line[at] for line in cells(table)] == ["", *["by validation, on test"] * 2]


def test_a_column_that_no_row_fills_is_left_out() -> None:
    assert columns(study(row("a", [1.5]))) == ["row", "test perplexity", "parameters", "time"]
    assert cells(study(row("a", [1.5]))) == [["a", "1.5000", "1,234", "1.5 min"]]
    full = study(row("a", [100.0, None], test_perplexity=120.0), also=["valid.perplexity"])
    assert columns(full) == [
        "row",
        "test perplexity",
        "published",
        "difference",
        "verdict",
        "valid perplexity",
        "parameters",
        "time",
        "state",
    ]
    assert cells(full)[0][:6] == ["a", "100.00", "120.00", "-20.00", "better (one run)", "101.00"]
    assert cells(full)[0][-1] == "1 of 2 failed"
    assert lines(full)[0].errors == ["it broke"]


@pytest.mark.parametrize(
    ("published", "word"),
    [
        (101.0, "agrees"),  # within 2% of it
        (96.5, "undecided"),  # the interval reaches from 96.43 to 109.57
        (109.5, "undecided"),
        (96.0, "worse"),
        (110.0, "better"),
    ],
)
def test_an_interval_that_covers_the_published_figure_decides_nothing(
    published: float, word: str
) -> None:
    made = study(row("a", [100.0, 104.0, 105.0], test_perplexity=published))
    assert lines(made)[0].beside["test.perplexity"].words == word
    assert cells(made)[0][columns(made).index("verdict")] == word
    assert as_json(made)["rows"][0]["verdict"] == word  # type: ignore[index]
    assert word in markdown(made)
    assert (word == "undecided") == ("covers what was published" in answer(made))


def test_a_verdict_of_one_run_without_an_interval_says_so() -> None:
    made = study(row("a", [100.0], test_perplexity=120.0), row("b", [90.0, 95.0, 92.0]))
    assert cells(made)[0][columns(made).index("verdict")] == "better (one run)"
    assert "measured better. That rests on one run, without an interval." in answer(made)


def test_other_metrics_stand_beside_what_was_published_of_them() -> None:
    one = study(
        row("a", [100.0], valid_perplexity=99.5), row("b", [3.0]), also=["valid.perplexity"]
    )
    at = columns(one).index("valid perplexity (published)")
    assert [line[at] for line in cells(one)] == ["101.00 (99.50 agrees (one run))", "4.00"]


def test_a_published_figure_is_compared_in_its_own_variant() -> None:
    """The source has the lowest training perplexity; ours of the best epoch is another thing."""
    one = row("a", [100.0], test_perplexity=100.0)
    one.published.update({"train.perplexity@lowest": 70.0, "epochs": 3, "valid.loss@other": 4.0})
    assert one.runs[0].result
    one.runs[0].result["metrics"]["train.perplexity"] = 90.0
    one.runs[0].result.update({"epochs": 4, "best_epoch": 2})
    one.runs[0].lines.extend(
        {"split": "train", "epoch": n, "perplexity": p} for n, p in enumerate((99.0, 90.0, 71.0))
    )
    table = study(one, also=["train.perplexity"])
    line, shown = lines(table)[0], dict(zip(columns(table), cells(table)[0], strict=True))
    assert line.beside["train.perplexity@lowest"] == Published(70.0, 1.0, "agrees", "one run")
    assert line.beside["epochs"] == Published(3, 1.0, "differs")
    assert line.beside["valid.loss@other"] == Published(4.0)
    assert shown["train perplexity"] == "90.00"
    lowest = "train perplexity, the lowest of all epochs (published)"
    assert shown[lowest] == "71.00 (70.00 agrees (one run))"
    assert (shown["best epoch"], shown["epochs (published)"]) == ("2", "4 (3 differs)")
    assert (
        "2 of 3 published figures agree within 2% (1 differs). 1 more is not compared."
    ) in answer(table)


def test_a_row_that_never_finished() -> None:
    found = lines(study(row("a", [None]), row("b", [2.0])))
    assert found[0].figures == {}
    assert found[0].state == "failed"
    assert not any(
        line.compared.badges for line in found
    )  # one measured row is not the best of several


def test_clock() -> None:
    assert [clock(s) for s in (None, 1.24, 90, 7200)] == ["", "1.2 s", "1.5 min", "2.0 h"]


def test_a_row_with_a_seed_that_diverged_is_not_judged_by_the_others() -> None:
    """The mean of those that did not diverge would flatter it."""
    partly = row("b", [90.0, 92.0, float("inf"), 93.0], test_perplexity=91.7)
    table = study(row("a", [100.0, 104.0, 99.0, 98.0]), partly)
    first, second = lines(table)
    assert str(second.figures["test.perplexity"]) == "91.67 ± 1.53 (3 of 4 seeds)"
    assert second.beside["test.perplexity"] == Published(91.7)
    assert (second.compared.interval, second.compared.badges) == (None, [])
    assert first.compared.seeds is None
    assert "“b”: some seeds finished without a finite test perplexity" in answer(table)
