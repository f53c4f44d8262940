"""The answer in words: the best row, its p-value, published figures, what is not finished."""

import math

import pytest

from tests.report.summaries import row, run, study
from workings.report.answer import answer
from workings.study.summary import RowSummary


@pytest.mark.parametrize(
    ("rows", "lower", "said"),
    [
        (
            [row("a", [10.0]), row("b", [8.0])],
            True,
            "Validation chooses “b”, with a test perplexity of 8.00: 2.00 (20.0%) below “a”. "
            "Whether other seeds would show it, one seed cannot tell.",
        ),
        (
            [row("a", [10.0, 10.2, 10.1]), row("b", [8.0, 8.1, 8.3]), row("c", [20.0] * 3)],
            False,
            "Validation chooses “c”, with a test perplexity of 20.00: 9.90 (98.0%) above the next, "
            "“a”. Over 3 seeds that is more than chance (Student's paired t-test, p < 0.001 with "
            "Holm's correction).",
        ),
        (
            [row("a", [10.0, 8.0]), row("b", [8.0, 9.0])],
            True,
            "Validation chooses “b”, with a test perplexity of 8.50: 0.5000 (5.6%) below “a”. "
            "Whether other seeds would show it, 2 seeds cannot tell.",
        ),
        (
            [row("a", [10.0, 8.0, 9.5]), row("b", [8.0, 9.0, 7.75])],
            True,
            "Over 3 seeds that may be chance (Student's paired t-test, p = 0.441).",
        ),
        (
            [row("a", [5.0, 6.0, 8.0]), row("b", [4.0, 5.0, 7.0])],
            True,
            "No p-value is given over 3 seeds: the difference is the same with every seed.",
        ),
        (
            [row("a", [5.0]), row("b", [5.0])],
            True,
            "“a” and “b” share the lowest valid perplexity, 5.50.",
        ),
        ([row("a", [5.0, 7.0])], True, "“a” has a test perplexity of 6.00 ± 1.41."),
        ([row("a", [5.0], 5.05)], True, "The one published figure agrees within 2%."),
        ([row("a", [5.0], 6.0)], True, "does not agree within 2%: measured better."),
        ([row("a", [5.0], 5.0), row("b", [6.0], 6.0)], True, "Both published figures agree"),
        (
            [row("a", [5.0], 5.0), row("b", [6.0], 5.0), row("c", [4.0], 5.0)],
            True,
            "1 of 3 published figures agree within 2% (1 measured better, 1 measured worse).",
        ),
        (
            [row("a", [5.0]), RowSummary("b", {}, {}, "", [run(1, None, [])])],
            True,
            "1 row is not finished: this may change.",
        ),
        (
            [row("a", [5.0]), row("b", [math.nan])],
            True,
            "“a” has a test perplexity of 5.00. “b”: finished without a finite test perplexity.",
        ),
        ([row("a", [5.0]), row("b", [2e82])], True, "of 5.00: 2e+82 (100.0%) below “b”."),
        ([row("two\n\nlines " + 90 * "x", [5.0])], True, "“two lines " + 69 * "x" + "…” has"),
    ],
)
def test_the_answer(rows: list[RowSummary], lower: bool, said: str) -> None:
    assert said in answer(study(rows, lower=lower))


def test_a_row_that_is_better_on_the_test_data_only_is_not_the_best() -> None:
    chosen, lucky = row("chosen", [8.0]), row("lucky", [7.0])
    for each, valid in ((chosen, 9.0), (lucky, 10.0)):
        assert each.runs[0].result
        each.runs[0].result["metrics"]["valid.perplexity"] = valid
    assert (
        "Validation chooses “chosen”, with a test perplexity of 8.00: 1.0000 (14.3%) above “lucky”"
        ", which is better on the test data but was not chosen."
    ) in answer(study([chosen, lucky]))


def test_a_measurement_has_no_validation() -> None:
    rows = [row("a", [10.0]), row("b", [8.0])]
    file = {"base": "", "measure": "vanishing"}
    assert answer(study(rows, file=file)).startswith(
        "“b” has the lowest test perplexity, 8.00: 2.00 (20.0%) below “a”."
    )
