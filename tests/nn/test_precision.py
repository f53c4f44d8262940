"""Under torch.autocast products are made in bfloat16: how far loss and gradients are from those of
float32 then, for every architecture that is trained so."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from workings.nn.attention import AttentionLanguageModel
from workings.nn.conv import CNN, Pool
from workings.nn.precision import product_type
from workings.nn.recurrent import GRU, LSTM, RNN, RecurrentLanguageModel
from workings.nn.recurrent.rnn import HALF_PAYS
from workings.nn.speech import SpeechModel

V = 50
Loss = Callable[[nn.Module], Tensor]


def text(model: nn.Module) -> Tensor:
    """The loss of two windows, the state of the first carried into the second."""
    ids = torch.randint(V, (8, 33), generator=torch.Generator().manual_seed(1))
    loss, state = model.loss(ids[:, :16], ids[:, 1:17], None)
    return loss + model.loss(ids[:, 16:32], ids[:, 17:], state)[0]


def picture(model: nn.Module) -> Tensor:
    draw = torch.Generator().manual_seed(1)
    x = torch.randn(32, 1, 12, 12, generator=draw)
    return model.loss(x, torch.randint(4, (32,), generator=draw))


def sound(model: nn.Module) -> Tensor:
    draw = torch.Generator().manual_seed(1)
    x, tokens = torch.randn(4, 30, 8, generator=draw), torch.randint(12, (4, 9), generator=draw)
    logits = model(x, torch.tensor([30, 30, 20, 9]), tokens[:, :-1])
    return nn.functional.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())


def pictures(batch_norm: bool) -> nn.Module:
    """With means instead of maxima, of which another one may be the largest in bfloat16."""
    pool: tuple[Pool, Pool] = ("average", "average")
    return CNN(1, 12, 12, 4, pool=pool, dense=(40,), dropout=0.0, batch_norm=batch_norm)


def recurrent(cell: Callable[[int, int], nn.Module]) -> nn.Module:
    return RecurrentLanguageModel(V, 24, 32, 2, cell)


NETWORKS: dict[str, tuple[Callable[[], nn.Module], Loss]] = {
    "rnn": (lambda: recurrent(RNN), text),
    "wide rnn": (lambda: RecurrentLanguageModel(V, 8, HALF_PAYS, 1, RNN), text),
    "lstm": (lambda: recurrent(LSTM), text),
    "gru": (lambda: recurrent(GRU), text),
    "attention": (lambda: AttentionLanguageModel(V, 32, 2, 2, context=16), text),
    "taylor": (
        lambda: AttentionLanguageModel(V, 32, 2, 2, context=16, attention="taylor"),
        text,
    ),
    "cnn": (lambda: pictures(False), picture),
    "cnn, batch norm": (lambda: pictures(True), picture),
    "speech, recurrent": (lambda: SpeechModel(12, 8, "recurrent", 16, 2, 1, 32), sound),
    "speech, attention": (lambda: SpeechModel(12, 8, "attention", 16, 2, 1, 32), sound),
}


@pytest.mark.parametrize("name", NETWORKS)
def test_loss_and_gradients_are_near_those_of_float32(name: str) -> None:
    make, loss_of = NETWORKS[name]
    torch.manual_seed(0)
    model = make()
    losses, gradients = [], []
    for enabled in (False, True):
        model.zero_grad()
        with torch.autocast("cpu", torch.bfloat16, enabled=enabled):
            loss = loss_of(model)
        loss.backward()
        losses.append(loss)
        gradients.append({n: p.grad.clone() for n, p in model.named_parameters()})
    full, half = gradients
    assert all(loss.dtype == torch.float32 for loss in losses)
    assert losses[1].item() == pytest.approx(losses[0].item(), rel=0.01)
    assert all(gradient.dtype == torch.float32 for gradient in half.values())
    error = sum((half[n] - full[n]).square().sum() for n in full).sqrt()
    size = sum(gradient.square().sum() for gradient in full.values()).sqrt()
    # Not zero: the products are in fact in bfloat16. A ReLU near zero may be on either side of it.
    assert 1e-5 < error / size < (0.08 if loss_of is picture else 0.02)


@pytest.mark.parametrize("cell", [RNN, LSTM, GRU])
def test_a_recurrent_state_stays_float32(cell: type[nn.Module]) -> None:
    """What is carried through a whole text is not rounded at every window."""
    layer = cell(6, 8)
    with torch.autocast("cpu", torch.bfloat16):
        h_TBD, state = layer(torch.randn(5, 3, 6))
    states = state if isinstance(state, tuple) else (state,)
    assert {h_TBD.dtype, *(each.dtype for each in states)} == {torch.float32}


def test_the_type_of_a_product_follows_autocast() -> None:
    single, double = torch.ones(1), torch.ones(1).double()
    assert product_type(single) == torch.float32
    with torch.autocast("cpu", torch.bfloat16):
        assert product_type(single) == torch.bfloat16
        assert product_type(double) == torch.float64
    assert product_type(single) == torch.float32
