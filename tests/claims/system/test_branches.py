"""Sides of kinks: each alone, and two at one entry."""

import pytest

import workings


def test_a_branch_at_which_all_is_too_large_says_nothing() -> None:
    for seed in range(6):
        (result,) = workings.check(
            symbols={"x": "scalar"},
            claims=[r"\mathbb{1}[x > 150] e^x = \mathbb{1}[x > 150] e^{x / 2} e^{x / 2}"],
            seed=seed,
        )
        assert not result.verdict.is_wrong


SUM_OF_ABSOLUTES = (
    {"x": "1 x d", "W": "d x m", "b": "1 x m", "y": "1 x m"},
    (
        "z = x W + b",
        r"h = \mathrm{relu}(z)",
        "r = h - y",
        r"L = \frac{1}{2} \mathrm{sum}(\mathrm{abs}(r))",
    ),
)
HINGE_OF_A_RELU = (
    {"w": "n x 1", "x": "n x 1", "y": "scalar"},
    (r"s = \mathrm{relu}(w^T x)", r"L = \max(0, 1 - y s)"),
)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize(
    ("system", "by", "right", "wrong"),
    [
        (
            SUM_OF_ABSOLUTES,
            "b",
            r"\frac{1}{2} \mathrm{sign}(r) \odot \mathrm{relu}'(z)",
            r"\frac{1}{2} \mathrm{relu}'(z)",
        ),
        (
            HINGE_OF_A_RELU,
            "w",
            r"-y \mathbb{1}[1 - y s > 0] \mathbb{1}[w^T x > 0] x",
            r"-y \mathbb{1}[w^T x > 0] x",
        ),
    ],
)
def test_a_factor_that_matters_only_where_two_kinks_meet_is_missed(
    system: tuple[dict[str, str], tuple[str, ...]], by: str, right: str, wrong: str, seed: int
) -> None:
    symbols, equations = system
    claims = [rf"\frac{{\partial L}}{{\partial {by}}} = {side}" for side in (right, wrong)]
    verdicts = [
        each.verdict
        for each in workings.check(symbols=symbols, equations=equations, claims=claims, seed=seed)
    ]
    assert verdicts == ["holds", "wrong value"]
