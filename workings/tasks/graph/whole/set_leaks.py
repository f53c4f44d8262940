"""Leaks of a graph set: the same graph in two splits, features that are the label."""

from collections.abc import Iterator, Mapping

import numpy as np

from workings.tasks.graph.leaks import label_features
from workings.tasks.graph.whole.graph_set import GraphSet
from workings.tasks.graph.whole.weisfeiler_lehman import hashes
from workings.tasks.leak import Leak, overlap

LEAST = 0.01  # the share of a split's graphs, found in another one, that is worth a word
NOTE = ", by their Weisfeiler-Lehman colours"


def leaks(graphs: GraphSet, splits: Mapping[str, np.ndarray]) -> Iterator[Leak]:
    """All that can be seen before training."""
    if np.array_equal(splits["valid"], splits["test"]):
        yield Leak(
            f"{graphs.where}: the validation graphs are the test graphs, so that the best epoch is "
            "chosen by what it is tested on",
            "set data.valid_from = train",
            "data.allow_overlap",
            grave=False,
        )
    else:
        yield from _same_graphs(graphs, splits)
    graph_N = np.repeat(np.arange(len(graphs)), np.diff(graphs.start_G1))
    labelled = graphs.labels_G[graph_N]
    yield from label_features(graphs.where, graphs.features, labelled, graphs.classes)


def _same_graphs(graphs: GraphSet, splits: Mapping[str, np.ndarray]) -> Iterator[Leak]:
    digest_G = hashes(graphs)
    for split, other in (("test", "train"), ("valid", "train"), ("test", "valid")):
        same = int(np.isin(digest_G[splits[split]], digest_G[splits[other]]).sum())
        yield from overlap("graphs", split, other, same, len(splits[split]), LEAST, NOTE)
