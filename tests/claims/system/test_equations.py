"""Equations as a live model: values against torch, sizes, steps."""

import pytest
import torch

from tests.claims.sets import assert_same, reader_of
from workings.errors import WorkingsError

CELL = {
    "x^{(t)}": "1 x d", "h^{(0)}": "1 x k", "W": "k x k", "V": "d x k",
}  # fmt: skip
STEP = [r"h^{(t)} = \tanh(h^{(t-1)} W + x^{(t)} V)", r"L = \sum_{j=1}^{3} h^{(j)} (h^{(j)})^T"]


def test_equations_in_any_order_are_computed_in_theirs() -> None:
    _, system = reader_of({"x": "1 x d", "W": "d x n"}, ["L = z z^T", "z = x W"])
    draw = system.draw(1)
    scope = system.run(draw)
    z = draw.leaves["x"] @ draw.leaves["W"]
    assert_same(scope.values["z"], z)
    assert_same(scope.values["L"], z @ z.t())


def test_steps_against_a_plain_loop() -> None:
    _, system = reader_of(CELL, STEP, steps=3)
    draw = system.draw(1)
    leaves = draw.leaves
    h, total = leaves["h@0"], torch.zeros(1, 1, dtype=torch.float64)
    scope = system.run(draw)
    for step in (1, 2, 3):
        h = torch.tanh(h @ leaves["W"] + leaves[f"x@{step}"] @ leaves["V"])
        total = total + h @ h.t()
        assert_same(scope.values[f"h@{step}"], h)
    assert_same(scope.values["L"], total)


def test_what_is_given_stands_in_place_of_what_an_equation_says() -> None:
    _, system = reader_of({"x": "1 x d", "W": "d x n"}, ["z = x W", "L = z z^T"])
    draw = system.draw(1)
    z = torch.ones(1, draw.sizes["n"], dtype=torch.float64)
    assert_same(system.run(draw, {"z": z}).values["L"], z @ z.t())


@pytest.mark.parametrize("count", [1, 2, 3, 5, 8])
def test_sizes_are_distinct_and_change_from_draw_to_draw(count: int) -> None:
    names = "abcdefgh"[:count]
    _, system = reader_of({f"X_{name}": f"{name} x 1" for name in names})
    drawn = [system.draw(seed).sizes for seed in (1, 2, 3)]
    for sizes in drawn:
        assert len(set(sizes.values())) == count
        assert min(sizes.values()) > 1
    for name in names:
        assert len({sizes[name] for sizes in drawn}) > 1, f"{name} is the same at all draws"


def test_a_size_that_is_given_is_kept_and_may_depend_on_others() -> None:
    _, system = reader_of({"X": "n x m"}, sizes={"m": "2 n"})
    for seed in (1, 2, 3):
        sizes = system.draw(seed).sizes
        assert sizes["m"] == 2 * sizes["n"]
        assert tuple(system.draw(seed).leaves["X"].shape) == (sizes["n"], sizes["m"])


@pytest.mark.parametrize(
    "sizes", [{"n": 0}, {"n": -3}, {"n": 10**9}, {"n": "m", "m": "n"}, {"n": "q + 1"}, {"n": "1/2"}]
)
def test_sizes_that_cannot_be_are_named(sizes: dict[str, int | str]) -> None:
    _, system = reader_of({"X": "n x 2"}, sizes=sizes)
    with pytest.raises(WorkingsError) as caught:
        system.draw(1)
    assert "\n" not in str(caught.value)


def test_thirteen_sizes_are_too_many() -> None:
    _, system = reader_of({f"X_{k}": f"n_{k} x 1" for k in range(13)})
    with pytest.raises(WorkingsError, match="13 sizes; at most 12"):
        system.draw(1)


def test_sizes_that_contradict_name_the_equation_and_the_product() -> None:
    _, system = reader_of({"x": "1 x d", "W": "n x d"}, ["z = x W"])
    with pytest.raises(WorkingsError, match=r"equation 'z = x W': the product of .* x with W"):
        system.run(system.draw(1))


def test_a_state_before_the_first_that_is_not_declared_is_named() -> None:
    shapes = {key: value for key, value in CELL.items() if key != "h^{(0)}"}
    _, system = reader_of(shapes, STEP, steps=3)
    with pytest.raises(WorkingsError, match=r"h\^\{\(t-1\)\} has no value \(step 0\)"):
        system.run(system.draw(1))
