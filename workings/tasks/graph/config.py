"""Which graph is read, and what is asked about it; how a graph network is trained."""

from pathlib import Path
from typing import Literal

from pydantic import Field, model_validator

from workings.data import sources
from workings.schema import Config, Count, NonNegative, Positive, Share, Size
from workings.tasks import split_files
from workings.tasks.config import TrainConfig


class GraphConfig(Config):
    """Which graph, and what is asked about it."""

    name: str = ""
    """a named set: karate, six-nodes, cora, citeseer, amazon-photo"""
    path: str = ""
    """your own: .npz, .graphml, .gml, an edge list, a folder with edges.csv (and nodes.csv)"""
    predict: Literal["nodes", "edges"] = "nodes"
    """nodes: the class of each; edges: which pairs are joined, some edges being held out"""
    directed: bool = False
    """an edge goes one way, from its source to its target"""
    weighted: bool = False
    """edges have the weights that the data gives them; attention makes its own and uses none"""
    features: Literal["given", "identity"] = "given"
    """identity: every node is a feature of its own, as where no features are given"""
    normalise_features: Literal["auto", "sum", "standard", "none"] = "auto"
    """sum: each node's features are divided by their sum; standard: each column less its mean, over
    its standard deviation; auto: sum for sparse features that are not negative, as bags of words
    are, standard for all others"""
    split: Literal["given", "random"] = "given"
    """random: by seed even where the data gives a split"""
    train_per_class: Size = 20
    """training nodes of each class in a random split, at most half of them"""
    valid_per_class: Size = 30
    """validation nodes of each class in a random split, at most half of the rest"""
    valid_share: Share = 0.05
    """of the edges held out for validation, where edges are predicted"""
    test_share: Share = 0.1
    """of the edges held out for testing, where edges are predicted"""
    allow_label_features: bool = False
    """train although features tell the label, or name the neighbours whose edges are predicted"""

    @model_validator(mode="before")
    @classmethod
    def _defaults(cls, values: object) -> object:
        if not isinstance(values, dict):
            return values
        given = split_files.settle_path(values, "karate")
        if isinstance(name := given.get("name"), str) and name:
            sources.source(name, "graph")
            if given.get("directed"):
                raise ValueError(f"{name} is not directed")
            given.setdefault("normalise_features", "sum")  # as published
        if isinstance(normalise := given.get("normalise_features"), bool):  # of version 0.1
            given["normalise_features"] = "sum" if normalise else "none"
        return given


class GraphTrain(TrainConfig):
    """Training on a whole graph: an epoch is one step."""

    epochs: Size = 200
    """most steps; each sees the whole graph"""
    patience: Count = 100
    """stop when the epoch is more than this past the best one"""
    lr: Positive = 0.01
    """learning rate, after warm-up and before decay"""
    weight_decay: NonNegative = 5e-4
    """decoupled with adamw, otherwise added to the gradient"""
    threads: int = Field(default=1, ge=0, le=4096)
    """CPU threads; 0: as many as PyTorch finds, which pays on large graphs only"""
    precision: Literal["float32", "auto"] = "float32"
    """of matrix products; sparse ones, which graphs take, are float32 in either"""
    decay_on: Literal["all", "first"] = "first"
    """which weights decay: all, or the first layer's"""
    select: Literal["score", "loss"] = "score"
    """what decides which weights are best: the validation loss, or accuracy (ROC-AUC for edges); of
    your own graphs the loss if not given, where few nodes are for validation"""


def from_paths(paths: list[Path]) -> dict[str, str]:
    """The config keys of a set's name, a file or a folder."""
    return split_files.from_path(paths, "graph", "a graph is one file or folder")
