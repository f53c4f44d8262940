"""Transcripts written without listening, and their scores."""

import numpy as np
import pytest

from workings.tasks.speech.baselines import Said, baselines, most_frequent, nearest_in_length

TRAIN = Said(["a b", "c", "c", "dd ee"], np.array([40, 10, 12, 90]))


def test_the_most_frequent_text_and_that_of_like_length() -> None:
    assert most_frequent(TRAIN.texts) == "c"
    lengths = np.array([1, 11, 12, 27, 64, 66, 500])
    # By hand: the nearest of 10, 12, 40 and 90; 11 is as far from 10 as from 12.
    assert nearest_in_length(TRAIN, lengths) == ["c", "c", "c", "a b", "a b", "dd ee", "dd ee"]


def test_scores_are_those_of_what_is_written() -> None:
    test = Said(["c", "a b"], np.array([11, 41]))
    found = baselines(TRAIN, {"test": test}, {"a", "b", "c"})
    often, like = found["most frequent text"], found["text of the clip nearest in length"]
    assert like["test.character_error_rate"] == 0
    assert like["test.known_words"] == 1
    assert often["test.character_error_rate"] == pytest.approx(3 / 4)  # "c" for "a b" is 3 edits
    assert often["test.jaccard_characters"] == pytest.approx(1 / 2)
