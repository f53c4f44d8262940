"""Wrong formulas by entries: what they are repaired by."""

import pytest

import workings

SYMBOLS = {"z": "n x 1", "x": "n x 1", "W": "m x n", "y": "m x 1"}
EQUATIONS = [
    r"p = \mathrm{softmax}(z)",
    r"\mu = \frac1n \sum_i x_i",
    r"v = \frac1n \sum_i (x_i - \mu)^2",
    r"E = \frac12 \|W x - y\|^2",
]


@pytest.mark.parametrize(
    ("claim", "repair"),
    [
        (r"\log p_i = z_i - \log \sum_{j=1}^n e^{z_i}", r"z_i - \log(\sum_{j=1}^n \exp(z_j))"),
        (r"\frac{\partial p_i}{\partial z_j} = p_i (1 - p_j)", r"p_i (\delta_{ij} - p_j)"),
        (
            r"\frac{\partial p_i}{\partial z_j} = p_i (\delta_{ij} - p_i)",
            r"p_j (\delta_{ij} - p_i)",
        ),
        (r"\frac{\partial v}{\partial x_i} = \frac{x_i - \mu}{n}", r"2 \frac{x_i - \mu}{n}"),
        (r"\frac{\partial E}{\partial W_{ij}} = x_j", r"((W x - y) x^\top)_{ij}"),
    ],
)
def test_it_is_repaired_and_the_repair_holds(claim: str, repair: str) -> None:
    (result,) = workings.check(symbols=SYMBOLS, equations=EQUATIONS, claims=[claim], seed=3)
    assert result.verdict.is_wrong
    assert result.repair is not None
    assert result.repair.formula.endswith(f"= {repair}")
    formulas = [result.repair.formula]
    assert workings.check(symbols=SYMBOLS, equations=EQUATIONS, claims=formulas, seed=4)[0].holds
