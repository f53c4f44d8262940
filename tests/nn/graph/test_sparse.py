"""Sparse products against dense ones, forward and backward, and dropout by what it does."""

import pytest
import torch

from tests.nn.graph.graphs import sparse_features
from workings.nn.graph.sparse import Pattern, Sparse


@pytest.fixture(autouse=True)
def _seed() -> None:
    torch.manual_seed(1)


def test_pattern_and_its_transpose_hold_the_same_entries() -> None:
    sparse = sparse_features(7, 5)
    dense = sparse.dense()
    assert torch.equal(sparse.csr_t.to_dense(), dense.t())
    rows_K, columns_K = dense.nonzero().t()
    assert sparse.pattern.rows_K.tolist() == rows_K.tolist()
    assert sparse.pattern.column_K.tolist() == columns_K.tolist()
    assert sparse.entries == len(rows_K)


def test_product_and_gradient_are_the_dense_ones() -> None:
    sparse = sparse_features(7, 5)
    w = torch.randn(5, 3, dtype=torch.double, requires_grad=True)
    weight = torch.randn(7, 3, dtype=torch.double)
    (sparse @ w).backward(weight)
    torch.testing.assert_close((sparse @ w), sparse.dense() @ w)
    torch.testing.assert_close(w.grad, sparse.dense().t() @ weight)


def test_gradient_is_that_of_finite_differences() -> None:
    sparse = sparse_features(6, 4)
    x = torch.randn(4, 3, dtype=torch.double, requires_grad=True)
    assert torch.autograd.gradcheck(lambda x: sparse @ x, (x,))


def test_an_empty_row_and_an_empty_column_give_zeros() -> None:
    pattern = Pattern(torch.tensor([0, 2]), torch.tensor([1, 1]), (3, 3))
    sparse = Sparse(pattern, torch.tensor([2.0, 3.0]))
    x = torch.ones(3, 2, requires_grad=True)
    y = sparse @ x
    y.sum().backward()
    assert y.tolist() == [[2, 2], [0, 0], [3, 3]]
    assert x.grad is not None
    assert x.grad.tolist() == [[0, 0], [5, 5], [0, 0]]


def test_a_symmetric_matrix_has_no_second_copy() -> None:
    pattern = Pattern(torch.tensor([0, 1]), torch.tensor([1, 0]), (2, 2))
    sparse = Sparse(pattern, torch.ones(2), symmetric=True)
    assert sparse.csr_t is sparse.csr


def test_dropout_of_a_sparse_matrix_is_of_its_entries_and_its_gradient_the_same_mask() -> None:
    sparse = sparse_features(40, 30)
    w = torch.randn(30, 2, dtype=torch.double, requires_grad=True)
    half = sparse.dropped(0.5)
    dense = half.dense()
    kept = dense != 0
    torch.testing.assert_close(dense[kept], 2 * sparse.dense()[kept])
    assert 0 < kept.sum() < sparse.entries
    (half @ w).sum().backward()
    torch.testing.assert_close(w.grad, dense.t() @ torch.ones(40, 2, dtype=torch.double))
