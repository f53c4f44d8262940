"""Count claims: the difference, its owner, and the conventions that explain it."""

import math
from collections.abc import Callable

import pytest
import torch
from torch import nn

from workings.cost.check_count import Count, check_count, check_dimension, closed_form
from workings.cost.counts.module import spec, spec_of
from workings.errors import WorkingsError
from workings.formula.polynomial import Sizes
from workings.formula.sizes import parse_sizes


def check(name: str, claimed: str) -> Count:
    of = spec(name)
    return check_count(parse_sizes(claimed, of.symbols), of)


@pytest.mark.parametrize(
    ("name", "claimed"),
    [
        ("attention", "4d^2"),
        ("lstm", "4(N_h^2 + N_h N_i + 2N_h)"),
        ("rnn-lm", "V d + D D + d D + D + D V + V"),
        ("cnn-pool", "121C + 224408"),
        ("attention-core", "0"),
    ],
)
def test_claims_that_hold(name: str, claimed: str) -> None:
    verdict = check(name, claimed)
    assert verdict.verdict == "holds"
    assert verdict.difference is None
    assert verdict.evidence.startswith("it is ")


@pytest.mark.parametrize(
    ("name", "claimed", "difference", "owner"),
    [
        ("attention", "3d^2", "d²", "weight of the output layer (output.weight)"),
        ("rnn", "N_h^2 + N_h N_i", "N_h", "b"),
        ("rnn-lm", "V d + D^2 + d D + D + D V", "V", "bias of the output layer (output.bias)"),
        ("gat", "F C", "2·C", "a"),
        ("cnn-pool", "120C + 224088", "C + 320", "bias of dense.0 and bias of the output layer"),
    ],
)
def test_the_owner_of_what_is_missing(name: str, claimed: str, difference: str, owner: str) -> None:
    verdict = check(name, claimed)
    assert verdict.verdict == "wrong value"
    assert str(verdict.difference) == difference
    assert verdict.owner.startswith(owner)
    assert f"the model has {difference} more: {owner}" in verdict.evidence


def test_an_lstm_with_an_output_layer_and_torchs_second_bias() -> None:
    claimed = "4(N_h^2 + N_h N_i + N_h) + N_h N_o"
    verdict = check("lstm-output", claimed)
    assert str(verdict.difference) == "4·N_h + N_o"
    assert verdict.owner == "bias_hh_l0 of lstm and bias of the output layer (output.bias)"
    assert "two biases" in verdict.convention
    assert verdict.convention.endswith("the model has N_o more")
    fair = check("lstm-output", claimed + " + 4N_h")
    assert str(fair.difference) == "N_o"
    assert fair.owner == "bias of the output layer (output.bias)"
    assert fair.convention == ""


@pytest.mark.parametrize(("kind", "gates"), [(nn.LSTMCell, 4), (nn.GRU, 3), (nn.RNN, 1)])
def test_one_bias_holds_by_convention(kind: Callable[[int, int], nn.Module], gates: int) -> None:
    of = spec_of(lambda i, h: kind(i, h), None, None)
    verdict = check_count(parse_sizes(f"{gates}*(h^2 + h*i + h)"), of)
    assert verdict.verdict == "wrong value"
    assert verdict.convention.endswith("the claim holds")


def test_a_claim_of_too_much_says_what_may_be_counted_twice() -> None:
    verdict = check("rnn", "N_h^2 + N_h N_i + 2N_h")
    assert str(verdict.difference) == "-N_h"
    assert "the claim has N_h more: as much as b" in verdict.evidence


def test_a_difference_of_both_signs_is_shown_as_it_is() -> None:
    verdict = check("attention", "4d^2 + 3d - d^2")
    assert "that is d² - 3·d more than claimed" in verdict.evidence


def test_two_parameters_together() -> None:
    verdict = check("attention", "d^2")
    assert verdict.owner == "weight of key_value and weight of the output layer (output.weight)"


