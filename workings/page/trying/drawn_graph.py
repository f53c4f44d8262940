"""Graphs for a drawing: which nodes of a large one, and where each stands."""

# N nodes, E edges

import math
from collections import deque
from collections.abc import Iterable, Sequence

import numpy as np

MOST_NODES = 1_200  # that are drawn at once
STEPS = 60  # of the layout
Pair = tuple[int, int]


def nearest(pairs: Iterable[Pair], centre: int, nodes: int, most: int) -> dict[int, int]:
    """Nodes with their steps from one, the nearest first; of a small graph all (-1: no path)."""
    neighbours: dict[int, list[int]] = {}
    for j, i in pairs:
        neighbours.setdefault(i, []).append(j)
        neighbours.setdefault(j, []).append(i)
    steps, waiting = {centre: 0}, deque([centre])
    while waiting and len(steps) < most:
        node = waiting.popleft()
        for other in neighbours.get(node, []):
            if other not in steps and len(steps) < most:
                steps[other] = steps[node] + 1
                waiting.append(other)
    if nodes <= most:
        steps |= {node: -1 for node in range(nodes) if node not in steps}
    return steps


def laid_out(nodes: Sequence[int], pairs: Iterable[Pair]) -> dict[int, dict[str, float]]:
    """Where each node stands, always the same: the layout by forces of Fruchterman and Reingold.

    Nodes push each other away with k²/d, edges pull with d²/k; a step goes along the sum, at most
    as far as the temperature, which falls.
    """
    number = {node: at for at, node in enumerate(nodes)}
    edges = {(min(number[j], number[i]), max(number[j], number[i])) for j, i in pairs if i != j}
    j_E, i_E = np.array(sorted(edges), np.int64).reshape(-1, 2).T
    xy_N2 = np.random.default_rng(1).random((len(number), 2), np.float32)
    k = 1 / math.sqrt(len(number))
    for temperature in np.linspace(0.1, 0, STEPS, endpoint=False, dtype=np.float32):
        square_N = (xy_N2**2).sum(1)
        squared_NN = square_N[:, None] + square_N - 2 * xy_N2 @ xy_N2.T
        push_NN = k**2 / squared_NN.clip(1e-4)
        force_N2 = push_NN.sum(1, keepdims=True) * xy_N2 - push_NN @ xy_N2
        pull_E2 = xy_N2[i_E] - xy_N2[j_E]
        pull_E2 *= np.hypot(*pull_E2.T)[:, None] / k
        np.add.at(force_N2, j_E, pull_E2)
        np.subtract.at(force_N2, i_E, pull_E2)
        xy_N2 += force_N2 * temperature / np.hypot(*force_N2.T).clip(0.01)[:, None]
    rounded = xy_N2.round(4).astype(float).tolist()
    return {node: {"x": x, "y": y} for node, (x, y) in zip(number, rounded, strict=True)}
