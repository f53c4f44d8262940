"""oneDNN's products are float32, made where they are asked for, and nothing is left set."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from workings.nn import GRU, LSTM, RNN
from workings.nn.matmul import by_torch, is_float32, products_by

SETTING = torch.backends.mkldnn.matmul


@pytest.fixture
def has_onednn() -> None:
    if not is_float32():
        pytest.skip("oneDNN rounds to bfloat16 on this processor, or is not there")


@settings(max_examples=60, deadline=None)
@given(
    st.tuples(*[st.integers(1, 300)] * 3), st.sampled_from(("mm", "addmm", "bmm")), st.booleans()
)
def test_products_of_any_size_have_the_precision_of_float32(
    sizes: tuple[int, int, int], operation: str, transposed: bool
) -> None:
    """Also where the setting has to be refused, as on processors with AMX."""
    M, K, N = sizes
    a = torch.randn(2, M, K)
    b = torch.randn(2, N, K).transpose(1, 2) if transposed else torch.randn(2, K, N)
    with products_by("onednn"):
        made = {
            "mm": lambda: a[0] @ b[0],
            "addmm": lambda: torch.addmm(torch.zeros(N), a[0], b[0]),
            "bmm": lambda: a @ b,
        }[operation]()
    if operation != "bmm":
        a, b = a[0], b[0]
    error = (made.double() - a.double() @ b.double()).abs()
    assert (error <= 2e-6 * (a.double().abs() @ b.double().abs())).all()


def test_what_rounds_to_bfloat16_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    is_float32.cache_clear()
    real = torch.Tensor.__matmul__

    def rounded(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        if a.dtype == torch.float32 and SETTING.fp32_precision == "bf16":
            return real(a.bfloat16(), b.bfloat16()).float()
        return real(a, b)

    monkeypatch.setattr(torch.Tensor, "__matmul__", rounded)
    assert not is_float32()
    with products_by("onednn"):
        assert SETTING.fp32_precision != "bf16"
    monkeypatch.undo()
    is_float32.cache_clear()


@pytest.mark.parametrize("has", [{"amx_bf16": True}, {"architecture": "aarch64"}])
def test_processors_that_round_are_not_asked(
    has: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    is_float32.cache_clear()
    real = torch.cpu.get_capabilities()
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: real | has)
    monkeypatch.setattr("workings.nn.matmul._rounding", None)
    assert not is_float32()
    monkeypatch.undo()
    is_float32.cache_clear()


def test_the_setting_is_put_back_also_after_an_error(has_onednn: None) -> None:
    before = SETTING.fp32_precision
    with pytest.raises(RuntimeError, match="multiplied"), products_by("onednn"):
        torch.ones(2, 3) @ torch.ones(2, 3)
    assert SETTING.fp32_precision == before
    with products_by("auto"), products_by("torch"):
        assert SETTING.fp32_precision == before


def test_small_products_stay_with_torch(has_onednn: None) -> None:
    with products_by("onednn"):
        with by_torch(small=True):
            assert SETTING.fp32_precision == "ieee"
        with by_torch(small=False):
            assert SETTING.fp32_precision == "bf16"
        assert SETTING.fp32_precision == "bf16"


def test_outputs_and_gradients_are_those_by_torch(has_onednn: None) -> None:
    for layer in (RNN, GRU, LSTM):
        torch.manual_seed(0)
        module, x = layer(100, 128), torch.randn(5, 80, 100, requires_grad=True)
        made = []
        for library in ("torch", "onednn"):
            with products_by(library):
                h, _ = module(x)
                made.append([h, *torch.autograd.grad(h.square().sum(), [x, *module.parameters()])])
        for own, other in zip(*made, strict=True):
            torch.testing.assert_close(own, other, rtol=1e-4, atol=1e-4 * own.abs().max().item())
