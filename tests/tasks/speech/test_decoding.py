"""Greedy and beam decoding against every text there is, and against re-running the prefix."""

import itertools
import math
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from workings.tasks.speech import alphabet
from workings.tasks.speech.decoding import Rerun, Transcript, beam, greedy
from workings.tasks.speech.models import SpeechConfig

FEW = (alphabet.END, *alphabet.PUBLISHED.encode("abc"))


class Toy(nn.Module):
    """A distribution over a, b, c and the end that depends on all the text before it."""

    def __init__(self, seed: int, ending: float = 0.0) -> None:
        super().__init__()
        self.seed, self.ending = seed, ending

    def logits(self, tokens: tuple[int, ...]) -> Tensor:
        chance = torch.Generator().manual_seed(hash((self.seed, tokens)) % 2**31)
        found = torch.full((len(alphabet.PUBLISHED.symbols),), -40.0, dtype=torch.float64)
        found[list(FEW)] = 2 * torch.randn(len(FEW), generator=chance, dtype=torch.float64)
        found[alphabet.END] += self.ending
        return found

    def forward(self, x_BTF: Tensor, frames_B: Tensor, tokens_BL: Tensor) -> Tensor:
        rows = [
            torch.stack([self.logits(tuple(row[: n + 1])) for n in range(len(row))])
            for row in tokens_BL.tolist()
        ]
        return torch.stack(rows)


def every_text(model: Toy, most: int, power: float) -> list[tuple[float, list[int]]]:
    """All texts that end within `most` tokens, by log P / length^power."""
    found = []
    for length in range(1, most + 1):
        for letters in itertools.product(FEW[1:], repeat=length - 1):
            tokens = [*letters, alphabet.END]
            total = 0.0
            for n, token in enumerate(tokens):
                before = (alphabet.BEGIN, *tokens[:n])
                total += float(model.logits(before).log_softmax(0)[token])
            found.append((total / length**power, tokens))
    return sorted(found, reverse=True)


@pytest.mark.parametrize("power", [0.0, 1.0])
@pytest.mark.parametrize("seed", range(6))
def test_a_wide_beam_finds_the_best_text(seed: int, power: float) -> None:
    model = Toy(seed)
    best = every_text(model, 5, power)[0][1]
    assert beam(model, torch.zeros(3, 2), 5, 100, power).tokens == best


def test_a_beam_is_never_worse_than_greedy_here() -> None:
    better = 0
    for seed in range(30):
        model = Toy(seed)
        one = greedy(model, torch.zeros(1, 3, 2), torch.tensor([3]), 8, alphabet.PUBLISHED)[0]
        other = beam(model, torch.zeros(3, 2), 8, 8, 0.0)
        if one.tokens[-1] == other.tokens[-1] == alphabet.END:
            sums = [text.score * len(text.tokens) for text in (one, other)]
            assert sums[1] >= sums[0] - 1e-9
            better += sums[1] > sums[0] + 1e-9
    assert better > 5


@pytest.mark.parametrize("seed", range(3))
def test_greedy_takes_the_likeliest_each_time(seed: int) -> None:
    model = Toy(seed, ending=-1)
    found = greedy(model, torch.zeros(1, 3, 2), torch.tensor([3]), 12, alphabet.PUBLISHED)[0]
    before: tuple[int, ...] = (alphabet.BEGIN,)
    for token, probability in zip(found.tokens, found.probabilities, strict=True):
        shares = model.logits(before).softmax(0)
        assert token == int(shares.argmax())
        assert probability == pytest.approx(float(shares.max()), rel=1e-6)
        before = (*before, token)
    assert found.tokens[-1] == alphabet.END or len(found.tokens) == 12
    assert found.score == pytest.approx(sum(map(math.log, found.probabilities)) / len(found.tokens))
    assert found.text == alphabet.PUBLISHED.decode(found.tokens)


class Counting(Rerun):
    steps = 0

    def step(self, tokens_B: Tensor) -> Tensor:
        Counting.steps += 1
        return super().step(tokens_B)


def test_stops_when_all_have_ended_and_at_the_most() -> None:
    class Counted(Toy):
        def start(self, *sound: Tensor) -> Counting:
            return Counting(self, *sound)

    for ending, steps in ((30.0, 1), (-60.0, 7)):
        Counting.steps = 0
        found = greedy(
            Counted(1, ending), torch.zeros(2, 3, 2), torch.tensor([3, 3]), 7, alphabet.PUBLISHED
        )
        assert Counting.steps == steps
        assert [len(one.tokens) for one in found] == [steps] * 2
    cut = beam(Toy(1, -60.0), torch.zeros(3, 2), 7, 3)
    assert len(cut.tokens) == 7  # none has ended: as far as it goes
    assert alphabet.END not in cut.tokens


@pytest.mark.parametrize("kind", ["recurrent", "attention"])
def test_remembered_is_what_a_rerun_gives(kind: Any) -> None:
    torch.manual_seed(2)
    model = SpeechConfig(decoder=kind, width=16, feedforward=20).build(35, 6).double().eval()
    x_BTF, frames_B = torch.randn(3, 14, 6, dtype=torch.float64), torch.tensor([14, 5, 9])

    class Forgetful(nn.Module):
        def forward(self, *given: Tensor) -> Tensor:
            return model(*given)

    with torch.no_grad():
        model.decoder.output.bias[alphabet.END] += 0.5
    ours = greedy(model, x_BTF, frames_B, 20, alphabet.PUBLISHED)
    assert_like(ours, greedy(Forgetful(), x_BTF, frames_B, 20, alphabet.PUBLISHED))
    for row, count in enumerate(frames_B.tolist()):
        alone = greedy(
            model, x_BTF[row : row + 1, :count], frames_B[row : row + 1], 20, alphabet.PUBLISHED
        )
        assert_like([ours[row]], alone)
        x_TF = x_BTF[row, :count]
        assert_like([beam(model, x_TF, 12, 4)], [beam(Forgetful(), x_TF, 12, 4)])


def assert_like(some: list[Transcript], others: list[Transcript]) -> None:
    for one, other in zip(some, others, strict=True):
        assert one.tokens == other.tokens
        assert one.probabilities == pytest.approx(other.probabilities)