def test_rounding_is_compared_size_by_size() -> None:
    of = spec_of(lambda s: nn.Linear(s // 2, 1, bias=False), None, None)
    assert check_count(parse_sizes("s//2"), of).verdict == "holds"
    wrong = check_count(parse_sizes("s/2"), of)
    assert wrong.verdict == "wrong value"
    assert wrong.example is not None
    sizes, claimed, actual = wrong.example
    assert claimed != actual == sizes["s"] // 2
    assert "it is ⌊s/2⌋; at s = 3 claimed 3/2, counted 1" in wrong.evidence


def test_any_function_of_sizes_can_be_the_claim() -> None:
    of = spec("attention")
    assert check_count(lambda sizes: 4 * sizes["d"] ** 2, of).verdict == "holds"
    with pytest.raises(WorkingsError, match="q is not a size here"):
        check_count(parse_sizes("q"), of)


def features(sizes: Sizes) -> int:
    """The number of monomials of degree at most K, by making them."""
    x = torch.arange(1, sizes["D"] + 1)
    return sum(
        len(torch.combinations(x, degree, with_replacement=True)) if degree else 1
        for degree in range(sizes["K"] + 1)
    )


EACH = {"K": (1, 2, 3)}


def test_a_dimension_that_is_a_polynomial_for_each_order() -> None:
    verdict = check_dimension(
        lambda s: math.comb(s["D"] + s["K"], s["K"]), features, ["D", "K"], EACH
    )
    assert verdict.verdict == "holds"
    assert verdict.actual == (
        "C(D + K, K) (K = 1: D + 1; K = 2: D²/2 + 3·D/2 + 1; K = 3: D³/6 + D² + 11·D/6 + 1)"
    )


@pytest.mark.parametrize("claimed", ["2D + 1", "(K - 1)*D + 1", "(D + 1)^K"])
def test_dimensions_that_are_wrong(claimed: str) -> None:
    if "^K" in claimed:
        claim: Callable[[Sizes], int] = lambda s: (s["D"] + 1) ** s["K"]  # noqa: E731
    else:
        parsed = parse_sizes(claimed)
        claim = lambda s: int(parsed(s))  # noqa: E731
    verdict = check_dimension(claim, features, ["D", "K"], EACH)
    assert verdict.verdict == "wrong value"
    assert verdict.example is not None
    sizes, said, actual = verdict.example
    assert said == claim(sizes)
    assert actual == features(sizes) != said
    assert "C(D + K, K)" in verdict.evidence


def test_a_dimension_in_one_size_has_a_difference() -> None:
    verdict = check_dimension(parse_sizes("2D + 1"), lambda s: features({**s, "K": 2}), ["D"])
    assert str(verdict.difference) == "D²/2 - D/2"


def test_closed_forms() -> None:
    def samples(f: Callable[[int, int], int]) -> list[tuple[Sizes, int, int]]:
        return [({"D": D, "K": K}, 0, f(D, K)) for D in range(2, 8) for K in range(1, 5)]

    cases: dict[str | None, Callable[[int, int], int]] = {
        "C(D + K, K)": lambda D, K: math.comb(D + K, K),
        "C(D + K - 1, K)": lambda D, K: math.comb(D + K - 1, K),
        None: lambda D, K: D**K,
    }
    for expected, f in cases.items():
        assert closed_form(samples(f), ["D", "K"]) == expected  # type: ignore[arg-type]


class Narrows(nn.Module):
    """A layer that is built narrower from a width of 1,500 on."""

    def __init__(self, d: int) -> None:
        super().__init__()
        self.linear = nn.Linear(d, 4 * d if d < 1500 else 2 * d, bias=False)


def test_a_claim_is_held_against_large_modules_and_the_numbers_in_their_code() -> None:
    found = check_count(parse_sizes("4*d^2"), spec_of(Narrows, None, None))
    assert found.verdict == "wrong value"
    assert found.example is not None
    sizes, claimed, actual = found.example
    assert sizes["d"] >= 1500
    assert (claimed, actual) == (4 * sizes["d"] ** 2, 2 * sizes["d"] ** 2)
