"""The summariser: both ways, attention and copying, padding, and writing word by word."""

import dataclasses

import pytest
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from workings.nn.summary import Source, SummaryModel, TypedEdges
from workings.nn.summary.encoder import BothWays

V, TYPES, KINDS = 7, 12, 2


def source() -> Source:
    """Two snippets, of five and three tokens."""
    edges_3E = torch.tensor([[0, 1, 4, 5, 6], [1, 2, 0, 6, 7], [0, 1, 1, 0, 1]])
    return Source(
        torch.tensor([[4, 5, 11, 8, 3], [9, 4, 10, 0, 0]]),
        torch.tensor([5, 3]),
        TypedEdges.of(edges_3E, 10, KINDS),
        torch.tensor([[4, 5, 7, 8, 7], [7, 4, 0, 0, 0]]),
        V + 2,
    )


def model(**settings: object) -> SummaryModel:
    torch.manual_seed(2)
    made = SummaryModel(TYPES, V, KINDS, width=6, **settings)  # type: ignore[arg-type]
    for weight in made.parameters():
        nn.init.normal_(weight, std=0.5)
    return made.eval()


WORDS_BL = torch.tensor([[1, 4, 5, 6], [1, 8, 4, 2]])


@pytest.mark.parametrize("settings", [{}, {"graph": False}, {"copy_tokens": False}])
def test_the_words_have_probabilities(settings: dict[str, bool]) -> None:
    log_BLX = model(**settings)(source(), WORDS_BL)
    assert log_BLX.shape == (2, 4, V + 2)
    torch.testing.assert_close(log_BLX.exp().sum(2), torch.ones(2, 4), atol=1e-5, rtol=0)


def test_only_what_stands_in_the_source_is_copied() -> None:
    """The second row has no word V + 1; without copying there is no word from V on."""
    log_BLX = model()(source(), WORDS_BL)
    assert (log_BLX[0, :, V:].exp() > 1e-4).all()
    assert (log_BLX[1, :, V + 1].exp() < 1e-20).all()
    assert (model(copy_tokens=False)(source(), WORDS_BL)[..., V:] == -torch.inf).all()


def test_a_copied_word_has_the_weights_of_all_its_tokens() -> None:
    """P(w) = g P_written(w) + (1 - g) Σ a, worked out by hand from the decoder's parts."""
    made, given = model(), source()
    writing = made.start(given)
    log_BX = writing.step(WORDS_BL[:, 0])
    g, a = writing.written_B[0], writing.attention_BS[0]
    torch.testing.assert_close(log_BX[0, 7].exp(), (1 - g) * (a[2] + a[4]))
    assert a.sum() == pytest.approx(1, abs=1e-6)
    assert writing.attention_BS[1, 3:].eq(0).all()
    assert log_BX[0, 4].exp() > (1 - g) * a[0]


def test_writing_word_by_word_is_the_whole_at_once() -> None:
    made, given = model(), source()
    writing = made.start(given)
    steps = torch.stack([writing.step(words_B) for words_B in WORDS_BL.t()], 1)
    torch.testing.assert_close(steps, made(given, WORDS_BL))
    writing = made.start(given)
    writing.step(WORDS_BL[:, 0])
    writing.pick(torch.tensor([1, 1, 0]))
    torch.testing.assert_close(writing.step(WORDS_BL[[1, 1, 0], 1]), steps[[1, 1, 0], 1])


def test_padding_changes_nothing() -> None:
    made, given = model(), source()
    both = made(given, WORDS_BL)
    alone = Source(
        given.tokens_BS[1:, :3],
        given.lengths_B[1:],
        TypedEdges.of(torch.tensor([[0, 1], [1, 2], [0, 1]]), 3, KINDS),
        given.copies_BS[1:, :3],
        given.extended,
    )
    torch.testing.assert_close(made(alone, WORDS_BL[1:]), both[1:])


def test_the_graph_and_its_kinds_matter() -> None:
    given = source()
    swapped = torch.tensor([[0, 1, 4, 5, 6], [1, 2, 0, 6, 7], [1, 0, 0, 1, 0]])
    other = dataclasses.replace(given, edges=TypedEdges.of(swapped, 10, KINDS))
    for graph in (True, False):
        made = model(graph=graph)
        difference = (made(given, WORDS_BL) - made(other, WORDS_BL)).abs().max()
        assert (difference > 1e-3) == graph
    assert model(graph=False).encoder.graph is None


def test_both_ways_is_torchs_bidirectional_lstm() -> None:
    torch.manual_seed(1)
    mine, torchs = BothWays(4, 6), nn.LSTM(4, 3, bidirectional=True, batch_first=True)
    for name, weight in mine.there.named_parameters():
        getattr(torchs, name).data.copy_(weight)
    for name, weight in mine.back.named_parameters():
        getattr(torchs, f"{name}_reverse").data.copy_(weight)
    x_BSd, lengths_B = torch.randn(3, 5, 4), torch.tensor([5, 2, 4])
    packed = pack_padded_sequence(x_BSd, lengths_B, batch_first=True, enforce_sorted=False)
    expected = pad_packed_sequence(torchs(packed)[0], batch_first=True)[0]
    given = mine(x_BSd, lengths_B)
    for row, length in enumerate(lengths_B.tolist()):
        torch.testing.assert_close(given[row, :length], expected[row, :length])


def test_every_parameter_learns() -> None:
    made = model().train()
    made(source(), WORDS_BL).gather(2, WORDS_BL[..., None]).sum().backward()
    for name, weight in made.named_parameters():
        assert weight.grad is not None, name
        assert weight.grad.abs().max() > 0, name
