"""Choosing the next token: what may be chosen, and how often."""

import pytest
import torch
from torch import Generator, Tensor

from workings.errors import WorkingsError
from workings.schema import build
from workings.tasks.language.sampling import Sampling, choose

DRAWS = 20_000


@pytest.fixture
def generator() -> Generator:
    return Generator().manual_seed(1)


def logits_of(*probabilities: float) -> Tensor:
    """One row a draw."""
    return torch.tensor(probabilities).log().expand(DRAWS, -1)


def shares(chosen: Tensor, types: int) -> Tensor:
    return torch.bincount(chosen, minlength=types) / len(chosen)


def assert_like(found: Tensor, expected: Tensor) -> None:
    """Within four standard deviations of a count of independent draws."""
    deviation = (expected * (1 - expected) / DRAWS).sqrt()
    assert ((found - expected).abs() <= 4 * deviation).all()


def test_greedy_is_the_likeliest_of_every_row(generator: Generator) -> None:
    logits_BV = torch.randn(50, 9, generator=generator)
    chosen = choose(logits_BV, Sampling(greedy=True), generator)[0]
    assert torch.equal(chosen, logits_BV.argmax(1))


@pytest.mark.parametrize("sampling", [Sampling(top_k=1), Sampling(top_p=1e-6)])
def test_one_token_left_is_greedy(generator: Generator, sampling: Sampling) -> None:
    logits_BV = torch.randn(50, 9, generator=generator)
    assert torch.equal(choose(logits_BV, sampling, generator)[0], logits_BV.argmax(1))


@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.0])
def test_tokens_are_drawn_by_the_softmax_at_the_temperature(
    generator: Generator, temperature: float
) -> None:
    logits_V = torch.tensor([2.0, 0.0, 1.0, -1.0, 0.5])
    chosen = choose(logits_V.expand(DRAWS, -1), Sampling(temperature=temperature), generator)[0]
    assert_like(shares(chosen, 5), (logits_V / temperature).softmax(0))


def test_a_low_temperature_is_nearly_greedy(generator: Generator) -> None:
    chosen = choose(logits_of(0.3, 0.4, 0.3), Sampling(temperature=0.01), generator)[0]
    assert (chosen == 1).all()


@pytest.mark.parametrize("k", [2, 3, 4, 10])
def test_top_k_draws_from_the_k_likeliest_only(generator: Generator, k: int) -> None:
    p = torch.tensor([0.1, 0.4, 0.2, 0.3])
    kept = p.where(p >= p.sort(descending=True).values[min(k, 4) - 1], 0)
    chosen = choose(logits_of(*p.tolist()), Sampling(top_k=k), generator)[0]
    assert_like(shares(chosen, 4), kept / kept.sum())


@pytest.mark.parametrize(
    ("top_p", "kept"), [(0.3, [1]), (0.45, [1, 3]), (0.75, [1, 2, 3]), (0.95, [0, 1, 2, 3])]
)
def test_top_p_draws_from_the_fewest_that_have_the_share(
    generator: Generator, top_p: float, kept: list[int]
) -> None:
    p = torch.tensor([0.1, 0.4, 0.2, 0.3])
    expected = torch.zeros(4).index_copy(0, torch.tensor(kept), p[kept])
    chosen = choose(logits_of(*p.tolist()), Sampling(top_p=top_p), generator)[0]
    assert_like(shares(chosen, 4), expected / expected.sum())


def test_top_p_takes_its_share_from_what_top_k_left(generator: Generator) -> None:
    # Of 0.4 and 0.3 the first alone has 0.57 of what is left, though 0.4 of the whole.
    sampling = Sampling(top_k=2, top_p=0.5)
    assert (choose(logits_of(0.1, 0.4, 0.2, 0.3), sampling, generator)[0] == 1).all()


@pytest.mark.parametrize(
    "sampling",
    [
        Sampling(),
        Sampling(greedy=True),
        Sampling(temperature=5.0),
        Sampling(top_k=3),
        Sampling(top_p=0.99),
    ],
)
def test_a_masked_token_is_never_chosen(generator: Generator, sampling: Sampling) -> None:
    logits_BV = torch.randn(500, 4, generator=generator)
    logits_BV[:, 2] = float("-inf")
    assert (choose(logits_BV, sampling, generator)[0] != 2).all()


def test_the_same_seed_draws_the_same() -> None:
    logits_BV = torch.randn(100, 30, generator=Generator().manual_seed(2))
    draws = [
        choose(logits_BV, Sampling(), Generator().manual_seed(seed))[0].tolist()
        for seed in (1, 1, 2)
    ]
    assert draws[0] == draws[1] != draws[2]


@pytest.mark.parametrize(
    ("key", "value"), [("temperature", 0.0), ("top_k", -1), ("top_p", 0.0), ("top_p", 1.1)]
)
def test_a_setting_out_of_range_is_refused(key: str, value: float) -> None:
    with pytest.raises(WorkingsError, match=f"sampling.{key}: "):
        build(Sampling, {key: value}, "sampling")


def test_a_tiny_temperature_is_greedy_and_does_not_overflow() -> None:
    logits = torch.tensor([[1.0, 30.0, 2.0]])
    generator = torch.Generator().manual_seed(0)
    assert choose(logits, Sampling(temperature=1e-38), generator)[0].item() == 1


def test_nan_is_an_error_not_a_token() -> None:
    with pytest.raises(WorkingsError, match="NaN"):
        choose(torch.tensor([[1.0, float("nan")]]), Sampling(), torch.Generator())


def test_the_probability_is_the_models_own_whatever_the_filter() -> None:
    logits = torch.tensor([[0.0, 1.0, 2.0]] * 50)
    expected = logits.softmax(1)
    for sampling in (Sampling(), Sampling(temperature=0.5, top_k=2), Sampling(greedy=True)):
        token, p = choose(logits, sampling, torch.Generator().manual_seed(1))
        torch.testing.assert_close(p, expected.gather(1, token[:, None])[:, 0])


def test_the_excluded_token_is_never_chosen() -> None:
    logits = torch.tensor([[0.0, 9.0, 1.0]] * 200)
    for sampling in (Sampling(), Sampling(greedy=True), Sampling(top_k=1)):
        token, _ = choose(logits, sampling, torch.Generator().manual_seed(1), excluded=1)
        assert (token != 1).all()
