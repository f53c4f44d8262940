"""Constant sparse matrices, and their products with what is learned."""

# N rows, M columns, K stored entries, D width

import functools
import warnings
from typing import Protocol

import torch
from torch import Tensor
from torch.nn import functional as F

from workings.nn.dropout import dropped
from workings.nn.function_context import FunctionContext


class Pattern:
    """Where a sparse matrix has entries: for each row where its own begin, and their columns.

    Entries are sorted by row, then column, none twice. What the transpose needs is made when it is
    first asked for, and kept.
    """

    def __init__(self, row_K: Tensor, column_K: Tensor, shape: tuple[int, int]) -> None:
        self.shape = shape
        # MKL is faster with 32-bit indices, and they are half as large.
        self.index = torch.int32 if max(*shape, len(row_K)) < 2**31 else torch.int64
        self.row_N1 = _starts(row_K, shape[0]).to(self.index)
        self.column_K = column_K.to(self.index)

    @functools.cached_property
    def rows_K(self) -> Tensor:
        """The row of each entry."""
        rows_N = torch.arange(self.shape[0], dtype=self.index, device=self.row_N1.device)
        return rows_N.repeat_interleave(self.row_N1.diff().long())

    @functools.cached_property
    def order_K(self) -> Tensor:
        """The position of each of the transpose's entries among the matrix's own."""
        return torch.sort(self.column_K, stable=True).indices.to(self.index)

    @functools.cached_property
    def transpose(self) -> "Pattern":
        """The pattern of the transpose."""
        rows_K, columns_K = (each[self.order_K.long()] for each in (self.column_K, self.rows_K))
        return Pattern(rows_K, columns_K, (self.shape[1], self.shape[0]))

    def to(self, device: torch.device) -> "Pattern":
        """The same on that device."""
        return Pattern(self.rows_K.to(device), self.column_K.to(device), self.shape)

    def matrix(self, values_K: Tensor) -> Tensor:
        """The CSR tensor with these values."""
        _warn_once_unheard()
        parts = (self.row_N1, self.column_K, values_K)
        return torch.sparse_csr_tensor(*parts, self.shape, check_invariants=False)

    def transposed(self, values_K: Tensor) -> Tensor:
        """The transpose's CSR tensor; the values are in this pattern's own order."""
        return self.transpose.matrix(values_K.index_select(0, self.order_K))


def _starts(row_K: Tensor, count: int) -> Tensor:
    counts = torch.bincount(row_K, minlength=count)
    return F.pad(counts.cumsum(0), (1, 0))


@functools.cache
def _warn_once_unheard() -> None:
    """PyTorch warns once a process that CSR tensors are in beta: let it do so here, unheard."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Sparse CSR tensor support is in beta", UserWarning)
        torch.sparse_csr_tensor([0, 1], [0], [1.0], (1, 1), check_invariants=False)


class Sparse:
    """A constant sparse matrix S whose product with a dense one is differentiable by the latter.

    The transpose that the backward pass needs is made once and kept; a symmetric matrix is its own.

    Shapes: S N×M; `S @ x_MD` is N×D.
    """

    def __init__(self, pattern: Pattern, values_K: Tensor, symmetric: bool = False) -> None:
        self.pattern, self.values_K, self.symmetric = pattern, values_K, symmetric

    @functools.cached_property
    def csr(self) -> Tensor:
        """S as a CSR tensor."""
        return self.pattern.matrix(self.values_K)

    @functools.cached_property
    def csr_t(self) -> Tensor:
        """Sᵀ as a CSR tensor."""
        return self.csr if self.symmetric else self.pattern.transposed(self.values_K)

    @property
    def shape(self) -> tuple[int, int]:
        """N, M."""
        return self.pattern.shape

    @property
    def entries(self) -> int:
        """Stored entries."""
        return len(self.values_K)

    def __matmul__(self, x_MD: Tensor) -> Tensor:
        return _Product.apply(x_MD, self)

    def dropped(self, p: float) -> "Sparse":
        """Each stored entry set to zero with probability p, the others scaled by 1/(1-p)."""
        return Sparse(self.pattern, dropped(self.values_K, p))

    def to(self, device: torch.device | None = None, dtype: torch.dtype | None = None) -> "Sparse":
        """The same on that device, of that type."""
        values_K = self.values_K.to(device=device, dtype=dtype)
        return Sparse(self.pattern.to(values_K.device), values_K, self.symmetric)

    def dense(self) -> Tensor:
        """S as an ordinary tensor."""
        return self.csr.to_dense()


class _ProductContext(FunctionContext, Protocol):
    matrix: Sparse


class _Product(torch.autograd.Function):
    """y = S x. Backward: ∂E/∂x = Sᵀ ∂E/∂y."""

    @staticmethod
    def forward(ctx: _ProductContext, x_MD: Tensor, matrix: Sparse) -> Tensor:
        ctx.matrix = matrix
        return matrix.csr @ x_MD

    @staticmethod
    def backward(ctx: _ProductContext, *grad: Tensor) -> tuple[Tensor | None, ...]:
        return ctx.matrix.csr_t @ grad[0].contiguous(), None
