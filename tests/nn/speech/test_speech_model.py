"""The speech model against its equations written out, and against itself in other batches."""

import math
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

from workings.nn.speech import SpeechModel
from workings.nn.speech.positions import sinusoids
from workings.nn.speech.residual import Residual

V, BANDS = 11, 5
KINDS = ("recurrent", "attention")


def model_of(kind: str, **sizes: Any) -> SpeechModel:
    torch.manual_seed(3)
    values = {"decoder": kind, "width": 12, "heads": 3, "feedforward": 20, **sizes}
    return SpeechModel(V, BANDS, **values).double().eval()


def clips(*frames: int, tokens: int = 7) -> tuple[Tensor, Tensor, Tensor]:
    """Random clips, padded with what must not matter."""
    torch.manual_seed(5)
    x_BTF = torch.randn(len(frames), max(frames), BANDS, dtype=torch.float64)
    for row, count in enumerate(frames):
        x_BTF[row, count:] = 1e3
    return x_BTF, torch.tensor(frames), torch.randint(V, (len(frames), tokens))


def norm(x: Tensor, layer: torch.nn.LayerNorm) -> Tensor:
    mean, variance = x.mean(-1, keepdim=True), x.var(-1, keepdim=True, unbiased=False)
    return (x - mean) / (variance + layer.eps).sqrt() * layer.weight + layer.bias


def attention(x: Tensor, context: Tensor, layer: Any, causal: bool = False) -> Tensor:
    """One clip's attention, head by head: x L×D, context S×D."""
    q = x @ layer.query.weight.T + layer.query.bias
    k, v = (context @ layer.key_value.weight.T + layer.key_value.bias).chunk(2, -1)
    heads, D = layer.heads, x.shape[-1] // layer.heads
    parts = []
    for h in range(heads):
        part = slice(h * D, (h + 1) * D)
        scores = q[:, part] @ k[:, part].T / math.sqrt(D)
        if causal:
            scores = scores.masked_fill(torch.ones_like(scores).triu(1).bool(), -math.inf)
        parts.append(scores.softmax(-1) @ v[:, part])
    return torch.cat(parts, -1) @ layer.output.weight.T + layer.output.bias


def around(x: Tensor, residual: Residual, f: Any) -> Tensor:
    return norm(x + f(norm(x, residual.before)), residual.after)


