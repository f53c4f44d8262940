"""Which edges of a typed graph are held out, and the pairs of the right types set against them."""

# P triples, R relations

import numpy as np

from workings.errors import WorkingsError
from workings.tasks.graph.graph import SPLITS
from workings.tasks.graph.types import Types

FEWEST = 10  # edges of a relation, below which none is held out


def split_triples(
    where: str, types: Types, asked: list[int], shares: dict[str, float], draw: np.random.Generator
) -> dict[str, np.ndarray]:
    """Triples by split: of each relation that is asked about, that share for valid and test."""
    parts: dict[str, list[np.ndarray]] = {split: [] for split in SPLITS}
    for relation in range(len(types.relations)):
        of_it = types.triples_3E[:, types.triples_3E[1] == relation]
        mixed = of_it[:, draw.permutation(of_it.shape[1])]
        held = relation in asked and of_it.shape[1] >= FEWEST
        ends = np.cumsum([int(shares[s] * of_it.shape[1]) * held for s in ("test", "valid")])
        for split, part in zip(("test", "valid", "train"), np.split(mixed, ends, 1), strict=True):
            parts[split].append(part)
    made = {split: np.concatenate(each, 1) for split, each in parts.items()}
    for split in SPLITS:
        if not made[split].shape[1]:
            names = ", ".join(types.relations[r] for r in asked)
            raise WorkingsError(
                f"{where}: no edges of {names} are for {split}: a relation needs {FEWEST} edges or "
                "more, or change data.valid_share and data.test_share"
            )
    order = np.lexsort(made["train"][::-1])
    return made | {"train": made["train"][:, order]}


def corrupted(
    triples_3P: np.ndarray, types: Types, known: np.ndarray, draw: np.random.Generator
) -> np.ndarray:
    """For each triple one with another target of the same type, that is not known."""
    made = triples_3P.copy()
    left = np.arange(made.shape[1])
    for _ in range(20):
        for relation in np.unique(made[1, left]):
            chosen = left[made[1, left] == relation]
            nodes = types.nodes_of(types.ends[relation][1])
            made[2, chosen] = draw.choice(nodes, len(chosen))
        left = left[np.isin(key(made[:, left], types), known)]
        if not len(left):
            break
    return np.delete(made, left, 1)  # a node that is linked to all of them has none


def key(triples_3P: np.ndarray, types: Types) -> np.ndarray:
    """A number for each triple."""
    source, relation, target = triples_3P
    nodes = len(types.type_N)
    return (source * len(types.relations) + relation) * nodes + target
