"""Tiny tasks with untrained models, and tiny runs: what tests of every task can share."""

import random
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from tests.tasks.speech.speech_sets import lj_speech, words
from workings.run import Run, train
from workings.run import config as configs
from workings.tasks.task import Task

WORDS = ("the", "a", "old", "red", "fox", "dog", "cat", "saw", "bit", "met", "hen", "cow", ".")
MODELS: dict[str, dict[str, dict[str, Any]]] = {
    "language": {
        "rnn": {"kind": "rnn", "embed": 6, "hidden": 8},
        "lstm": {"kind": "lstm", "embed": 6, "hidden": 8, "layers": 2},
        "gru": {"kind": "gru", "embed": 8, "hidden": 8, "tied": True},
        "attention": {"kind": "attention", "width": 8, "heads": 2, "layers": 2, "context": 12},
        "taylor": {
            **{"kind": "attention", "attention": "taylor", "width": 8, "heads": 2},
            **{"layers": 1, "context": 12},
        },
    },
    "images": {
        "cnn": {"kind": "cnn", "channels": [3, 4], "dense": [9, 8]},
        "strides": {
            **{"kind": "cnn", "channels": [4, 4, 4], "pool": ["stride", "average", "none"]},
            **{"batch_norm": True, "dense": []},
        },
        "resnet": {"kind": "resnet", "channels": [4, 8], "blocks": 2},
    },
    "graph": {
        "gcn": {"kind": "gcn"},
        "softmax": {"kind": "gcn", "normalisation": "softmax", "residual": True, "layers": 3},
        "row": {"kind": "gcn", "normalisation": "row", "bias": False},
        "gat": {"kind": "gat", "hidden": 3, "heads": 2},
        "gat2": {
            "kind": "gat",
            "hidden": 3,
            "heads": 2,
            "version": 2,
            "residual": True,
            "layers": 3,
        },
        "ggnn": {"kind": "ggnn"},
        "mlp": {"kind": "mlp"},
    },
    "speech": {
        "recurrent": {"decoder": "recurrent", "width": 8, "blocks": 1, "feedforward": 12},
        "attention": {"decoder": "attention", "width": 8, "blocks": 1, "feedforward": 12},
    },
}


def sentences(count: int = 300) -> list[str]:
    """Random sentences of few words."""
    draw = random.Random(0)
    return [" ".join(draw.choice(WORDS) for _ in range(9)) for _ in range(count)]


def values(task: str, model: str, folder: Path) -> dict[str, Any]:
    """The config of a tiny run; its data is written to the folder."""
    data: dict[str, Any] = {"name": "karate"}
    if task == "language":
        file = folder / "sentences.txt"
        file.write_text("\n".join(sentences()) + "\n")
        data = {"train": [str(file)]}
    elif task == "images":
        draw = np.random.default_rng(0)
        y = np.arange(60) % 3
        x = draw.integers(0, 100, (60, 16, 16, 1)) + 70 * y[:, None, None, None]
        np.savez(folder / "images.npz", images=x.astype(np.uint8), labels=y)
        data = {"train": [str(folder / "images.npz")]}
    elif task == "speech":
        if not (folder / "speech").exists():
            lj_speech(folder / "speech", words(40))
        data = {"path": str(folder / "speech"), "bands": 20, "window": 160, "hop": 40}
        data |= {"max_tokens": 20}
    training: dict[str, Any] = {"epochs": 2, "device": "cpu"}
    training |= {} if task == "graph" else {"batch": 8}
    return {"task": task, "data": data, "model": MODELS[task][model], "train": training}


def untrained(task: str, model: str, folder: Path) -> tuple[Task, nn.Module]:
    """A task that has looked at its data, and a model with its initial weights."""
    torch.manual_seed(0)
    made = configs.resolve(values(task, model, folder)).build_task(None)
    made.settle()
    return made, made.build().eval()


def trained(task: str, model: str, folder: Path) -> Run:
    """A run of one epoch or two."""
    return train(values(task, model, folder), str(folder / f"{task}-{model}"))


def language_values(book: Path, **train_: Any) -> dict[str, Any]:
    """The settings of a tiny recurrent network on a text."""
    return {
        "task": "language",
        "data": {"train": [str(book)], "valid_share": 0.1, "test_share": 0.1},
        "model": {"kind": "rnn", "embed": 6, "hidden": 6},
        "train": {"batch": 8, "window": 40, "epochs": 1, "device": "cpu", **train_},
    }
