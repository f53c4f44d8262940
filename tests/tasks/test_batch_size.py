"""A default batch is made smaller where there are few examples."""

import pytest

from workings.tasks.batch_size import fitting_batch


@pytest.mark.parametrize(
    ("batch", "examples", "expected"),
    [(32, 640, 32), (32, 639, 16), (32, 100, 4), (32, 0, 4), (2, 1, 2), (24, 100, 3)],
)
def test_an_epoch_has_twenty_steps_or_the_smallest_batch(
    batch: int, examples: int, expected: int
) -> None:
    assert fitting_batch(batch, examples) == expected
