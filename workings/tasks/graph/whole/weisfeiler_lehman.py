"""Weisfeiler-Lehman colours: what a node's surroundings look like, for leaks and a baseline.

A colour becomes the hash of itself and of its neighbours' colours (Weisfeiler and Lehman, 1968).
Graphs that differ in the count of any colour differ; those that agree in all are, with few
exceptions, the same graph with its nodes in another order.
"""

# N nodes, E edges, G graphs, K colours

import hashlib

import numpy as np

from workings.tasks.graph.whole.graph_set import GraphSet

ROUNDS = 4
MIX = np.uint64(0x9E3779B97F4A7C15)  # the golden ratio, as in many hashes


def colours(graphs: GraphSet, rounds: int = ROUNDS) -> list[np.ndarray]:
    """The colour of every node, at first that of its features, and after every round."""
    rows = graphs.x()
    colour_N = np.zeros(graphs.nodes, np.uint64)
    cell = rows.columns.astype(np.uint64) * MIX + rows.values.astype(np.float32).view(np.uint32)
    np.add.at(colour_N, rows.row, _mixed(cell))
    every = [colour_N]
    j_E, i_E = graphs.edges_2E
    for _ in range(rounds):
        heard_N = np.zeros(graphs.nodes, np.uint64)
        np.add.at(heard_N, i_E, _mixed(every[-1][j_E]))
        every.append(_mixed(every[-1] * np.uint64(3) + heard_N))
    return every


def hashes(graphs: GraphSet) -> np.ndarray:
    """A digest of each graph's colours after all rounds, which equal graphs share."""
    last_N, start = colours(graphs)[-1], graphs.start_G1
    parts = [np.sort(last_N[start[g] : start[g + 1]]) for g in range(len(graphs))]
    return np.array([hashlib.sha256(part.tobytes()).hexdigest() for part in parts])


def nearest_labels(graphs: GraphSet, train: np.ndarray, asked: np.ndarray) -> np.ndarray:
    """The label of the training graph whose counts of colours are most alike, by cosine."""
    from scipy import sparse

    columns = [np.unique(each, return_inverse=True)[1] for each in colours(graphs)]
    graph_N = np.repeat(np.arange(len(graphs)), np.diff(graphs.start_G1))
    counts = sparse.hstack(
        [
            sparse.csr_array((np.ones(len(each)), (graph_N, each)), (len(graphs), each.max() + 1))
            for each in columns
        ],
        format="csr",
    )
    norm_G = np.sqrt(counts.multiply(counts).sum(1))
    alike = (counts[asked] @ counts[train].T).toarray() / norm_G[train]
    return graphs.labels_G[train[alike.argmax(1)]]


def _mixed(value: np.ndarray) -> np.ndarray:
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    return value ^ (value >> np.uint64(27))
