"""Leaks of a language model: later tokens that it sees, test text that it is trained on."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from workings.nn.language import LanguageModel
from workings.tasks.language.text_overlap import Common, Marks
from workings.tasks.leak import GRAVE, Leak
from workings.tasks.lookahead import dependence

LEAST = 0.05  # the share, above what the training text repeats of itself, that is worth a word
PAIRS = (("test", "train"), ("valid", "train"), ("test", "valid"))


def sees_ahead(model: nn.Module, kind: str, steps: int, types: int, own: bool) -> Iterator[Leak]:
    """Outputs that depend on later tokens, or on another text of the batch."""

    def forward(asked: nn.Module, x_BT: Tensor) -> Tensor:
        logits_BTV: Tensor = asked(x_BT.to(next(asked.parameters()).device), None)[0]
        return logits_BTV

    accept = "train.allow_lookahead"
    depends = dependence(model, forward, steps, types, noise=own)
    if depends.later is not None:
        yield Leak(
            f"model.kind: {kind} sees the tokens that it is to predict: its output at token "
            f"{depends.later + 1} of {steps} changes when only later tokens do",
            "mask what comes later, or read in one direction only",
            accept,
            grave=True,
        )
    elif (
        own
        and dependence(model, forward, steps, types, noise=True, training=True).later is not None
    ):
        yield Leak(
            f"model.kind: {kind} sees later tokens while it trains, though not in evaluation "
            "(through the statistics of a batch norm over time, perhaps)",
            "normalise each token by itself",
            accept,
            grave=False,
        )
    if depends.streams:
        yield Leak(
            f"model.kind: {kind} mixes the texts of a batch: its output for one changes when only "
            "another does (is the batch taken for time?)",
            "keep the first dimension apart, as batch_first=True does",
            accept,
            grave=False,
        )


@torch.no_grad()
def other_loss(model: nn.Module, kind: str, steps: int, types: int) -> Iterator[Leak]:
    """An own class that computes its loss itself, and not from its outputs: it is given targets."""
    if not isinstance(model, LanguageModel):
        return
    draw = torch.Generator().manual_seed(1)
    device = next(model.parameters()).device
    x_BT, y_BT = torch.randint(types, (2, 2, steps), generator=draw).to(device)
    was_training = model.training
    with torch.random.fork_rng([]):
        own = float(model.eval().loss(x_BT, y_BT, None)[0])
        wanted = float(F.cross_entropy(model(x_BT, None)[0].flatten(0, 1), y_BT.flatten()))
    model.train(was_training)
    if abs(own - wanted) > 1e-3 * max(1.0, wanted):
        yield Leak(
            f"model.kind: {kind}: its loss is {own:.4f} where the cross-entropy of its outputs is "
            f"{wanted:.4f}: what is evaluated is not what it predicts",
            "compute both from the same logits",
            "train.allow_lookahead",
            grave=True,
        )


def same_files(files: Mapping[str, Sequence[Path]]) -> Iterator[Leak]:
    """Files with the same content that are given for two splits, under whatever names."""
    for split, other in PAIRS:
        for path in files.get(split, ()):
            for twin in files.get(other, ()):
                if path.stat().st_size == twin.stat().st_size and _digest(path) == _digest(twin):
                    names = dict.fromkeys((twin.name, path.name))
                    yield Leak(
                        f"data: {' and '.join(names)}: the same text is given for {other} and "
                        f"for {split}",
                        f"give another file as data.{split}, or none: a part is cut off then",
                        "data.allow_overlap",
                        grave=other == "train",
                    )


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def same_text(splits: dict[str, np.ndarray], marks: Marks) -> Iterator[Leak]:
    """Lines and long runs of tokens of one split that stand in another one too.

    A text may repeat itself: what a stretch of the training text has in common with the rest of it
    is taken for natural.
    """
    common = Common(splits, marks)
    natural: float | None = None
    for split, other in PAIRS:
        share = common.share(split, other)
        if share < LEAST:
            continue
        if natural is None:
            natural = common.natural("train", len(splits["test"]))
        excess = share - natural
        if excess >= LEAST + natural / 2:  # the more it repeats, the more by chance
            part = min(common.looked_at(split), common.looked_at(other))
            sampled = "" if part == 1 else f", by {part:.1%} of it that was looked at"
            yield Leak(
                f"data: {share:.0%} of the {split} text, in whole lines or {marks.run} "
                f"{marks.unit} on end, stands in the {other} text too{sampled} (a part of the "
                f"training text has {natural:.0%} in common with the rest)",
                f"take it out of the {other} text, or give other {split} text",
                "data.allow_overlap",
                grave=excess >= GRAVE and other == "train",
            )
