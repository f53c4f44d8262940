"""A text is evaluated exactly, and read once where it is asked for twice."""

from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from workings.errors import WorkingsError
from workings.nn.attention.decoder import AttentionLanguageModel
from workings.nn.language import LanguageModel
from workings.nn.loss import linear_losses
from workings.nn.recurrent import GRU, LSTM, RNN
from workings.nn.recurrent.language_model import RecurrentLanguageModel
from workings.tasks.language.stream import Stream

TYPES, IDS = 11, np.random.default_rng(1).integers(0, 11, 62).astype(np.uint16)
MODELS = {
    "rnn": lambda: RecurrentLanguageModel(TYPES, 5, 6, 1, RNN, dropout_output=0.5),
    "lstm": lambda: RecurrentLanguageModel(TYPES, 5, 6, 2, LSTM, tied=True),
    "gru": lambda: RecurrentLanguageModel(TYPES, 5, 6, 1, GRU),
    "attention": lambda: AttentionLanguageModel(TYPES, 8, 2, 2, 16, dropout=0.5),
}


class Plain(nn.Module):
    """A model of the user's own around one of ours: logits and a state, no more."""

    def __init__(self, inner: nn.Module) -> None:
        super().__init__()
        self.inner = inner

    def forward(self, x_BT: Tensor, state: Any) -> Any:
        return self.inner(x_BT, state)


def stream(window: int) -> Stream:
    return Stream(window, lambda array: torch.from_numpy(array.astype("int64")))


def quiet(done: int) -> None: ...


def one_by_one(model: nn.Module, ids: np.ndarray) -> np.ndarray:
    """The plain way: a token, its logits, the state, the next token."""
    state, losses = None, []
    with torch.no_grad():
        for token, following in zip(ids[:-1].tolist(), ids[1:].tolist(), strict=True):
            logits_BTV, state = model(torch.tensor([[token]]), state)
            losses.append(-F.log_softmax(logits_BTV[0, 0], 0)[following].item())
    return np.array(losses)


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("window", [1, 7, 16, 512])
def test_every_token_has_the_loss_of_the_plain_way(kind: str, window: int) -> None:
    model = MODELS[kind]().double()
    for read in (model, Plain(model)):
        losses = stream(window).losses(read.train(), IDS, 1, quiet)
        assert read.training
        expected = one_by_one(model.eval(), IDS)
        tolerance = 1e-6 if isinstance(read, Plain) else 1e-12  # a stranger's logits are float32
        np.testing.assert_allclose(losses, expected, rtol=tolerance)


@pytest.mark.parametrize("kind", MODELS)
def test_streams_are_read_side_by_side(kind: str) -> None:
    model = MODELS[kind]().double().eval()
    losses = stream(30).losses(model, IDS, 3, quiet).reshape(3, 20)
    for number, row in enumerate(losses):
        expected = one_by_one(model, IDS[number * 20 : number * 20 + 21])
        np.testing.assert_allclose(row, expected, rtol=1e-12)


def test_a_text_is_read_again_only_where_something_has_changed() -> None:
    model, reader, reads = MODELS["rnn"]().eval(), stream(16), list[int]()
    assert isinstance(model, LanguageModel)
    first = reader.losses(model, IDS, 1, reads.append)
    count = len(reads)
    assert reader.losses(model, IDS.copy(), 1, reads.append) is first
    assert len(reads) == count
    reader.losses(model, IDS[:-1], 1, reads.append)
    with torch.no_grad():
        model.output.bias.data[0] += 1e-3
    changed = reader.losses(model, IDS, 1, reads.append)
    assert len(reads) == 3 * count
    assert not np.array_equal(changed, first)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_losses_of_rows_in_chunks_are_those_of_all_at_once(
    dtype: torch.dtype, monkeypatch: pytest.MonkeyPatch
) -> None:
    h, w, b = (torch.randn(*shape, dtype=dtype) for shape in ((50, 4), (11, 4), (11,)))
    y = torch.randint(11, (50,))
    expected = F.cross_entropy(h @ w.t() + b, y, reduction="none")
    for chunk, block in ((2**24, 2**18), (66, 22), (11, 11)):
        monkeypatch.setattr("workings.nn.loss.CHUNK", chunk)
        monkeypatch.setattr("workings.nn.loss.BLOCK", block)
        torch.testing.assert_close(linear_losses(h, w, b, y), expected)
    with torch.autocast("cpu", torch.bfloat16):
        rough = linear_losses(h, w, b, y)
    assert rough.dtype == dtype
    torch.testing.assert_close(rough, expected, rtol=0.1, atol=0.1)


@pytest.mark.parametrize("tokens", [0, 1])
def test_a_text_of_no_tokens_is_named(tokens: int) -> None:
    with pytest.raises(WorkingsError, match="no text to read: 0 tokens"):
        stream(4).losses(MODELS["rnn"](), IDS[:tokens], 1, quiet)
