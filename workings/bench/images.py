"""Image classifiers: our training step against the loop of PyTorch's tutorials."""

# B batch, N images

from collections.abc import Callable, Iterator
from typing import TypeVar

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

from workings.bench.rows import Row, Say, on_threads, require_same, row
from workings.bench.sides import Side, Work, race
from workings.nn.conv import Pool
from workings.run.optim import Learner
from workings.tasks.images.config import ImageConfig, ImageTrain
from workings.tasks.images.dataset import Images, ImageSet
from workings.tasks.images.models import ConvConfig
from workings.tasks.images.task import ImageTask

CLASSES, IMAGES = 10, 4096
VARIANTS: dict[str, Pool] = {"pool": "max", "stride": "stride"}
BATCHES = (8, 128)
Batch = TypeVar("Batch")


def pixels() -> Images:
    """Bright shapes on black, 28×28: what a convolution's speed depends on in real images."""
    draw = torch.Generator().manual_seed(1)
    coarse = torch.rand(IMAGES, 1, 7, 7, generator=draw)
    shapes = F.interpolate(coarse, (28, 28), mode="bilinear").sub_(0.5).clamp_min_(0).mul_(500)
    labels = torch.randint(0, CLASSES, (IMAGES,), generator=draw)
    return Images(shapes.clamp_max_(255).byte(), labels)


def our_task(variant: str, batch: int, dropout: float) -> ImageTask:
    """The image task on random pixels, with its splits all alike."""
    train = ImageTrain(batch=batch, optimizer="sgd", lr=0.01)
    model = ConvConfig(pool=(VARIANTS[variant],), dropout=dropout)
    task = ImageTask(ImageConfig(), model, train, 1, {})
    images = pixels()
    names = tuple(map(str, range(CLASSES)))
    task.set = ImageSet(dict.fromkeys(("train", "valid", "test"), images), names, "")
    return task


def our_step(variant: str, batch: int) -> Work:
    """What the run loop does in a step."""
    task = our_task(variant, batch, 0.7)
    model = task.build().train()
    learner = Learner(model, task.train, steps=1, groups=task.groups(model))
    batches = _forever(lambda epoch: task.batches(epoch, 0))
    number = 0

    def step() -> float:
        nonlocal number
        loss, _, _ = task.loss(model, next(batches), None)
        value = loss.item()
        learner.backward(loss)
        learner.step(number)
        number += 1
        return value

    return step


def ordinary_network(variant: str, dropout: float) -> nn.Sequential:
    """The network of `ConvConfig`'s defaults, as it is usually written."""
    pooled = variant == "pool"
    stride, pool = (1, [nn.MaxPool2d(2)]) if pooled else (2, [])
    return nn.Sequential(
        *(nn.Conv2d(1, 8, 3, stride, padding=1), nn.ReLU(), *pool),
        *(nn.Conv2d(8, 16, 3, stride), nn.ReLU(), *pool),
        nn.Flatten(),
        *(nn.Linear(576, 320), nn.ReLU(), nn.Dropout(dropout)),
        *(nn.Linear(320, 120), nn.ReLU()),
        *(nn.Linear(120, CLASSES), nn.LogSoftmax(1)),
    )


def ordinary_step(variant: str, batch: int) -> Work:
    """TensorDataset, shuffling DataLoader, nn.Sequential, SGD, loss.item()."""
    images = pixels()
    data = TensorDataset(images.pixels.float() / 255, images.labels)
    loader = DataLoader(data, batch_size=batch, shuffle=True)
    model = ordinary_network(variant, 0.7).train()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    batches = _forever(lambda epoch: iter(loader))

    def step() -> float:
        x, y = next(batches)
        optimizer.zero_grad()
        loss = F.nll_loss(model(x), y)
        loss.backward()
        optimizer.step()
        return loss.item()

    return step


def _forever(epoch: Callable[[int], Iterator[Batch]]) -> Iterator[Batch]:
    number = 0
    while True:
        yield from epoch(number)
        number += 1


def difference(variant: str) -> dict[str, float]:
    """How far the two sides' loss and gradients are apart, dropout off, relative to the largest."""
    torch.manual_seed(0)
    task = our_task(variant, 128, 0.0)
    ours, theirs = task.build(), ordinary_network(variant, 0.0)
    with torch.no_grad():
        for mine, other in zip(ours.parameters(), theirs.parameters(), strict=True):
            other.copy_(mine)
    x, y = next(iter(task.batches(0, 0)))
    loss, _, _ = task.loss(ours, (x, y), None)
    loss.backward()
    expected = F.nll_loss(theirs(x), y)
    expected.backward()
    worst = max(
        _apart(mine.grad, other.grad)
        for mine, other in zip(ours.parameters(), theirs.parameters(), strict=True)
    )
    return {"loss": abs(loss.item() - expected.item()) / expected.item(), "gradient": worst}


def _apart(mine: Tensor | None, other: Tensor | None) -> float:
    assert mine is not None
    assert other is not None
    return ((mine - other).abs().max() / other.abs().max()).item()


class ImageRow(Row):
    """A comparison, with what was trained and how many images a second each side took."""

    variant: str
    batch: int
    threads: int
    ours_images_per_second: float
    theirs_images_per_second: float


def rows(variant: str, batch: int, threads: int, rounds: int, seconds: float) -> Iterator[ImageRow]:
    """As each is shipped, and with the allocator's setting that ours has on both sides."""
    sides = {
        "ours": Side(our_step, (variant, batch), True),
        "theirs": Side(ordinary_step, (variant, batch), False),
        "theirs, kept": Side(ordinary_step, (variant, batch), True),
    }
    turns = race(sides, threads, rounds, seconds)
    for label, theirs in (("as shipped", "theirs"), ("both keep memory", "theirs, kept")):
        name = f"train {variant}, batch {batch}, {on_threads(threads)}, {label}"
        figures = row(name, turns["ours"], turns[theirs])
        yield {
            **figures,
            "variant": variant,
            "batch": batch,
            "threads": threads,
            "ours_images_per_second": batch / figures["ours_seconds"],
            "theirs_images_per_second": batch / figures["theirs_seconds"],
        }


def run(rounds: int, seconds: float, say: Say) -> list[ImageRow]:
    """Every comparison."""
    differences = {}
    for variant in VARIANTS:
        differences[variant] = difference(variant)
        say(f"same loss and gradients: {variant} {differences[variant]}")
    require_same(differences)
    measured: list[ImageRow] = []
    for threads in sorted({1, torch.get_num_threads()}):
        for variant in VARIANTS:
            for batch in BATCHES:
                say(f"training {variant}, batch {batch}, on {threads} thread(s)")
                measured += rows(variant, batch, threads, rounds, seconds)
    return measured