def positions(length: int, width: int) -> Tensor:
    rows = []
    for t in range(length):
        angles = [t / 10_000 ** (2 * i / width) for i in range(width // 2)]
        rows.append([math.sin(a) for a in angles] + [math.cos(a) for a in angles])
    return torch.tensor(rows, dtype=torch.float64)


def conv(x_TF: Tensor, layer: torch.nn.Conv1d, stride: int) -> Tensor:
    """y_t = Σ_j W_j x_{t·stride + j - 1} + b, zero outside the clip."""
    padded = F.pad(x_TF, (0, 0, 1, 1))
    rows = [
        sum(layer.weight[:, :, j] @ padded[t + j] for j in range(3)) + layer.bias
        for t in range(0, len(x_TF), stride)
    ]
    return torch.stack(rows)


def gelu(x: Tensor) -> Tensor:
    return x * 0.5 * (1 + torch.erf(x / math.sqrt(2)))


def by_hand(model: SpeechModel, x_TF: Tensor, tokens_L: Tensor) -> Tensor:
    """Logits of one clip, from the equations."""
    encoder, decoder = model.encoder, model.decoder
    h = gelu(conv(gelu(conv(x_TF, encoder.first, 1)), encoder.second, encoder.stride))
    h = h + positions(*h.shape)
    for block in encoder.blocks:
        h = around(h, block.around_attention, lambda x, b=block: attention(x, x, b.attention))
        first, _, second = block.feedforward
        h = around(
            h,
            block.around_feedforward,
            lambda x, a=first, b=second: gelu(x @ a.weight.T + a.bias) @ b.weight.T + b.bias,
        )
    h = norm(h, encoder.norm)
    x = decoder.embedding.weight[tokens_L]
    recurrent = decoder.kind == "recurrent"
    x = norm(x, decoder.norm_embedding) if recurrent else x + positions(*x.shape)
    for layer in decoder.layers:
        if recurrent:
            state, rows = None, []
            for row in layer.lstm.project(x):
                out, state = layer.lstm.step(row[None], state)
                rows.append(out[0])
            x = torch.stack(rows)
        else:
            x = around(
                x, layer.around_attention, lambda y, a=layer.attention: attention(y, y, a, True)
            )
        x = around(x, layer.around_cross, lambda y, a=layer.cross: attention(y, h, a))
    return norm(x, decoder.norm) @ decoder.output.weight.T + decoder.output.bias


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("stride", "layers", "frames"), [(2, 1, 9), (1, 2, 6), (3, 1, 10)])
@torch.no_grad()
def test_is_its_equations(kind: str, stride: int, layers: int, frames: int) -> None:
    model = model_of(kind, stride=stride, layers=layers)
    for parameter in model.parameters():  # biases too must matter
        parameter.add_(0.1 * torch.randn_like(parameter))
    x_BTF, frames_B, tokens_BL = clips(frames)
    given = model(x_BTF, frames_B, tokens_BL)[0]
    torch.testing.assert_close(given, by_hand(model, x_BTF[0], tokens_BL[0]))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("stride", [1, 2, 3])
@torch.no_grad()
def test_a_clip_does_not_depend_on_its_batch(kind: str, stride: int) -> None:
    model = model_of(kind, stride=stride)
    lengths = (17, 8, 1, 9, 16)
    x_BTF, frames_B, tokens_BL = clips(*lengths)
    together = model(x_BTF, frames_B, tokens_BL)
    for row, count in enumerate(lengths):
        alone = model(
            x_BTF[row : row + 1, :count], frames_B[row : row + 1], tokens_BL[row : row + 1]
        )
        torch.testing.assert_close(together[row], alone[0], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("layers", [1, 2])
@torch.no_grad()
def test_step_by_step_is_all_at_once(kind: str, layers: int) -> None:
    model = model_of(kind, layers=layers)
    x_BTF, frames_B, tokens_BL = clips(13, 6, 9)
    writing = model.start(x_BTF, frames_B)
    steps = torch.stack([writing.step(tokens_B) for tokens_B in tokens_BL.T], 1)
    torch.testing.assert_close(steps, model(x_BTF, frames_B, tokens_BL), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
@torch.no_grad()
def test_rows_that_are_picked_go_on_as_themselves(kind: str) -> None:
    """As a beam does: row 2 goes on twice, with different tokens, row 0 not at all."""
    model = model_of(kind, layers=2)
    x_BTF, frames_B, tokens_BL = clips(13, 6, 9)
    writing = model.start(x_BTF, frames_B)
    for tokens_B in tokens_BL.T[:4]:
        writing.step(tokens_B)
    rows = torch.tensor([2, 1, 2])
    writing.pick(rows)
    after = torch.tensor([[1, 2, 3], [4, 5, 6]])
    given = [writing.step(tokens_B) for tokens_B in after]
    whole = torch.cat([tokens_BL[rows, :4], after.T], 1)
    expected = model(x_BTF[rows], frames_B[rows], whole)[:, -2:]
    torch.testing.assert_close(torch.stack(given, 1), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
@torch.no_grad()
def test_no_token_sees_those_after_it(kind: str) -> None:
    model = model_of(kind, layers=2)
    x_BTF, frames_B, tokens_BL = clips(9)
    changed = tokens_BL.clone()
    changed[0, 4] = (changed[0, 4] + 1) % V
    one, other = (model(x_BTF, frames_B, tokens) for tokens in (tokens_BL, changed))
    torch.testing.assert_close(one[:, :4], other[:, :4])
    assert (one[:, 4:] - other[:, 4:]).abs().amax(-1).min() > 1e-6


@pytest.mark.parametrize("kind", KINDS)
@torch.no_grad()
def test_alignment_is_a_distribution_over_the_clip(kind: str) -> None:
    model = model_of(kind, layers=2)
    x_BTF, frames_B, tokens_BL = clips(12, 5)
    found = model.alignment(x_BTF, frames_B, tokens_BL)
    assert [tuple(one.shape) for one in found] == [(2, 3, 7, 6)] * 2
    for weights_BHLS in found:
        torch.testing.assert_close(weights_BHLS.sum(-1), torch.ones(2, 3, 7, dtype=torch.float64))
        assert weights_BHLS[1, :, :, 3:].abs().max() == 0  # beyond the shorter clip's three
        assert weights_BHLS[1, :, :, :3].min() > 0


def test_dropout_is_for_training_only() -> None:
    model = model_of("attention", dropout=0.5)
    x_BTF, frames_B, tokens_BL = clips(9)
    first, second = (model(x_BTF, frames_B, tokens_BL) for _ in range(2))
    assert torch.equal(first, second)
    model.train()
    first, second = (model(x_BTF, frames_B, tokens_BL) for _ in range(2))
    assert not torch.equal(first, second)


def test_every_weight_learns() -> None:
    for kind in KINDS:
        model = model_of(kind, layers=2).train()
        model(*clips(12, 5)).square().sum().backward()
        for name, parameter in model.named_parameters():
            assert parameter.grad is not None, name
            assert parameter.grad.isfinite().all(), name
            if not name.endswith(("key_value.bias", "embedding.weight")):
                assert parameter.grad.abs().max() > 0, name


def test_as_published_by_default() -> None:
    """80 bands, width 200, 2 heads, 2 blocks, 400 inside: counted by hand."""
    D, inner, norm_ = 200, 400, 2 * 200
    attention_ = 4 * (D * D + D)
    conv_ = (3 * 80 * D + D) + (3 * D * D + D)
    block = attention_ + (D * inner + inner + inner * D + D) + 4 * norm_
    encoder = conv_ + 2 * block + norm_
    ends = 35 * D + norm_ + (D * 35 + 35)  # embedding, norm, output
    cross = attention_ + 2 * norm_
    lstm = norm_ + 4 * (2 * D * D + 2 * D)
    counted = {"recurrent": lstm, "attention": attention_ + 2 * norm_}
    for kind, own in counted.items():
        model = SpeechModel(35, 80, kind)  # type: ignore[arg-type]
        assert sum(p.numel() for p in model.parameters()) == encoder + ends + cross + own


def test_positions_are_theirs_from_any_start() -> None:
    like = torch.empty(0, dtype=torch.float64)
    torch.testing.assert_close(sinusoids(0, 9, 8, like), positions(9, 8))
    torch.testing.assert_close(sinusoids(4, 5, 8, like), positions(9, 8)[4:])
