"""Scores against textdistance, and by hand."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workings.tasks.speech.scores import SIMILARITIES, VARIANTS, error_rate, plain_words, scores

textdistance = pytest.importorskip("textdistance")
sentence = st.text("abc ,", max_size=12)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(sentence, sentence)
def test_characters_are_textdistances(a: str, b: str) -> None:
    theirs = {
        "jaccard_characters": textdistance.jaccard.normalized_similarity,
        "cosine_characters": textdistance.cosine.normalized_similarity,
        "damerau_levenshtein_characters": (textdistance.damerau_levenshtein.normalized_similarity),
    }
    for name, measure in theirs.items():
        assert SIMILARITIES[name](a, b) == pytest.approx(measure(a, b)), name


@settings(max_examples=60, deadline=None, derandomize=True)
@given(sentence, sentence)
def test_words_are_textdistances_on_words(a: str, b: str) -> None:
    words = a.split(), b.split()
    if any(words):
        jaccard = textdistance.Jaccard(as_set=True, qval=None).similarity
        assert SIMILARITIES["jaccard_words"](a, b) == pytest.approx(
            jaccard(*(" ".join(sorted(set(some))) for some in words))
        )


def test_by_hand() -> None:
    measured = scores(["the cat sat", "a dog"], ["the cat ran", "dog"], {"the", "cat", "dog"})
    assert measured["word_error_rate"] == pytest.approx((1 + 1) / 4)
    # sat → ran: s→r, t→n; "a dog" → "dog": two removed
    assert measured["character_error_rate"] == pytest.approx((2 + 2) / 14)
    assert measured["jaccard_words"] == pytest.approx((2 / 4 + 1 / 2) / 2)
    assert measured["cosine_words"] == pytest.approx((2 / 3 + 1 / 2**0.5) / 2)
    assert measured["damerau_levenshtein_words"] == pytest.approx((2 / 3 + 1 / 2) / 2)
    assert measured["known_words"] == pytest.approx(3 / 5)


def test_a_swap_of_neighbours_is_one_edit_and_restricted() -> None:
    measure = SIMILARITIES["damerau_levenshtein_characters"]
    assert measure("abcd", "abdc") == pytest.approx(3 / 4)
    assert measure("ca", "abc") == pytest.approx(0.0)  # 3 edits; 2 if the swap could be edited


def test_nothing_written_and_nothing_said() -> None:
    measured = scores(["", ""], ["ab", ""], set())
    assert measured["character_error_rate"] == 1.0
    assert measured["known_words"] == 0.0
    assert measured["jaccard_characters"] == pytest.approx(0.5)
    assert error_rate(["abc"], ["a"]) == 2.0  # insertions count


def test_words_are_known_without_their_marks() -> None:
    assert plain_words("well, the - end. so-so?") == ["well", "the", "end", "so-so"]


def test_every_score_says_its_variant() -> None:
    assert set(scores(["a"], ["a"], set())) <= set(VARIANTS)
