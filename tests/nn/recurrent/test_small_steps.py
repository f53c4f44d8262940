"""Small steps take one thread and PyTorch's own products, and leave everything as it was."""

from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from workings.nn import GRU, LSTM, RNN
from workings.nn.matmul import SMALL, is_float32, products_by
from workings.nn.recurrent import gru, lstm, rnn, small_steps

SETTING = torch.backends.mkldnn.matmul
LAYERS: dict[Any, type[nn.Module]] = {rnn: RNN, gru: GRU, lstm: LSTM}
GATES = {rnn: 1, gru: 3, lstm: 4}


@pytest.fixture(autouse=True)
def _two_threads() -> Iterator[None]:
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(1)


@pytest.mark.parametrize(
    ("multiply_adds", "threads", "setting"),
    [
        (SMALL - 1, 1, "ieee"),
        (SMALL, 1, "bf16"),
        (small_steps.ALONE - 1, 1, "bf16"),
        (small_steps.ALONE, 2, "bf16"),
    ],
)
def test_how_steps_are_made(multiply_adds: int, threads: int, setting: str) -> None:
    with products_by("onednn"):
        before = SETTING.fp32_precision
        with small_steps.small_steps(multiply_adds):
            assert torch.get_num_threads() == threads
            assert setting == SETTING.fp32_precision or not is_float32()
        assert (torch.get_num_threads(), SETTING.fp32_precision) == (2, before)


@pytest.mark.parametrize("layer", LAYERS, ids=["rnn", "gru", "lstm"])
def test_a_layer_asks_by_the_size_of_its_products(
    layer: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    def record(multiply_adds: int) -> AbstractContextManager[None]:
        asked.append(multiply_adds)
        return small_steps.small_steps(multiply_adds)

    monkeypatch.setattr(layer, "small_steps", record)
    for rows in (1, 50):
        LAYERS[layer](3, 20)(torch.randn(2, rows, 3))
    assert asked == [GATES[layer] * 20 * 20, 50 * GATES[layer] * 20 * 20]


@pytest.mark.parametrize("autocast", [False, True])
@pytest.mark.parametrize(("hidden", "threads"), [(20, 1), (1024, 2)])
def test_the_backward_pass_of_an_lstm_takes_as_many_threads(
    hidden: int, threads: int, autocast: bool
) -> None:
    """Seen from a gradient hook that is called while the layer's own node is at work."""
    module, x = LSTM(3, hidden), torch.randn(2, 5, 3, requires_grad=True)
    with torch.autocast("cpu", torch.bfloat16, enabled=autocast):
        h_TBD, _ = module(x)
    seen: list[int] = []
    node = h_TBD.grad_fn.next_functions[0][0] if autocast else h_TBD.grad_fn
    node.register_prehook(lambda _: seen.append(torch.get_num_threads()))  # after the module's own
    h_TBD.sum().backward()
    if node.name() == "MkldnnRnnLayerBackward0":
        assert seen == [threads]
    assert torch.get_num_threads() == 2


@pytest.mark.parametrize("layer", LAYERS.values())
def test_gradients_are_those_on_one_thread(layer: type[nn.Module]) -> None:
    torch.manual_seed(0)
    module, x = layer(30, 64), torch.randn(6, 9, 30, requires_grad=True)

    def gradients() -> list[Tensor]:
        h_TBD, _ = module(x)
        return list(torch.autograd.grad(h_TBD.square().sum(), [x, *module.parameters()]))

    several = gradients()
    torch.set_num_threads(1)
    for one, other in zip(gradients(), several, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-5)
