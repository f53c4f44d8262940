"""Which graph is read, and what is asked about it; how a graph network is trained."""

from pathlib import Path
from typing import Literal

from pydantic import Field, field_validator

from workings.data import SOURCES
from workings.schema import Count, NonNegative, Positive, Share, Size
from workings.tasks import split_files
from workings.tasks.config import TrainConfig
from workings.tasks.graph.reading import set_paths

PER_CLASS = ("train_per_class", "valid_per_class")


class GraphConfig(split_files.NamedOrPath):
    """Which graph, and what is asked about it."""

    TASK, DEFAULT = "graph", "karate"

    name: str = ""
    """a named set: karate, six-nodes, cora, citeseer, amazon-photo; of unlike neighbours: actor,
    texas, cornell, wisconsin, chameleon, squirrel, minesweeper; many graphs: mutag, proteins,
    sotu-eras, sotu-orders"""
    path: str = ""
    """your own: .npz, .graphml, .gml, an edge list, a folder with edges.csv (and nodes.csv); many
    graphs: .jsonl, a folder of .graphml files"""
    predict: Literal["nodes", "edges", "graphs"] = "nodes"
    """nodes: the class of each; edges: which pairs are joined, some edges being held out; graphs:
    the class of each of many graphs"""
    relation: str = ""
    """of a graph with several relations, the one whose edges are held out and predicted; all if
    none is named"""
    node_type: str = ""
    """of a graph with several types of nodes, the one that is classified; all if none is named"""
    label: str = ""
    """the column or attribute of the nodes that is their class; label or class if none is named"""
    directed: bool = False
    """an edge goes one way, from its source to its target"""
    weighted: bool = False
    """edges have the weights that the data gives them; attention makes its own and uses none"""
    features: Literal["given", "identity", "both"] = "given"
    """identity: every node is a feature of its own, as where no features are given; both: beside
    those given; of your own graph both if not given, where they are few and edges tell the label"""
    text: Literal["auto", "none", "tf-idf", "bag", "recurrent"] = "auto"
    """how the nodes' texts are used: tf-idf; bag, the share of each word, so that the first layer
    is a mean of embeddings; recurrent, the last state of an LSTM beside the features, trained with
    the network; auto: tf-idf where there are texts"""
    normalise_features: Literal["auto", "sum", "standard", "none"] = "auto"
    """sum: each node's features are divided by their sum; standard: each column less its mean, over
    its standard deviation; auto: sum for sparse features that are not negative, as bags of words
    are, standard for all others"""
    split: Literal["given", "random"] = "given"
    """random: by seed even where the data gives a split"""
    train_per_class: Count = 20
    """training nodes of each class in a random split, at most half of them; 0: half, as of your own
    graph if not given"""
    valid_per_class: Count = 30
    """validation nodes of each class in a random split, at most half of the rest; 0: half of it, as
    of your own graph if not given"""
    valid_share: Share = 0.05
    """of the edges, or of the graphs (0.1 if not given), held out for validation"""
    test_share: Share = 0.1
    """of the edges, or of the graphs, held out for testing"""
    fold: Count = 0
    """of many graphs with folds, the one that is tested on, from 1; of a named graph with several
    splits, which of them; 0: that of the seed, so that ten seeds are ten folds or splits"""
    valid_from: Literal["train", "test"] = "train"
    """where validation graphs come from; test: the best epoch is chosen by the test graphs, as
    some figures were published, and is better than it would be on others"""
    allow_label_features: bool = False
    """train although features tell the label, or name the neighbours whose edges are predicted"""
    allow_overlap: bool = False
    """train although many test graphs are among the training graphs"""

    @classmethod
    def of_named(cls, name: str, given: dict[str, object]) -> dict[str, object]:
        """As the set was published; what it is not is refused."""
        few = {key: cls.model_fields[key].default for key in PER_CLASS}
        given = cls.of_path({**few, **super().of_named(name, given)})
        several = SOURCES[name].defaults.get("predict") == "graphs"
        if several != (given["predict"] == "graphs"):
            raise ValueError(
                f"{name} is {'many graphs' if several else 'one graph'}: set "
                f"data.predict = {'graphs' if several else 'nodes or edges'}"
            )
        if given.get("directed"):
            raise ValueError(f"{name} is not directed")
        return {"normalise_features": "sum", **given}

    @classmethod
    def of_path(cls, given: dict[str, object]) -> dict[str, object]:
        """What is predicted, and the splits that fit it: whoever labelled many nodes uses them."""
        given = {**dict.fromkeys(PER_CLASS, 0), "predict": asked_for(given), **given}
        if given["predict"] == "graphs":
            given.setdefault("valid_share", 0.1)
        return given

    @field_validator("normalise_features", mode="before")
    @classmethod
    def _of_version_0_1(cls, how: object) -> object:
        """Once it was yes or no."""
        return ("sum" if how else "none") if isinstance(how, bool) else how


def asked_for(given: dict[str, object]) -> str:
    """What is predicted where [data] does not say it: of many graphs the class of each."""
    name, path = given.get("name"), given.get("path")
    if isinstance(predict := given.get("predict"), str):
        return predict
    if isinstance(name, str) and name in SOURCES:
        return str(SOURCES[name].defaults.get("predict", "nodes"))
    return "graphs" if isinstance(path, str) and path and set_paths.is_set(Path(path)) else "nodes"


class GraphTrain(TrainConfig):
    """Training on a whole graph, where an epoch is one step; or on batches of many graphs."""

    epochs: Size = 200
    """most steps, each of which sees the whole graph; of many graphs, passes over them (100)"""
    batch: Size = 32
    """of many graphs, those in a batch; of a graph in parts, its training nodes (1024) or
    clusters (4)"""
    sampling: Literal["none", "neighbours", "clusters"] = "none"
    """in which parts a large graph is trained on; none: as a whole; neighbours: training nodes with
    some of their neighbours, hop by hop; clusters: nodes that are close, and the edges among them.
    It is evaluated as a whole all the same"""
    fanout: tuple[Size, ...] = (10, 10)
    """neighbours that are sampled of a node, at most, a number for each hop"""
    clusters: Size = 50
    """parts that the nodes are divided into"""

    @field_validator("fanout", mode="before")
    @classmethod
    def _one_or_several(cls, value: object) -> object:
        if isinstance(value, int):
            return (value,)
        return tuple(value) if isinstance(value, list) else value

    @field_validator("fanout")
    @classmethod
    def _some(cls, value: tuple[int, ...]) -> tuple[int, ...]:
        if not value:
            raise ValueError("needs a number for each hop, as in [10, 10]")
        return value

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
    """what decides which weights are best: the validation loss, or accuracy (ROC-AUC for edges);
    if not given, the loss where few nodes are for validation"""


def from_paths(paths: list[Path]) -> dict[str, str]:
    """The config keys of a set's name, a file or a folder."""
    return split_files.from_path(paths, "graph", "a graph is one file or folder")
