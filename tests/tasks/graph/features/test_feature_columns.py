"""Columns of a table as features: numbers, categories, and what would grow without bound."""

import numpy as np
import pytest

from workings.errors import WorkingsError
from workings.tasks.graph.features import feature_columns
from workings.tasks.graph.features.feature_columns import from_columns

WHERE = ["row 1", "row 2", "row 3", "row 4"]


def test_words_become_a_column_each_and_missing_ones_none() -> None:
    columns = {"colour": ["red", "", "blue", "red"], "size": ["1", "2", "na", "4"]}
    features_NF, notes, names = from_columns(columns, WHERE)
    expected = [[0, 1, 1], [0, 0, 2], [1, 0, np.nan], [0, 1, 4]]  # blue, red, size
    assert features_NF is not None
    np.testing.assert_array_equal(features_NF, expected)
    assert notes == ["column colour has 2 categories, one feature each"]
    assert names == ("colour = blue", "colour = red", "size")


def test_words_that_would_become_too_many_features_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(feature_columns, "MOST_CELLS", 4 * 2 * 3)
    columns = {f"c{number}": ["a", "b", "a", "b"] for number in range(3)}
    features_NF, _, _ = from_columns(columns, WHERE)
    assert features_NF is not None
    assert features_NF.shape == (4, 6)
    with pytest.raises(WorkingsError, match="row 1: the words of c3, and of the columns before"):
        from_columns(columns | {"c3": ["x", "y", "x", "y"]}, WHERE)
