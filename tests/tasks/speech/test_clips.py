from collections.abc import Sequence

import numpy as np
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from workings.tasks.speech import alphabet
from workings.tasks.speech.clips import Clips, by_length, collate, ids_of


class Some(Clips):
    """Clips whose every feature is their number."""

    def __init__(self, frames: Sequence[int], texts: Sequence[str]) -> None:
        self.frames, self.texts = np.array(frames), texts

    def features(self, number: int) -> Tensor:
        return torch.full((int(self.frames[number]), 3), float(number + 1))


def test_collated_is_padded_to_the_longest_of_them() -> None:
    clips = Some([4, 9, 2], ["ab", "a", "abc"])
    x_BTF, frames_B, tokens_BL = collate(clips, [2, 0], 99)
    assert x_BTF.shape == (2, 4, 3)
    assert x_BTF[:, :, 0].tolist() == [[3, 3, 0, 0], [1, 1, 1, 1]]
    assert frames_B.tolist() == [2, 4]
    a, b, c = alphabet.PUBLISHED.encode("abc")
    begin, end = alphabet.BEGIN, alphabet.END
    assert tokens_BL.tolist() == [[begin, a, b, c, end], [begin, a, b, end, alphabet.PAD]]
    assert collate(clips, [2, 0], 99, frames=20)[0].shape == (2, 20, 3)


def test_a_text_that_is_too_long_has_no_end() -> None:
    assert ids_of("ab", 3) == [alphabet.BEGIN, *alphabet.PUBLISHED.encode("ab"), alphabet.END]
    assert ids_of("ab", 2) == [alphabet.BEGIN, *alphabet.PUBLISHED.encode("ab")]


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    st.lists(st.integers(1, 500), min_size=1, max_size=300),
    st.integers(1, 9),
    st.booleans(),
    st.integers(0, 3),
)
def test_every_clip_once_and_the_same_by_seed(
    frames: list[int], batch: int, short_first: bool, seed: int
) -> None:
    lengths = np.array(frames)
    first, again = (
        by_length(lengths, batch, np.random.default_rng(seed), short_first) for _ in range(2)
    )
    assert sorted(number for some in first for number in some) == list(range(len(frames)))
    assert len(first) == -(-len(frames) // batch)
    assert max(map(len, first)) <= batch
    assert [some.tolist() for some in first] == [some.tolist() for some in again]
    if short_first:
        flat = [lengths[number] for some in first for number in some]
        assert flat == sorted(flat)


def test_batches_are_of_like_length_and_in_random_order() -> None:
    lengths = np.random.default_rng(0).integers(10, 1000, 640)
    some = by_length(lengths, 16, np.random.default_rng(1), False)
    padded = sum(lengths[one].max() * len(one) for one in some) / lengths.sum()
    assert padded < 1.1  # random batches of these would be padded to 1.9 times their length
    longest = [lengths[one].max() for one in some]
    assert longest != sorted(longest)
    other = by_length(lengths, 16, np.random.default_rng(2), False)
    assert [one.tolist() for one in some] != [one.tolist() for one in other]
