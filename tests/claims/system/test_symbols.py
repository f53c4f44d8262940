"""Declared symbols: what is drawn is of its kind, and a wrong declaration is named."""

import hypothesis.strategies as st
import pytest
import torch
from hypothesis import given, settings

from workings.claims.system.symbols import PRIMES, canonical, declare, side
from workings.errors import WorkingsError

SIZES = {"n": 5, "d": 7, "V": 3}


def draw(text: str, seed: int = 0) -> torch.Tensor:
    return declare("x", text).draw(SIZES, torch.Generator().manual_seed(seed))


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("1 x d", (1, 7)), ("n x d", (5, 7)), ("n × d", (5, 7)), (r"n \times d", (5, 7)),
        ("scalar", ()), ("positive scalar", ()), ("positive", ()), ("4 d x 1", (28, 1)),
        ("2 x 3", (2, 3)), ("1 x |V|", (1, 3)), ("d+1 x n", (8, 5)), ("one-hot 1 x V", (1, 3)),
        ("matrix n x d", (5, 7)),
    ],
)  # fmt: skip
def test_shapes(text: str, shape: tuple[int, ...]) -> None:
    value = draw(text)
    assert tuple(value.shape) == shape
    assert value.dtype == torch.float64


@given(st.integers(0, 10_000))
@settings(max_examples=25, deadline=None, derandomize=True)
def test_what_is_drawn_is_of_its_kind(seed: int) -> None:
    hot = draw("onehot n x d", seed)
    assert bool(((hot == 0) | (hot == 1)).all())
    assert bool((hot.sum(1) == 1).all())
    assert float(draw("onehot d x 1", seed).sum()) == 1
    assert bool((draw("positive n x d", seed) > 0).all())
    symmetric = draw("symmetric n x n", seed)
    assert torch.equal(symmetric, symmetric.t())
    graph = draw("adjacency n x n", seed)
    assert torch.equal(graph, graph.t())
    assert bool(((graph == 0) | (graph == 1)).all())
    assert float(graph.trace()) == 0
    assert bool((torch.linalg.matrix_power(graph + torch.eye(5), 5) > 0).all())  # connected
    diagonal = draw("diagonal n x n", seed)
    assert torch.equal(diagonal, torch.diag(torch.diagonal(diagonal)))
    assert bool((torch.diagonal(draw("positive diagonal n x n", seed)) > 0).all())
    orthogonal = draw("orthogonal n x n", seed)
    identity = torch.eye(5).double()
    torch.testing.assert_close(orthogonal @ orthogonal.t(), identity, atol=1e-12, rtol=0)
    assert bool((torch.linalg.eigvalsh(draw("positive definite n x n", seed)) > 0.05).all())
    lower = draw("lower triangular n x n", seed)
    assert torch.equal(lower, lower.tril())
    permutation = draw("permutation n x n", seed)
    assert torch.equal(permutation @ permutation.t(), identity)
    assert bool(((permutation == 0) | (permutation == 1)).all())
    assert set(draw("binary n x d", seed).unique().tolist()) == {0.0, 1.0}
    for text in ("stochastic n x 1", "stochastic 1 x n", "probability n x d"):
        p = draw(text, seed)
        assert float(p.sum()) == pytest.approx(1)
        assert bool((p > 0).all())
        assert float(p.max()) > float(p.min())
    assert 0 < float(draw("probability", seed)) < 1
    rows = draw("stochastic n x d", seed)
    torch.testing.assert_close(rows.sum(1), torch.ones(5).double(), atol=1e-12, rtol=0)
    assert float(draw("integer scalar", seed)).is_integer()


def test_kinds_are_drawn_in_full_generality() -> None:
    """Both determinants, both signs on a diagonal, values near 0."""
    determinants = [float(torch.linalg.det(draw("orthogonal n x n", seed))) for seed in range(20)]
    assert {round(each) for each in determinants} == {-1, 1}
    diagonals = torch.stack([draw("diagonal n x n", seed).diagonal() for seed in range(20)])
    assert bool((diagonals > 0).any(0).all())
    assert bool((diagonals < 0).any(0).all())
    positive = torch.stack([draw("positive n x d", seed) for seed in range(20)])
    assert float(positive.min()) < 0.05


def test_a_size_may_be_a_word() -> None:
    for text in ("hidden x vocab", "positive hidden x 1", "1 x hidden", "symmetric units x units"):
        names = {name: size for size, name in enumerate(("hidden", "vocab", "units"), start=2)}
        value = declare("W", text).draw(names, torch.Generator())
        sides = text.split(" ")[-3::2]
        assert list(value.shape) == [names.get(name) or int(name) for name in sides]


def test_draws_differ_and_repeat() -> None:
    assert not torch.equal(draw("n x d", 1), draw("n x d", 2))
    assert torch.equal(draw("n x d", 1), draw("n x d", 1))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("onehott 1 x V", "onehot"),
        ("banana 1 x V", "banana"),
        ("symmetric n x d", "square"),
        ("orthogonal", "square"),
        ("onehot", "shape"),
        ("n", "shape"),
        ("n x d x V", "shape"),
        ("n x", "shape"),
        ("x", "shape"),
        ("", "shape"),
        ("scalar 1 x d", "shape"),
        ("n y d", ""),
    ],
)
def test_a_wrong_declaration_is_named(text: str, expected: str) -> None:
    with pytest.raises(WorkingsError) as caught:
        declare("H", text)
    assert str(caught.value).startswith("symbols.H")
    assert expected in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_side_is_a_whole_number_above_zero() -> None:
    assert side("4 d", SIZES) == 28
    for text in ("d/2", "n - 5", "n - 9"):
        with pytest.raises(WorkingsError, match="whole number"):
            side(text, SIZES)
    with pytest.raises(WorkingsError, match="m is not a size"):
        side("m", SIZES)
    for size in (0, -1):
        with pytest.raises(WorkingsError, match=f"the side n is {size}"):
            side("n", {"n": size})


def test_one_spelling_of_a_size() -> None:
    assert canonical("N_{hidden}") == canonical("N_hidden") == "N_hidden"
    assert canonical("|V|") == "V"


def test_the_sizes_to_choose_from_are_distinct_primes() -> None:
    assert len(set(PRIMES)) == len(PRIMES)
    assert all(p > 1 and all(p % q for q in range(2, p)) for p in PRIMES)
