"""What simple methods make of the same images: figures that a network should beat."""

# N images, D pixels, K classes

from collections.abc import Iterator

import torch
from torch import Tensor

from workings.tasks.classification import accuracy, confusion
from workings.tasks.images.dataset import Images

CHUNK = 4096  # images read at a time
MOST_PIXELS = 3072  # the linear classifier inverts a matrix of this size squared


def baselines(splits: dict[str, Images], classes: int) -> dict[str, dict[str, float]]:
    """Accuracy on validation and test, by method; all are learned on the training split."""
    train = splits["train"]
    methods = {"most frequent class": most_frequent, "nearest class mean": nearest_mean}
    if train.pixels[0].numel() <= MOST_PIXELS:
        methods["linear, least squares"] = linear
    accuracies = {}
    for name, method in methods.items():
        scores_DK, bias_K = method(train, classes)
        accuracies[name] = {
            f"{split}.accuracy": _accuracy(splits[split], scores_DK, bias_K)
            for split in ("valid", "test")
        }
    return accuracies


def most_frequent(train: Images, classes: int) -> tuple[Tensor, Tensor]:
    """The same class for every image."""
    counts_K = torch.bincount(train.labels, minlength=classes).float()
    return torch.zeros(train.pixels[0].numel(), classes), counts_K


def nearest_mean(train: Images, classes: int) -> tuple[Tensor, Tensor]:
    """The class whose mean image m is nearest: the largest of x·m - |m|²/2."""
    sums_KD = torch.zeros(classes, train.pixels[0].numel())
    for x_ND, labels_N in _chunks(train):
        sums_KD.index_add_(0, labels_N, x_ND)
    counts_K = torch.bincount(train.labels, minlength=classes).clamp_min(1)
    mean_KD = sums_KD / counts_K[:, None]
    return mean_KD.t(), -mean_KD.square().sum(1) / 2


def linear(train: Images, classes: int) -> tuple[Tensor, Tensor]:
    """Least squares on 1 for the image's own class and 0 for the others, with a little ridge.

    (XᵀX + λI) W = XᵀY with a column of ones in X; λ = N/1000.
    """
    D = train.pixels[0].numel() + 1
    xx_DD, xy_DK = torch.zeros(D, D), torch.zeros(D, classes)
    for x_ND, labels_N in _chunks(train):
        x_ND = torch.cat([x_ND, torch.ones(len(x_ND), 1)], 1)
        xx_DD.addmm_(x_ND.t(), x_ND)
        xy_DK.addmm_(x_ND.t(), torch.nn.functional.one_hot(labels_N, classes).float())
    xx_DD.diagonal().add_(len(train) / 1000)
    w_DK = torch.linalg.solve(xx_DD.double(), xy_DK.double()).float()
    return w_DK[:-1], w_DK[-1]


def _chunks(examples: Images) -> Iterator[tuple[Tensor, Tensor]]:
    """Pixels from 0 to 1 and labels, made as they are asked for."""
    pairs = zip(examples.pixels.split(CHUNK), examples.labels.split(CHUNK), strict=True)
    return ((pixels.flatten(1).float() / 255, labels) for pixels, labels in pairs)


def _accuracy(examples: Images, scores_DK: Tensor, bias_K: Tensor) -> float:
    predicted = [torch.addmm(bias_K, x_ND, scores_DK).argmax(1) for x_ND, _ in _chunks(examples)]
    return accuracy(confusion(torch.cat(predicted), examples.labels, len(bias_K)))
