"""Metrics of a classifier, from its logits and the right classes; for images, nodes, anything.

Everything is counted in float64 on the CPU, so that a metric does not depend on a device.
"""

# N examples, C classes

import math
from collections.abc import Sequence
from typing import TypedDict

import torch
from torch import Tensor

from workings.tasks.ranking import roc_auc


class Bin(TypedDict("Bin", {"from": float, "to": float})):
    """The examples whose confidence is in (from, to]."""

    examples: int
    confidence: float  # the mean
    accuracy: float


ClassRow = TypedDict(
    "ClassRow",
    {"class": str, "examples": int, "precision": float | None, "recall": float | None},
)


class ConfusionTable(TypedDict):
    """Counts by true class and predicted class."""

    names: list[str]
    counts: list[list[int]]


class CalibrationTable(TypedDict):
    """The bins of the calibration error that have examples, of so many."""

    bins: int
    rows: list[Bin]


class Details(TypedDict):
    """The tables of an evaluation, as JSON holds them."""

    classes: list[ClassRow]
    confusion: ConfusionTable
    calibration: CalibrationTable


BINS = 15  # of equal width, from 0 to 1, as in Guo et al. (2017)


def confusion(predicted_N: Tensor, labels_N: Tensor, classes: int) -> Tensor:
    """Counts C×C: row i, column j holds the examples of class i that were taken for class j."""
    pairs_N = labels_N.cpu() * classes + predicted_N.cpu()
    return torch.bincount(pairs_N, minlength=classes * classes).view(classes, classes)


def accuracy(counts_CC: Tensor) -> float:
    """The share of examples that were given their own class."""
    return counts_CC.diag().sum().item() / max(1, int(counts_CC.sum()))


def recall(counts_CC: Tensor) -> Tensor:
    """Of each class's examples, the share that was found; NaN for a class without examples."""
    return counts_CC.diag().double() / counts_CC.sum(1)


def precision(counts_CC: Tensor) -> Tensor:
    """Of what was taken for each class, the share that is of it; NaN where nothing was."""
    return counts_CC.diag().double() / counts_CC.sum(0)


def balanced_accuracy(counts_CC: Tensor) -> float:
    """The mean recall of the classes that have examples: every class counts alike."""
    return recall(counts_CC).nanmean().item()


def calibration(probabilities_NC: Tensor, labels_N: Tensor, bins: int = BINS) -> list[Bin]:
    """How sure and how right the model is, by bins of its confidence; empty bins are left out.

    Confidence is the largest probability; bin b holds those in (b/bins, (b+1)/bins].
    """
    confidence_N, predicted_N = probabilities_NC.detach().cpu().double().max(1)
    right_N = (predicted_N == labels_N.cpu()).double()
    bin_N = (confidence_N * bins).ceil().long().sub_(1).clamp_(0, bins - 1)
    counts, sure, right = (
        torch.zeros(bins, dtype=torch.double).index_add_(0, bin_N, each)
        for each in (torch.ones_like(right_N), confidence_N, right_N)
    )
    return [
        {
            "from": b / bins,
            "to": (b + 1) / bins,
            "examples": int(counts[b]),
            "confidence": (sure[b] / counts[b]).item(),
            "accuracy": (right[b] / counts[b]).item(),
        }
        for b in counts.nonzero().flatten().tolist()
    ]


def calibration_error(probabilities_NC: Tensor, labels_N: Tensor, bins: int = BINS) -> float:
    """Expected calibration error, Σ_b n_b/N · |accuracy_b - confidence_b| over equal bins."""
    rows = calibration(probabilities_NC, labels_N, bins)
    total = sum(row["examples"] * abs(row["accuracy"] - row["confidence"]) for row in rows)
    return total / max(1, len(labels_N))


def one_against_rest(logits_NC: Tensor, labels_N: Tensor) -> float:
    """The mean, over the classes, of the ROC-AUC of a class's probability: its own, others'.

    Of two classes it is the ROC-AUC of the second. A class without examples does not count; the
    others must be two or more.
    """
    labels_N = labels_N.cpu()
    if logits_NC.shape[1] == 2:  # not of probabilities: those near 1 are rounded to it
        margin_N = margin(logits_NC)
        return roc_auc(margin_N[labels_N == 1], margin_N[labels_N == 0])
    p_NC = logits_NC.detach().cpu().double().softmax(1)
    classes = labels_N.unique().tolist()
    areas = [roc_auc(p_NC[labels_N == c, c], p_NC[labels_N != c, c]) for c in classes]
    return sum(areas) / len(areas)


def margin(logits_N2: Tensor) -> Tensor:
    """Of two classes, by how much the logit of the second is above that of the first."""
    logits_N2 = logits_N2.detach().cpu().double()
    return logits_N2[:, 1] - logits_N2[:, 0]


def metrics(logits_NC: Tensor, labels_N: Tensor) -> dict[str, float]:
    """Loss (mean cross-entropy, in nats), accuracy, balanced accuracy, ROC-AUC, calibration error.

    logits_NC: unnormalised, or log-probabilities: their softmax is the same. Examples of one class
    have no ROC-AUC.
    """
    log_p_NC = logits_NC.detach().cpu().double().log_softmax(1)
    labels_N = labels_N.cpu()
    counts_CC = confusion(log_p_NC.argmax(1), labels_N, log_p_NC.shape[1])
    ranked = len(labels_N.unique()) > 1
    return {
        "loss": torch.nn.functional.nll_loss(log_p_NC, labels_N).item(),
        "accuracy": accuracy(counts_CC),
        "balanced_accuracy": balanced_accuracy(counts_CC),
        **({"roc_auc": one_against_rest(logits_NC, labels_N)} if ranked else {}),
        "calibration_error": calibration_error(log_p_NC.exp(), labels_N),
    }


def by_class(counts_CC: Tensor, names: Sequence[str]) -> list[ClassRow]:
    """A row a class: its examples, precision and recall; None where one is 0/0."""
    recalls, precisions = recall(counts_CC).tolist(), precision(counts_CC).tolist()
    return [
        {
            "class": name,
            "examples": int(counts_CC[i].sum()),
            "precision": None if math.isnan(precisions[i]) else precisions[i],
            "recall": None if math.isnan(recalls[i]) else recalls[i],
        }
        for i, name in enumerate(names)
    ]


def surest_mistakes(probabilities_NC: Tensor, labels_N: Tensor) -> Tensor:
    """The positions of the examples given another class, the most confident first."""
    confidence_N, predicted_N = probabilities_NC.detach().cpu().max(1)
    wrong = (predicted_N != labels_N.cpu()).nonzero().flatten()
    return wrong[confidence_N[wrong].argsort(descending=True, stable=True)]


def details(logits_NC: Tensor, labels_N: Tensor, names: Sequence[str]) -> Details:
    """The tables of an evaluation: by class, the confusion matrix, the calibration."""
    probabilities_NC = logits_NC.detach().cpu().double().softmax(1)
    counts_CC = confusion(probabilities_NC.argmax(1), labels_N, len(names))
    return {
        "classes": by_class(counts_CC, names),
        "confusion": {"names": list(names), "counts": counts_CC.tolist()},
        "calibration": {"bins": BINS, "rows": calibration(probabilities_NC, labels_N)},
    }
