"""Normalising the features of nodes: by row sums or column by column, and which of these fits."""

# N nodes, F features

from dataclasses import dataclass
from typing import Literal

import numpy as np

from workings.tasks.graph.features.sparse_rows import Rows

Normalisation = Literal["sum", "standard", "none"]
SPARSE = 0.25  # the largest share of entries that are not zero in sparse features
MOST_ENTRIES = 200_000_000  # of a dense table, which standardising makes
LARGE = 100.0  # a feature beyond this makes the first loss of any network far too large
WORDS = {
    "sum": "each node's divided by their sum",
    "standard": "each column less its mean, over its standard deviation",
    "none": "as they are",
}


def fitting(rows: Rows | None) -> Normalisation:
    """The normalisation that fits some features; the identity, which stands in for none, stays."""
    if rows is None:
        return "none"
    entries = rows.shape[0] * rows.shape[1]
    sparse = len(rows.values) <= SPARSE * entries
    if sparse and bool((rows.values >= 0).all()):
        return "sum"
    return "standard" if entries <= MOST_ENTRIES else "none"


@dataclass(frozen=True)
class ColumnScale:
    """What is taken from every column, and what the rest is divided by."""

    mean: tuple[float, ...]
    deviation: tuple[float, ...]

    @classmethod
    def of(cls, rows: Rows) -> "ColumnScale":
        """Means and standard deviations; a column of zeros and ones stays, a constant one is ±1."""
        x_NF = rows.table(np.float64)
        mean_F, deviation_F = x_NF.mean(0), x_NF.std(0)
        constant_F = (x_NF == x_NF[:1]).all(0)
        binary_F = ((x_NF == 0) | (x_NF == 1)).all(0)
        size_F = np.abs(x_NF[0])
        mean_F[constant_F | binary_F] = 0.0
        deviation_F = np.where(constant_F, np.where(size_F > 0, size_F, 1.0), deviation_F)
        deviation_F[binary_F] = 1.0
        return cls(tuple(mean_F.tolist()), tuple(deviation_F.tolist()))

    def __call__(self, rows: Rows) -> np.ndarray:
        """The standardised columns, N×F."""
        scaled_NF = (rows.table(np.float64) - np.array(self.mean)) / np.array(self.deviation)
        return scaled_NF.astype(np.float32)
