"""Time that is given around: no part inside takes more."""

import math

import pytest

from workings.formula.evaluation.budget import OutOfTime, at_most, check_time, now, within


def test_what_is_inside_ends_when_the_time_around_does() -> None:
    assert at_most(math.inf) == math.inf
    with within(3.0):
        assert now() < at_most(math.inf) <= now() + 3.0
        assert at_most(now() + 1.0) <= now() + 1.0
        check_time()
        with within(-1.0), pytest.raises(OutOfTime):
            check_time()
        check_time()
    assert at_most(math.inf) == math.inf
