"""How far rounding goes: on the way back through a softmax, too, twice for a second derivative."""

import pytest

import workings

SYMBOLS = {"z": "K x 1", "y": "onehot K x 1", "\\tau": "positive scalar"}
EQUATIONS = [r"p = \mathrm{softmax}(z / \tau)", r"E = -\sum_i y_i \log p_i"]
RIGHT = r"\nabla_z^2 E = \frac{1}{\tau^2}(\mathrm{diag}(p) - p p^T)"


@pytest.mark.parametrize("seed", [1, 4])  # of a temperature so small that much cancels
def test_what_autograd_rounds_on_its_way_back_is_no_mistake(seed: int) -> None:
    claims = [RIGHT, RIGHT.replace(r"p p^T", r"\frac{1}{2} p p^T")]
    report = workings.check(symbols=SYMBOLS, equations=EQUATIONS, claims=claims, seed=seed)
    assert [result.verdict for result in report] == ["holds", "wrong value"]
