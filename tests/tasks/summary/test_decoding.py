"""Writing summaries: the greedy one and the beam's, against all there are."""

import itertools
import math

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from workings.nn.summary import Source, SummaryModel
from workings.tasks.summary.batches import Batch, collate, encode
from workings.tasks.summary.decoding import beam, greedy
from workings.tasks.summary.snippet import NAME, Snippet
from workings.tasks.summary.vocabulary import BEGIN, END, SPECIAL, UNKNOWN, Vocabulary

NONE = np.zeros((0, 2), np.int32)
VOCABULARY = Vocabulary([*SPECIAL, "get", "set", "def"], 6, ("next",))
SNIPPETS = [
    Snippet(("def", NAME, "get", "odd"), {"next": np.array([[0, 1], [1, 2]], np.int32)}, ("odd",)),
    Snippet(("new", "set"), {"next": NONE}, ("set", "it")),
]


def batch(*snippets: Snippet) -> Batch:
    return collate([encode(each, VOCABULARY) for each in snippets], VOCABULARY)


@pytest.fixture(scope="module")
def model() -> SummaryModel:
    torch.manual_seed(5)
    made = SummaryModel(len(VOCABULARY), VOCABULARY.outputs, 1, width=8)
    for weight in made.parameters():
        nn.init.normal_(weight, std=0.8)
    return made.eval()


def test_numbers_of_tokens_that_are_no_words_follow_the_words() -> None:
    both = batch(*SNIPPETS)
    assert both.source.copies_BS.tolist() == [[6, 0, 4, 7], [6, 5, 0, 0]]
    assert both.extra == [("def", "odd"), ("new",)]
    assert both.written_BL.tolist() == [[7, END, 0], [5, UNKNOWN, END]]
    assert both.read_BL.tolist() == [[BEGIN, UNKNOWN, 0], [BEGIN, 5, UNKNOWN]]
    assert both.extra_types_BK.tolist() == [[6, UNKNOWN], [UNKNOWN, UNKNOWN]]


def everything(model: SummaryModel, given: Batch, most: int) -> dict[tuple[str, ...], float]:
    """log P of every summary of up to so many words, each computed in one go."""
    names = [*VOCABULARY.types[4:6], *given.extra[0]]
    found = {}
    for count in range(most + 1):
        for numbers in itertools.product(range(len(names)), repeat=count):
            words = tuple(names[number] for number in numbers)
            read = torch.tensor([[BEGIN, *map(VOCABULARY.number, words)]])
            log_LX = model(given.source, read)[0]
            targets = [*(number + 4 for number in numbers), END]
            logs = [float(log_LX[place, target]) for place, target in enumerate(targets)]
            found[words] = sum(logs)
    return found


@torch.no_grad()
def test_a_wide_beam_finds_the_likeliest_summaries(model: SummaryModel) -> None:
    given = batch(SNIPPETS[0])
    every = everything(model, given, 3)
    best = sorted(every, key=lambda words: -every[words])[:4]
    found = beam(model, given, VOCABULARY, 3, 60)[:4]
    assert [each.words for each in found] == best
    for each in found:
        assert each.probability == pytest.approx(math.exp(every[each.words]), rel=1e-4)


def test_greedy_is_a_beam_of_one_and_does_not_depend_on_the_batch(model: SummaryModel) -> None:
    together = greedy(model, batch(*SNIPPETS), VOCABULARY, 4)
    for snippet, written in zip(SNIPPETS, together, strict=True):
        (alone,) = greedy(model, batch(snippet), VOCABULARY, 4)
        assert alone.words == written.words
        assert alone.logs == pytest.approx(written.logs, rel=1e-4)


class Stateless(nn.Module):
    """The same model, which keeps no state while it writes."""

    def __init__(self, model: SummaryModel) -> None:
        super().__init__()
        self.model = model

    def forward(self, source: Source, words_BL: Tensor) -> Tensor:
        return self.model(source, words_BL)


def test_a_model_without_state_writes_the_same(model: SummaryModel) -> None:
    plain = Stateless(model).eval()
    for made, other in zip(
        greedy(model, batch(*SNIPPETS), VOCABULARY, 4),
        greedy(plain, batch(*SNIPPETS), VOCABULARY, 4),
        strict=True,
    ):
        assert made.words == other.words
    one, other_beam = (beam(each, batch(SNIPPETS[1]), VOCABULARY, 3, 5) for each in (model, plain))
    assert [each.words for each in one] == [each.words for each in other_beam]
