"""How far rounding may move a value: by noise on the way, one try first and more where asked.

On the way back through a softmax, too, and twice for a second derivative.
"""

import math

import pytest
import torch
from torch import Tensor

import workings
from workings.claims.system.noise import LEVEL, ROUNDING, Noise, Rounding
from workings.formula import nodes as f
from workings.formula.errors import Undefined
from workings.formula.evaluation.evaluate import Scope

SYMBOLS = {"z": "K x 1", "y": "onehot K x 1", "\\tau": "positive scalar"}
EQUATIONS = [r"p = \mathrm{softmax}(z / \tau)", r"E = -\sum_i y_i \log p_i"]
RIGHT = r"\nabla_z^2 E = \frac{1}{\tau^2}(\mathrm{diag}(p) - p p^T)"
NAME = f.Reference("x", "x")
VALUE = torch.tensor([[1.5, -2.5, 0.25]], dtype=torch.float64)


def noisy_difference(noise: Noise) -> Tensor:
    """(x + 1000) - 1000: of what is added and taken away again the noise is left."""
    large = noise(NAME, VALUE + 1000, Scope({}, {}))
    return large - 1000


def test_each_entry_is_off_by_half_to_one_and_a_half_of_the_level() -> None:
    noise = Noise(torch.Generator().manual_seed(3))
    off = (noise(NAME, VALUE, Scope({}, {})) / VALUE - 1).abs() / LEVEL
    assert ((off > 0.499) & (off < 1.501)).all()


def test_a_cancelled_sum_moves_by_what_was_cancelled() -> None:
    moved = Rounding(VALUE, noisy_difference, 3).moved() / ROUNDING
    assert ((moved > 490 * LEVEL) & (moved < 1510 * LEVEL)).all()


def test_more_tries_move_it_at_least_as_far_and_the_first_is_not_repeated() -> None:
    calls = []

    def noisy(noise: Noise) -> Tensor:
        calls.append(noise)
        return noisy_difference(noise)

    rounding = Rounding(VALUE, noisy, 3)
    once = rounding.moved(thoroughly=False)
    assert len(calls) == 1
    assert (rounding.moved() >= once).all()
    assert (rounding.moved() > once).any()
    assert len(calls) == 3


def test_where_the_noise_leaves_no_number_rounding_decides() -> None:
    answers = iter([VALUE, torch.full_like(VALUE, math.nan)])
    rounding = Rounding(VALUE, lambda noise: next(answers), 3)
    assert torch.isfinite(rounding.moved(thoroughly=False)).all()
    assert (rounding.moved() == math.inf).all()
    assert (rounding.moved() == math.inf).all()  # nothing more is tried


def test_without_one_try_that_has_a_value_the_usual_tolerance_is_left() -> None:
    def without_value(noise: Noise) -> Tensor:
        raise Undefined("no value")

    moved = Rounding(VALUE, without_value, 3).moved()
    assert moved.tolist() == [[pytest.approx(2.5e-8)] * 3]


@pytest.mark.parametrize("seed", [1, 4])  # of a temperature so small that much cancels
def test_what_autograd_rounds_on_its_way_back_is_no_mistake(seed: int) -> None:
    claims = [RIGHT, RIGHT.replace(r"p p^T", r"\frac{1}{2} p p^T")]
    report = workings.check(symbols=SYMBOLS, equations=EQUATIONS, claims=claims, seed=seed)
    assert [result.verdict for result in report] == ["holds", "wrong value"]
