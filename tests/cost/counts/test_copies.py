"""What is moved by assignments, in place and to places, by hand at several sizes."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from workings.cost.counts.tally import Example, Tally, tally

B, c = 2, 3
SIZES = [5, 8, 13]


class Of(nn.Module):
    """A function as a module."""

    def __init__(self, f: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self.f = f

    def forward(self, x: Tensor) -> Tensor:
        return self.f(x)


def tallied(f: Callable[[Tensor], Tensor], *shape: int) -> Tally:
    return tally(lambda _: Example(Of(f), (torch.randn(shape),)), {})


def total(result: Tally, quantity: str) -> int:
    assert not result.uncounted
    return sum(value for (name, _), value in result.counts.items() if name == quantity)


def moved(f: Callable[[Tensor], Tensor], *shape: int) -> int:
    return total(tallied(f, *shape), "moved")


def assigned(key: object, value: Callable[[Tensor], Tensor | float]) -> Callable[[Tensor], Tensor]:
    """Zeros like x, in which `value` of x is assigned to `key`."""

    def f(x: Tensor) -> Tensor:
        y = torch.zeros_like(x)
        y[key] = value(x)  # type: ignore[index]
        return y

    return f


def at(*places: int) -> Tensor:
    return torch.tensor(places)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("mode", ["circular", "reflect", "replicate", "constant"])
def test_padding_of_every_kind_writes_all_that_it_gives(mode: str, n: int) -> None:
    assert moved(lambda x: F.pad(x, (2, 2), mode=mode), B, c, n) == B * c * (n + 4)


@pytest.mark.parametrize("mode", ["reflect", "replicate"])
def test_padding_of_a_volume(mode: str) -> None:
    assert moved(lambda x: F.pad(x, (1,) * 6, mode=mode), 1, c, 3, 4, 5) == c * 5 * 6 * 7


@pytest.mark.parametrize("n", SIZES)
def test_a_cache_is_filled_as_far_as_it_is_assigned_to(n: int) -> None:
    def cached(x: Tensor) -> Tensor:
        cache = x.new_zeros(2 * len(x), 4)
        cache[: len(x)] = x
        return cache

    assert moved(cached, n, 4) == n * 4


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize(
    ("f", "times"),
    [
        (lambda x: torch.empty_like(x).copy_(x), 1),
        (lambda x: torch.empty_like(x).copy_(x[:1]), 1),  # repeated as it is written
        (lambda x: torch.empty_like(x, dtype=torch.float64).copy_(x), 1),
        (assigned(..., lambda x: x), 1),
        (assigned(slice(None), lambda x: x[0]), 1),
        (assigned(..., lambda x: x[0, 0]), 1),
        (lambda x: x.clone().copy_(x).copy_(x), 3),
        (lambda x: torch.slice_scatter(x, x[:2], 0, 0, 2), 1),
        (lambda x: torch.select_scatter(x, x[0], 0, 1), 1),
        (lambda x: torch.diagonal_scatter(x, x.diagonal()), 1),
    ],
)
def test_a_copy_of_all(f: Callable[[Tensor], Tensor], times: int, n: int) -> None:
    assert moved(f, n, 4) == times * n * 4


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize(
    ("f", "rows"),
    [
        (assigned(slice(1, 3), lambda x: x[:2]), 2),
        (assigned(1, lambda x: x[0]), 1),
        (assigned(at(1, 2, 4), lambda x: x[:3]), 3),
        (assigned(at(1, 2, 4), lambda x: x[0]), 3),  # one row to three places
        (assigned(at(1, 2, 4), lambda x: 0.0), 3),
        (lambda x: torch.zeros_like(x).index_copy_(0, at(0, 3), x[:2]), 2),
        (lambda x: torch.zeros_like(x).index_fill_(0, at(0, 3), 1.0), 2),
        (lambda x: torch.zeros_like(x).scatter_(0, at(0, 3)[:, None].expand(2, 4), x[:2]), 2),
        (lambda x: torch.zeros_like(x).scatter_(0, at(0, 3)[:, None].expand(2, 4), 1.0), 2),
    ],
)
def test_a_copy_to_some_rows(f: Callable[[Tensor], Tensor], rows: int, n: int) -> None:
    assert moved(f, n, 4) == rows * 4


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ((slice(None), at(0, 2)), lambda x: x[:, :2], 6 * 2),
        ((at(0, 2), at(1, 1)), lambda x: x[0, :2], 2),
        ((at(0, 2)[:, None], at(1, 3, 0)), lambda x: x[:2, :3], 6),
    ],
)
def test_a_copy_to_places(
    key: object, value: Callable[[Tensor], Tensor | float], expected: int
) -> None:
    assert moved(assigned(key, value), 6, 4) == expected


def test_a_number_fills_a_part_for_nothing_as_zeros_are() -> None:
    assert moved(assigned(slice(2), lambda x: 1.0), 6, 4) == 0
    assert moved(lambda x: x.clone().fill_(0.0), 6, 4) == 24
    assert moved(lambda x: x.clone().fill_diagonal_(0.0), 6, 4) == 24


def test_adding_to_a_part_copies_nothing() -> None:
    def f(x: Tensor) -> Tensor:
        y = torch.zeros_like(x)
        y[:2] += x[2:4]
        return y

    assert moved(f, 6, 4) == 0
    assert total(tallied(f, 6, 4), "elementwise") == 8


def test_a_mask_is_filled_element_by_element() -> None:
    def f(x: Tensor) -> Tensor:
        y = torch.zeros_like(x)
        y[x > 0] = 1.0
        return y

    result = tallied(f, 6, 4)
    assert not result.real
    assert (total(result, "elementwise"), total(result, "moved")) == (2 * 24, 0)


def test_a_mask_that_says_how_many_are_written_is_counted_with_values() -> None:
    def f(x: Tensor) -> Tensor:
        y = torch.zeros_like(x)
        y[at(1, 0, 1, 1, 0, 0) == 1] = torch.ones(4)
        return y + x

    result = tallied(f, 6, 4)
    assert result.real
    assert total(result, "moved") == 3 * 4


@pytest.mark.parametrize("n", SIZES)
def test_the_gradient_of_what_is_written_in_places_by_torchs_own_additions(n: int) -> None:
    """A circular padding reads its own middle twice: two additions of whole gradients."""
    f = lambda x: F.pad(x, (2, 2), mode="circular")  # noqa: E731
    assert total(tallied(f, B, c, n), "elementwise_backward") == 2 * B * c * (n + 4)
    assert total(tallied(assigned(..., lambda x: x), n, 4), "elementwise_backward") == 0
    # A row that was repeated as it was written: its gradient is the sum over the rows, and goes
    # back to its place.
    assert total(tallied(assigned(..., lambda x: x[0]), n, 4), "elementwise_backward") == n * 4


def test_a_diagonal_and_unpooling_put_elements_in_places() -> None:
    assert moved(torch.diag_embed, 5, 4) == 20
    pooled = lambda x: F.max_pool2d(x, 2, return_indices=True)  # noqa: E731
    assert moved(lambda x: F.max_unpool2d(*pooled(x), (2, 2)), 1, 2, 4, 6) == 2 * 2 * 3


@pytest.mark.parametrize("kind", ["nearest", "nearest-exact"])
def test_the_nearest_element_is_copied(kind: str) -> None:
    f = lambda x: F.interpolate(x, scale_factor=2, mode=kind)  # noqa: E731
    result = tallied(f, 1, 2, 4, 5)
    assert (total(result, "moved"), total(result, "elementwise")) == (2 * 8 * 10, 0)
