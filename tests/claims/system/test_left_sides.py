"""Which letters are free: those that no sum binds, alone or with another."""

import pytest

import workings

SYMBOLS = {
    "x": "n x 1", "A": "n x n", "S": "symmetric n x n", "C": "n x n", "g": "scalar",
}  # fmt: skip


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        (r"\sum_{i<j} x_i x_j = \frac12 ((\sum_i x_i)^2 - \sum_i x_i^2)", "holds"),
        (r"\sum_{i<j} x_i x_j = (\sum_i x_i)^2", "wrong value"),
        (r"\sum_{i \neq j} A_{ij} = \mathbf{1}^T A \mathbf{1} - \mathrm{tr}(A)", "holds"),
        (
            r"\sum_{i \le j} S_{ij} = \frac12(\mathbf 1^T S \mathbf 1 - \mathrm{tr} S)",
            "wrong value",
        ),
        (r"\sum_{i>j} x_i x_j = \sum_{i<j} x_i x_j", "holds"),
        (r"\sum_{j \ne k} x_j = \sum_j x_j - x_k", "holds"),
        (r"\sum_{j \ne k} x_j = \sum_j x_j + x_k", "wrong value"),
        (r"\sum_{k=1}^n C_{ik} (C^{-1})_{kj} = \delta_{ij}", "holds"),
        (r"\mathrm{diag}(x)_{ij} = x_i \delta_{ij}", "holds"),
        (r"\mathrm{diag}(x)_{ij} = x_i", "wrong value"),
        (r"\frac{\partial (A x)_i}{\partial A_{jk}} = \delta_{ij} x_k", "holds"),
        (r"\frac{\partial (A x)_i}{\partial A_{jk}} = \delta_{ik} x_j", "wrong value"),
        (r"g^T x = g x", "not read"),  # a power, perhaps
        (r"A x = \sum_{j=1}^n x_j a_j", "holds"),  # of the columns
        (r"A^T A = \sum_j a_j a_j^T", "holds"),  # of the rows
        (r"A A = \sum_j a_j a_j^T", "wrong value"),
        (r"A_{ii} = 1", "not read"),  # each, or their sum
        (r"\sum_i A_{ii} = \mathrm{tr}(A)", "holds"),
    ],
)
def test_letters_under_signs_of_sums(claim: str, verdict: str) -> None:
    (result,) = workings.check(symbols=SYMBOLS, claims=[claim], seed=2)
    assert (result.verdict, claim) == (verdict, claim)


def test_a_number_to_the_last_step_is_a_power() -> None:
    claims = [
        r"v_T = \beta^T v_0 + (1 - \beta) \sum_{t=1}^T \beta^{T-t} g_t",
        r"v_T = \sum_{t=1}^T \beta^{T-t} g_t",
    ]
    right, wrong = workings.check(
        symbols={r"\beta": "positive scalar", "g_t": "n x 1", "v_0": "n x 1"},
        equations=[r"v_t = \beta v_{t-1} + (1-\beta) g_t"],
        claims=claims,
        steps=4,
        seed=1,
    )
    assert (right.verdict, wrong.verdict) == ("holds", "wrong value")
    assert wrong.repair is None  # v_T = v_t would say nothing


def test_what_holds_only_near_zero_is_wrong_whatever_the_sizes() -> None:
    for seed in range(4):
        (result,) = workings.check(
            symbols={"s": "scalar", "x": "n x 1"}, claims=[r"\arctan(\tan(s)) = s"], seed=seed
        )
        assert result.verdict.is_wrong
        assert result.repair is None
