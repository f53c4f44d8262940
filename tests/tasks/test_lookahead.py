"""Models that see what they are to predict, and such as only look as if they did."""

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from workings.tasks.lookahead import Dependence, dependence

V, D, T = 20, 8, 12


class Model(nn.Module):
    """An embedding, something between that a test chooses, and an output layer."""

    def __init__(self) -> None:
        super().__init__()
        self.table, self.output = nn.Embedding(V, D), nn.Linear(D, V)
        self.make()

    def make(self) -> None:
        """Layers of its own."""

    def mix(self, x_BTD: Tensor) -> Tensor:
        return x_BTD

    def forward(self, x_BT: Tensor, state: object) -> tuple[Tensor, object]:
        return self.output(self.mix(self.table(x_BT))), None


class Recurrent(Model):
    def make(self) -> None:
        self.layer = nn.LSTM(D, D, batch_first=True)

    def mix(self, x_BTD: Tensor) -> Tensor:
        return self.layer(x_BTD)[0]


class Bidirectional(Recurrent):
    def make(self) -> None:
        self.layer = nn.LSTM(D, D // 2, batch_first=True, bidirectional=True)


class BatchAsTime(Recurrent):
    def make(self) -> None:
        self.layer = nn.LSTM(D, D)


class Transformer(Model):
    first_hidden: int | None = 1

    def make(self) -> None:
        self.layer = nn.TransformerEncoderLayer(D, 2, 16, dropout=0.5, batch_first=True)

    def mix(self, x_BTD: Tensor) -> Tensor:
        mask = None
        if self.first_hidden is not None:
            mask = torch.full((x_BTD.shape[1],) * 2, -torch.inf).triu(self.first_hidden)
        return self.layer(x_BTD, src_mask=mask)


class Unmasked(Transformer):
    first_hidden = None


class MaskedTooLate(Transformer):
    first_hidden = 2


class Convolution(Model):
    padding = (2, 0)

    def make(self) -> None:
        self.layer = nn.Conv1d(D, D, 3)

    def mix(self, x_BTD: Tensor) -> Tensor:
        return self.layer(F.pad(x_BTD.mT, self.padding)).mT


class PaddedOneTooFew(Convolution):
    padding = (1, 1)


class Normalised(Model):
    def make(self) -> None:
        self.layer: nn.Module = nn.BatchNorm1d(D)

    def mix(self, x_BTD: Tensor) -> Tensor:
        return self.layer(x_BTD.mT).mT


class NormalisedOverTime(Normalised):
    def make(self) -> None:
        self.layer = nn.InstanceNorm1d(D)


class LeakBehindZero(Bidirectional):
    """Nothing leaks as long as its gate is zero, as which it begins."""

    def make(self) -> None:
        super().make()
        self.gate = nn.Parameter(torch.zeros(()))

    def mix(self, x_BTD: Tensor) -> Tensor:
        return x_BTD + self.gate * super().mix(x_BTD)


class RemembersByItself(Recurrent):
    """Its state is its own attribute: what it gives depends on the calls before."""

    memory: Tensor | None = None

    def mix(self, x_BTD: Tensor) -> Tensor:
        before = 0 if self.memory is None else self.memory
        self.memory = x_BTD.sum()
        return super().mix(x_BTD + before)


class ByFourier(Model):
    """A causal convolution whose sums are rounded otherwise when later tokens change."""

    def make(self) -> None:
        self.kernel = nn.Parameter(torch.randn(D, T) / 3)

    def mix(self, x_BTD: Tensor) -> Tensor:
        x_BDW, kernel_DW = (torch.fft.rfft(part, n=2 * T) for part in (x_BTD.mT, self.kernel))
        return torch.fft.irfft(x_BDW * kernel_DW, n=2 * T)[..., : x_BTD.shape[1]].mT


class Noisy(Model):
    def mix(self, x_BTD: Tensor) -> Tensor:
        return F.dropout(x_BTD, 0.5, training=True)


def ask(kind: type[Model], training: bool = False) -> Dependence:
    torch.manual_seed(3)
    model = kind()
    before = torch.get_rng_state(), {k: v.clone() for k, v in model.state_dict().items()}
    found = dependence(model, lambda m, x: m(x, None)[0], T, V, noise=True, training=training)
    assert torch.equal(before[0], torch.get_rng_state())
    assert all(torch.equal(before[1][k], v) for k, v in model.state_dict().items())
    assert model.training
    return found


@pytest.mark.parametrize(
    "kind",
    [Bidirectional, Unmasked, MaskedTooLate, PaddedOneTooFew, NormalisedOverTime, LeakBehindZero],
)
def test_a_model_that_sees_later_tokens(kind: type[Model]) -> None:
    assert ask(kind).later is not None


@pytest.mark.parametrize(
    "kind",
    [
        *(Model, Recurrent, Transformer, Convolution, Normalised, RemembersByItself),
        ByFourier,
        Noisy,
    ],
)
def test_a_model_that_does_not(kind: type[Model]) -> None:
    assert ask(kind) == Dependence()


def test_one_token_too_far_is_seen_one_token_before() -> None:
    assert ask(MaskedTooLate).later == 0
    assert ask(PaddedOneTooFew).later == 0


def test_a_batch_norm_over_time_leaks_in_training_alone() -> None:
    assert ask(Normalised).later is None
    assert ask(Normalised, training=True).later is not None
    assert ask(Transformer, training=True).later is None  # the same dropout every time


def test_a_batch_that_is_taken_for_time_mixes_texts() -> None:
    assert ask(BatchAsTime) == Dependence(later=None, streams=True)
