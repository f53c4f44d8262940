"""Of a matrix that is not finite nothing is decomposed: its value is NaN, on every processor."""

import contextlib
import math

import pytest
import torch
from torch import Tensor

from workings.formula.errors import Undefined
from workings.formula.evaluation.arithmetic import power
from workings.formula.evaluation.decompositions import of_finite
from workings.formula.evaluation.functions import FUNCTIONS
from workings.formula.evaluation.matrices import norm

# None of these is finite, or stays so when it is added to its transpose.
LARGE = torch.full((3, 3), 1.7e308, dtype=torch.float64)
NOT_FINITE = {
    "an infinite entry in a diagonal with 0": torch.diag(torch.tensor([3.5e-216, math.inf, 0.0])),
    "one NaN": torch.diag(torch.tensor([math.nan, 1.0, 2.0])),
    "all infinite": torch.full((3, 3), math.inf),
    "all negative infinite": torch.full((3, 3), -math.inf),
}
FUNCTIONS_OF_MATRICES = (
    "inv", "adj", "pinv", "eig", "singular", "nuclear", "cond", "rank",
    "\\lambda_{\\max}", "\\lambda_{\\min}", "\\sigma_{\\max}", "\\sigma_{\\min}",
    "matrix log", "matrix sqrt",
)  # fmt: skip


def value_of(name: str, x: Tensor) -> Tensor:
    if name == "the spectral norm":
        return norm(x, torch.tensor(2.0))
    if name.startswith("power"):
        return power(x, torch.tensor(float(name.split()[1]), dtype=torch.float64))
    return FUNCTIONS[name](x)


@pytest.mark.parametrize("matrix", NOT_FINITE)
@pytest.mark.parametrize(
    "name", [*FUNCTIONS_OF_MATRICES, "the spectral norm", "power -1", "power 0.3"]
)
def test_a_matrix_that_is_not_finite_has_values_that_are_not(name: str, matrix: str) -> None:
    x = NOT_FINITE[matrix].double().requires_grad_()
    value = value_of(name, x)
    assert not torch.isfinite(value).all()
    torch.autograd.grad(value.sum(), x)  # a derivative of it is no error either


@pytest.mark.parametrize("name", [*FUNCTIONS_OF_MATRICES, "the spectral norm", "power 0.3"])
def test_a_matrix_too_large_to_be_added_to_itself_is_no_error(name: str) -> None:
    with contextlib.suppress(Undefined):  # it is singular
        value_of(name, LARGE)


def test_what_does_not_converge_is_not_computed() -> None:
    def fails(x: Tensor) -> Tensor:
        return torch.linalg.inv(torch.zeros_like(x))

    with pytest.raises(Undefined, match="cannot be decomposed"):
        of_finite(fails, torch.eye(2))
