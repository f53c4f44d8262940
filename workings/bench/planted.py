"""Generated graphs of any size, with classes that their edges and features tell a little of."""

# N nodes, E edges, F features

import io

import numpy as np

CLASSES, WORDS, OWN = 16, 256, 8  # OWN: features of a node that are not zero
WITHIN = 0.7  # the share of edges that stay within a class


def planted(
    nodes: int, edges: int, seed: int = 1, reach: int | None = None
) -> dict[str, np.ndarray]:
    """The arrays of an archive that `workings train graph --data` reads.

    Each class has words that it uses more than others do; an edge joins nodes of one class, or any.
    reach: how far apart the numbers of two joined nodes may be; None: any two.
    """
    draw = np.random.default_rng(seed)
    # The nodes of class c are c, c + CLASSES, …, so that one of a class is drawn without a search.
    source = draw.integers(0, nodes, edges, dtype=np.int32)
    anyone = draw.integers(0, nodes, edges, dtype=np.int32)
    if reach is not None:
        anyone = np.clip(source + anyone % (2 * reach + 1) - reach, 0, nodes - 1)
    near = anyone - anyone % CLASSES + source % CLASSES
    near[near >= nodes] -= CLASSES
    target = np.where(draw.random(edges, np.float32) < WITHIN, near, anyone)
    y = (np.arange(nodes) % CLASSES).astype(np.int16)
    each = WORDS // CLASSES
    words = draw.integers(0, WORDS, (nodes, OWN), dtype=np.int32)
    own = y[:, None] * each + draw.integers(0, each, (nodes, OWN), dtype=np.int32)
    words = np.where(draw.random((nodes, OWN), np.float32) < 0.25, own, words)
    words = np.sort(words, 1).astype(np.int32)  # one that is drawn twice counts once
    keep = np.ones(words.shape, bool)
    keep[:, 1:] = words[:, 1:] != words[:, :-1]
    return {
        "edge_index": np.stack([source, target]),
        "y": y,
        "x_indptr": np.concatenate([[0], np.cumsum(keep.sum(1))]),
        "x_indices": words[keep],
        "x_shape": np.array([nodes, WORDS]),
    }


def archive(nodes: int, edges: int, seed: int = 1, reach: int | None = None) -> bytes:
    """The archive itself."""
    file = io.BytesIO()
    np.savez(file, allow_pickle=False, **planted(nodes, edges, seed, reach))
    return file.getvalue()
