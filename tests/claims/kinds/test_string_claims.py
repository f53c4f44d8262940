import pytest
from hypothesis import given
from hypothesis import strategies as st

import workings
from workings.claims.kinds.string_claims import (
    SIMILARITIES,
    cosine_words,
    jaccard_characters,
    jaccard_words,
    ochiai_characters,
)
from workings.errors import WorkingsError


def test_by_hand():
    assert jaccard_characters("aab", "abb") == pytest.approx(2 / 4)  # {a, b} of {a, a, b, b}
    assert ochiai_characters("aab", "ab") == pytest.approx(2 / 6**0.5)
    assert jaccard_words("the cat sat", "the cat ran") == pytest.approx(2 / 4)
    assert cosine_words("a a b", "a b b") == pytest.approx(4 / 5)
    assert SIMILARITIES["damerau-levenshtein, restricted"]("ca", "abc") == pytest.approx(0.0)
    assert SIMILARITIES["damerau-levenshtein"]("ca", "abc") == pytest.approx(1 / 3)


@given(st.text("ab c", max_size=8), st.text("ab c", max_size=8))
def test_each_is_symmetric_and_between_zero_and_one(a, b):
    for measure in SIMILARITIES.values():
        assert measure(a, a) == pytest.approx(1.0)
        assert measure(a, b) == pytest.approx(measure(b, a))
        assert -1e-12 <= measure(a, b) <= 1 + 1e-12


def test_two_that_are_the_same_hold():
    name = "jaccard of words, as sets"
    claim = {"name": "same", "same": [name, name]}
    assert workings.check({"claims": [claim]})[0].verdict == "holds"


def test_an_unknown_measure_is_named():
    with pytest.raises(WorkingsError, match="did you mean damerau-levenshtein"):
        workings.check({"claims": [{"name": "x", "same": ["damerau-levenstein", "a"]}]})
