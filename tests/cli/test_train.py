"""The end of a training: what it says where a simpler method does better."""

from types import SimpleNamespace
from typing import Any

import pytest

from workings.cli.train import beaten


@pytest.mark.parametrize(
    ("headline", "best", "lower", "theirs", "said"),
    [
        ("accuracy", "accuracy", False, 0.9, True),
        ("accuracy", "accuracy", False, 0.4, False),
        ("accuracy", "loss", True, 0.9, True),  # the loss decides, the score still rises
        ("accuracy", "loss", True, 0.5, False),  # a tie
        ("", "perplexity", True, 0.4, True),
        ("", "perplexity", True, 0.9, False),
    ],
)
def test_a_simpler_method_that_does_better_is_named(
    headline: str, best: str, lower: bool, theirs: float, said: bool
) -> None:
    task: Any = SimpleNamespace(headline=headline, best=best, lower_is_better=lower)
    task.when_beaten = lambda: "try this"
    name = headline or best
    lines = beaten(task, {f"valid.{name}": 0.5}, {"simple": {f"valid.{name}": theirs}})
    expected = [f"simple does better on validation: {theirs}, this model 0.5", "try this"]
    assert lines == (expected if said else [])
