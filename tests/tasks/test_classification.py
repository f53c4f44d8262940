"""The metrics of a classifier against their definitions, counted by hand or in a plain loop."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from torch.nn import functional as F

from workings.tasks import classification as c

# Rows are true classes: 3 of class 0 (2 measured), 2 of class 1 (1 measured), none of class 2.
LABELS = torch.tensor([0, 0, 0, 1, 1])
PREDICTED = torch.tensor([0, 0, 2, 1, 0])
COUNTS = torch.tensor([[2, 0, 1], [1, 1, 0], [0, 0, 0]])


def drawn(n: int, classes: int, seed: int) -> tuple[torch.Tensor, torch.Tensor]:
    draw = torch.Generator().manual_seed(seed)
    logits = 2 * torch.randn(n, classes, generator=draw)
    return logits, torch.randint(0, classes, (n,), generator=draw)


def test_a_row_is_the_true_class_and_a_column_the_predicted_one() -> None:
    assert c.confusion(PREDICTED, LABELS, 3).tolist() == COUNTS.tolist()


def test_the_figures_of_a_small_case() -> None:
    assert c.accuracy(COUNTS) == pytest.approx(3 / 5)
    assert c.balanced_accuracy(COUNTS) == pytest.approx((2 / 3 + 1 / 2) / 2)
    torch.testing.assert_close(c.recall(COUNTS)[:2], torch.tensor([2 / 3, 1 / 2]).double())
    torch.testing.assert_close(c.precision(COUNTS), torch.tensor([2 / 3, 1.0, 0.0]).double())
    assert math.isnan(c.recall(COUNTS)[2])


def test_what_is_undefined_is_none_in_the_table() -> None:
    counts = torch.tensor([[2, 0], [0, 0]])
    table = c.by_class(counts, ("cat", "dog"))
    assert table == [
        {"class": "cat", "examples": 2, "precision": 1.0, "recall": 1.0},
        {"class": "dog", "examples": 0, "precision": None, "recall": None},
    ]


@given(st.integers(1, 60), st.integers(2, 6), st.integers(0, 10**6))
def test_a_plain_loop_finds_the_same(n: int, classes: int, seed: int) -> None:
    logits, labels = drawn(n, classes, seed)
    predicted = logits.argmax(1).tolist()
    pairs = list(zip(labels.tolist(), predicted, strict=True))
    measured = c.metrics(logits, labels)
    assert measured["accuracy"] == pytest.approx(sum(a == b for a, b in pairs) / n)
    recalls = [
        sum(a == b for a, b in pairs if a == k) / sum(a == k for a, _ in pairs)
        for k in range(classes)
        if any(a == k for a, _ in pairs)
    ]
    assert measured["balanced_accuracy"] == pytest.approx(sum(recalls) / len(recalls))
    assert measured["loss"] == pytest.approx(F.cross_entropy(logits.double(), labels).item())


@given(st.integers(1, 80), st.integers(2, 5), st.integers(0, 10**6), st.integers(1, 20))
def test_the_calibration_error_is_its_definition(
    n: int, classes: int, seed: int, bins: int
) -> None:
    logits, labels = drawn(n, classes, seed)
    p = logits.double().softmax(1)
    expected = 0.0
    for b in range(bins):
        inside = [
            (p[i].max().item(), int(p[i].argmax() == labels[i]))
            for i in range(n)
            if b / bins < p[i].max().item() <= (b + 1) / bins
        ]
        if inside:
            sure = sum(confidence for confidence, _ in inside) / len(inside)
            right = sum(hit for _, hit in inside) / len(inside)
            expected += len(inside) / n * abs(right - sure)
    assert c.calibration_error(p, labels, bins) == pytest.approx(expected, abs=1e-9)


def test_a_model_that_knows_how_often_it_is_right_has_no_calibration_error() -> None:
    p = torch.tensor([[0.75, 0.25]]).expand(4, 2)
    assert c.calibration_error(p, torch.tensor([0, 0, 0, 1])) == pytest.approx(0.0)
    assert c.calibration_error(p, torch.tensor([0, 0, 0, 0])) == pytest.approx(0.25)


def test_certainty_falls_into_the_last_bin() -> None:
    (row,) = c.calibration(torch.tensor([[1.0, 0.0]]), torch.tensor([0]), 4)
    assert row == {"from": 0.75, "to": 1.0, "examples": 1, "confidence": 1.0, "accuracy": 1.0}


def test_log_probabilities_and_logits_give_the_same() -> None:
    logits, labels = drawn(40, 4, 1)
    measured, again = c.metrics(logits, labels), c.metrics(logits.log_softmax(1), labels)
    assert measured == pytest.approx(again, rel=1e-6)


def test_mistakes_come_with_the_surest_first() -> None:
    p = torch.tensor([[0.6, 0.4], [0.9, 0.1], [0.2, 0.8], [0.45, 0.55]])
    assert c.surest_mistakes(p, torch.tensor([1, 1, 1, 0])).tolist() == [1, 0, 3]


def test_the_details_add_up() -> None:
    logits, labels = drawn(50, 3, 2)
    measured = c.details(logits, labels, ("a", "b", "c"))
    assert sum(map(sum, measured["confusion"]["counts"])) == 50
    assert sum(row["examples"] for row in measured["classes"]) == 50
    assert sum(row["examples"] for row in measured["calibration"]["rows"]) == 50
    assert measured["confusion"]["names"] == ["a", "b", "c"]
    assert measured["calibration"]["bins"] == c.BINS


def test_an_edge_belongs_to_the_bin_below() -> None:
    (row,) = c.calibration(torch.tensor([[0.5, 0.5]]), torch.tensor([0]), 2)
    assert (row["from"], row["to"]) == (0.0, 0.5)


@pytest.mark.parametrize("classes", [2, 4])
def test_the_roc_auc_is_that_of_mann_and_whitney_the_mean_over_the_classes(classes: int) -> None:
    logits, labels = drawn(60, classes, 3)
    p, areas = logits.double().softmax(1), []
    for k in range(classes):
        own, others = p[labels == k, k], p[labels != k, k]
        u = stats.mannwhitneyu(own.numpy(), others.numpy()).statistic
        areas.append(u / (len(own) * len(others)))
    assert c.metrics(logits, labels)["roc_auc"] == pytest.approx(sum(areas) / classes)


def test_examples_of_one_class_have_no_roc_auc() -> None:
    assert "roc_auc" not in c.metrics(torch.randn(3, 2), torch.ones(3).long())
