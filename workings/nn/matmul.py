"""Who makes a processor's float32 matrix products: PyTorch's own library, or oneDNN.

PyTorch's own is MKL on x86, which uses half of the vector units of AMD's processors with AVX-512.
oneDNN, which PyTorch has for convolutions, uses all of them: large products are made twice as fast.
It takes some ten microseconds to call it, so that small ones stay with PyTorch's own.
"""

# M rows, K that is summed over, N columns

import contextlib
import functools
from collections.abc import Iterator

import torch

SMALL = 2**20  # multiply-adds of a product that PyTorch's own library makes sooner
SIZES = ((64, 256, 512), (100, 1000, 30), (512, 16, 300))  # M, K, N of products that are tried
ROUNDING = 2e-6  # of a product's terms: float32 sums stay far below it, bfloat16 far above

# It lets PyTorch give float32 products to oneDNN and oneDNN round them to bfloat16. Processors with
# AMX do round, and ARM's do; on x86 without AMX nothing is gained by it, and all is float32.
_GIVEN = "bf16"
_SETTING = torch.backends.mkldnn.matmul  # type: ignore[attr-defined]  # set at import


@contextlib.contextmanager
def products_by(library: str) -> Iterator[None]:
    """Let products in what is computed inside be made by "onednn", where they are float32 there.

    With any other name PyTorch's setting stays as it is.
    """
    with _set(_GIVEN) if library == "onednn" and is_float32() else contextlib.nullcontext():
        yield


@contextlib.contextmanager
def by_torch(small: bool) -> Iterator[None]:
    """Let products be made by PyTorch's own library if they are small, whoever makes the others."""
    with _set("ieee") if small and _SETTING.fp32_precision == _GIVEN else contextlib.nullcontext():
        yield


@functools.cache
def is_float32() -> bool:
    """Whether oneDNN is there, and what it makes of float32 numbers has their precision."""
    has = torch.cpu.get_capabilities()
    if has.get("architecture") != "x86_64" or has.get("amx_bf16") or has.get("amx_tile"):
        return False
    if not torch.backends.mkldnn.is_available():
        return False
    draw = torch.Generator().manual_seed(0)
    with _set(_GIVEN):
        return all(_rounding(size, draw) <= ROUNDING for size in SIZES)


def _rounding(size: tuple[int, int, int], draw: torch.Generator) -> float:
    """The largest error of an entry of a product, relative to the sum of its terms' sizes."""
    M, K, N = size
    a_MK, b_KN = torch.randn(M, K, generator=draw), torch.randn(K, N, generator=draw)
    a, b = a_MK.double(), b_KN.double()
    return float((((a_MK @ b_KN) - a @ b).abs() / (a.abs() @ b.abs())).max())


@contextlib.contextmanager
def _set(precision: str) -> Iterator[None]:
    before = _SETTING.fp32_precision
    _SETTING.fp32_precision = precision
    try:
        yield
    finally:
        _SETTING.fp32_precision = before
