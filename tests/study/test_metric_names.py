"""Full names of figures: taken apart, put into words, and which way they go."""

import pytest

from workings.study.metric_names import difference_within, lower_is_better, parts, within, words
from workings.tasks import TASKS


def test_parts_and_words() -> None:
    assert parts("train.perplexity@lowest") == ("train", "perplexity", "lowest")
    assert parts("parameters") == ("", "parameters", "")
    assert words("test.word_error_rate") == "test word error rate"
    assert words("train.perplexity@lowest") == "train perplexity, the lowest of all epochs"
    assert words("test.loss@other") == "test loss, measured in another way"


def test_every_metric_that_selects_weights_has_a_direction() -> None:
    for task in TASKS.values():
        assert lower_is_better(f"valid.{task.best}") == task.lower_is_better
    assert lower_is_better("test.roc_auc") is False
    counts = {"tokens", "images", "nodes", "graphs", "edges", "clips", "decoded", "summaries"}
    metrics = {metric for task in TASKS.values() for metric in task.METRICS} - counts
    assert [metric for metric in metrics if lower_is_better(f"test.{metric}") is None] == []
    assert lower_is_better("test.half_life") is None


@pytest.mark.parametrize(
    ("metric", "interval"),
    [
        ("test.accuracy", (0.0, 1.0)),
        ("test.word_error_rate", (0.0, 1.2)),
        ("test.exponent", (-0.1, 1.2)),
    ],
)
def test_an_interval_ends_where_a_figure_does(metric: str, interval: tuple[float, float]) -> None:
    assert within((-0.1, 1.2), metric) == interval


def test_a_difference_of_shares_is_within_one() -> None:
    assert difference_within((-3.6, 2.7), "test.accuracy") == (-1.0, 1.0)
    assert difference_within((-0.2, 0.1), "test.accuracy") == (-0.2, 0.1)
    assert difference_within((-3.6, 2.7), "test.perplexity") == (-3.6, 2.7)
