"""The matrix exponential against its own power series, at norms of all sizes."""

import pytest
import torch

from workings.formula.evaluation.matrices import expm


@pytest.mark.parametrize("norm", [0.005, 0.02, 0.049, 0.099, 0.101, 1.0, 3.0])
def test_the_matrix_exponential_is_exact_to_rounding(norm: float) -> None:
    x = torch.randn(4, 4, generator=torch.Generator().manual_seed(3), dtype=torch.float64)
    x = (x / torch.linalg.matrix_norm(x, 1) * norm).requires_grad_()
    term = total = torch.eye(4, dtype=torch.float64)
    for order in range(1, 60):
        term = term @ x.detach() / order
        total = total + term
    torch.testing.assert_close(expm(x), total, rtol=1e-14, atol=1e-15)
    (slope,) = torch.autograd.grad(expm(x).trace(), x)  # of tr e^X, which is e^X transposed
    torch.testing.assert_close(slope, total.t(), rtol=1e-13, atol=1e-14)
