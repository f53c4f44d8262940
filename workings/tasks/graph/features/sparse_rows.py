"""A sparse matrix in CSR form, as NumPy arrays: the features of a graph's nodes."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np


@dataclass(frozen=True)
class Rows:
    """A sparse N×F matrix by rows: row i has columns[starts[i]:starts[i+1]], in ascending order."""

    starts: np.ndarray
    columns: np.ndarray
    values: np.ndarray
    shape: tuple[int, int]

    @staticmethod
    def identity(nodes: int) -> "Rows":
        """Every node has one feature of its own."""
        ones = np.ones(nodes, np.float32)
        return Rows(np.arange(nodes + 1), np.arange(nodes), ones, (nodes, nodes))

    @staticmethod
    def of(
        row: np.ndarray, columns: np.ndarray, values: np.ndarray, shape: tuple[int, int]
    ) -> "Rows":
        """From entries in any order; zeros are left out."""
        kept = values != 0
        row, columns, values = row[kept], columns[kept], values[kept]
        order = np.lexsort((columns, row))
        starts = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=shape[0]))])
        with np.errstate(over="ignore"):  # what is too large is infinite, and refused as such
            return Rows(starts, columns[order], values[order].astype(np.float32), shape)

    @staticmethod
    def dense(table: np.ndarray) -> "Rows":
        """From a dense N×F array."""
        row, column = np.nonzero(table)
        return Rows.of(row, column, table[row, column], (table.shape[0], table.shape[1]))

    def beside(self, other: "Rows") -> "Rows":
        """Two matrices of as many rows, side by side."""
        row = np.concatenate([self.row, other.row])
        columns = np.concatenate([self.columns, other.columns + self.shape[1]])
        values = np.concatenate([self.values, other.values])
        return Rows.of(row, columns, values, (self.shape[0], self.shape[1] + other.shape[1]))

    @cached_property
    def row(self) -> np.ndarray:
        """The row of each value."""
        return np.repeat(np.arange(self.shape[0]), np.diff(self.starts))

    def table(self, dtype: type) -> np.ndarray:
        """The whole matrix, N×F."""
        full: np.ndarray = np.zeros(self.shape, dtype)
        full[self.row, self.columns] = self.values
        return full

    def filled(self) -> tuple["Rows", int]:
        """Missing values (NaN) replaced by the mean of their column, and how many there were."""
        missing = np.isnan(self.values)
        if not missing.any():
            return self, 0
        nodes, features = self.shape
        total_F = np.bincount(self.columns[~missing], self.values[~missing], features)
        missing_F = np.bincount(self.columns[missing], minlength=features)
        mean_F = total_F / np.maximum(1, nodes - missing_F)
        values = np.where(missing, mean_F[self.columns], self.values)
        return Rows.of(self.row, self.columns, values, self.shape), int(missing.sum())

    def sums_to_one(self) -> "Rows":
        """Every row divided by its sum; a row of zeros, or that sums to zero, stays."""
        # Of no values at all, bincount gives whole numbers.
        sums = np.bincount(self.row, self.values, self.shape[0]).astype(np.float64)
        scale = np.divide(1.0, sums, out=np.ones_like(sums), where=sums != 0)
        values = (self.values * scale[self.row]).astype(np.float32)
        return Rows(self.starts, self.columns, values, self.shape)
