"""Figures that are too good to be true are questioned, good ones are not."""

import pytest

from workings.tasks.plausible import questions

WORDS = {"unigram": {"test.perplexity": 640.0}, "trigram": {"test.perplexity": 148.0}}
CLASSES = {"linear": {"test.accuracy": 0.84}, "most frequent class": {"test.accuracy": 0.1}}


@pytest.mark.parametrize(
    ("metrics", "baselines", "questioned"),
    [
        ({"test.perplexity": 58.0}, WORDS, False),
        ({"test.perplexity": 20.5}, WORDS, False),  # the best that is known
        ({"test.perplexity": 4.0}, WORDS, True),
        ({"test.perplexity": 12.0}, WORDS, True),
        ({"test.perplexity": 12.3}, WORDS, False),  # the root of 148 is 12.17
        (
            {"test.perplexity": 2.3, "test.bits_per_char": 1.2},
            {"t": {"test.perplexity": 6.5}},
            False,
        ),
        (
            {"test.perplexity": 1.8, "test.bits_per_char": 0.8},
            {"t": {"test.perplexity": 6.5}},
            True,
        ),
        ({"test.perplexity": 1.01}, {"trigram": {"test.perplexity": 1.2}}, False),  # regular text
        ({"test.accuracy": 0.999, "test.images": 10_000}, CLASSES, False),
        ({"test.accuracy": 1.0, "test.images": 10_000}, CLASSES, True),
        ({"test.accuracy": 1.0, "test.nodes": 30}, CLASSES, False),  # too few to tell
        ({"test.accuracy": 1.0, "test.nodes": 100}, {"linear": {"test.accuracy": 0.99}}, False),
        ({"test.accuracy": 1.0, "test.nodes": 60}, {"linear": {"test.accuracy": 0.967}}, False),
        ({"test.accuracy": 1.0, "test.nodes": 300}, {"linear": {"test.accuracy": 0.967}}, True),
        ({"test.roc_auc": 1.0, "test.edges": 500}, {"common": {"test.roc_auc": 0.7}}, True),
        ({"test.roc_auc": 0.93, "test.edges": 500}, {"common": {"test.roc_auc": 0.7}}, False),
        ({"test.character_error_rate": 0.0}, {}, False),
    ],
)
def test_a_figure_and_the_baselines_beside_it(
    metrics: dict[str, float], baselines: dict[str, dict[str, float]], questioned: bool
) -> None:
    asked = questions(metrics, baselines)
    assert bool(asked) == questioned
    assert all("check that nothing" in question for question in asked)


def test_the_question_has_both_figures() -> None:
    (asked,) = questions({"test.perplexity": 4.0}, WORDS)
    assert "4.00" in asked
    assert "148.0" in asked
