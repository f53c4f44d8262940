"""The time a module takes at growing sizes, beside what its formula predicts."""

import math
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from workings.cost.cost import Cost
from workings.cost.counts.one_pass import first_output
from workings.errors import WorkingsError, nearest
from workings.formula.polynomial import Sizes

USUAL = 32  # a size of which nothing is known
FEWEST, MOST = 3, 12  # sizes; a slow one is run the fewest times, too
TURN, PASSES = 0.1, 6  # one size is run for so many seconds and passes, at least
SLOW = 0.5  # seconds a pass, after which no larger size is tried
BYTES = 1e9


@dataclass(frozen=True)
class Point:
    """Seconds of one pass, the fastest of several: what else the machine does only adds."""

    size: int
    forward: float
    backward: float | None


@dataclass(frozen=True)
class Measured:
    """Times over one symbol, the exponents fitted to them, and those of the theory beside them."""

    symbol: str
    others: Sizes
    points: tuple[Point, ...]
    exponents: dict[str, float]
    """of the measured times, by `forward` and `backward`: t ∝ size^exponent over the larger half"""
    theory: dict[str, float]
    """of the multiply-adds, over the same sizes"""
    limit: dict[str, int]
    """of the multiply-adds, as the size goes on growing"""
    threads: int


def measure(
    cost: Cost,
    symbol: str,
    others: Sizes | None = None,
    seconds: float = 10.0,
    progress: Callable[[str], None] = lambda text: None,
) -> Measured:
    """Time forward and backward on the CPU at sizes that double, within about this many seconds."""
    if symbol not in cost.symbols:
        raise WorkingsError(
            f"no symbol {symbol!r} to measure over{nearest(symbol, cost.symbols)}; "
            f"there is: {', '.join(cost.symbols)}"
        )
    usual = {s: cost.spec.usual.get(s, USUAL) for s in cost.symbols}
    rest = {s: size for s, size in {**usual, **(others or {})}.items() if s != symbol}
    points: list[Point] = []
    began = time.monotonic()
    for size in _sizes(cost, symbol, rest):
        if not points:
            _time(cost, size, {**rest, symbol: size})  # the first passes of all warm up
        progress(f"{symbol} = {size:,}")
        point = _time(cost, size, {**rest, symbol: size})
        points.append(point)
        taken = point.forward + (point.backward or 0)
        if taken > SLOW or (len(points) >= FEWEST and time.monotonic() - began > seconds):
            break
    if len(points) < FEWEST:
        raise WorkingsError(
            f"{cost.spec.name}: only {len(points)} sizes of {symbol} can be measured; "
            "give smaller sizes of the others with --at"
        )
    return _fitted(cost, symbol, rest, points)


def _sizes(cost: Cost, symbol: str, rest: Sizes) -> Iterator[int]:
    """Doubling, from the first that the module accepts, while it fits into memory."""
    below = [rest[h] for d, h in cost.spec.multiples or () if d == symbol]
    start = math.lcm(*below, cost.spec.units.get(symbol, 1), 8)
    divided = [rest[d] for d, h in cost.spec.multiples or () if h == symbol]
    for power in range(MOST):
        size = (1 if divided else start) * 2**power
        if any(d % size for d in divided):
            return
        counts = cost.at(**{**rest, symbol: size})
        if counts["memory"] + 8 * counts["params"] > BYTES:
            return
        yield size


def _time(cost: Cost, size: int, sizes: Sizes) -> Point:
    with torch.device("cpu"):
        module, inputs, input_grad = cost.spec.make(sizes)
    leaves = [_real(value, input_grad) for value in inputs or ()]
    forward: list[float] = []
    backward: list[float] = []
    began = time.monotonic()
    while time.monotonic() - began < TURN or len(forward) < PASSES:
        module.zero_grad()
        before = time.perf_counter()
        output = first_output(module(*leaves))
        after = time.perf_counter()
        forward.append(after - before)
        if output is not None:
            torch.autograd.backward(output, torch.ones_like(output))
            backward.append(time.perf_counter() - after)
        if time.perf_counter() - before > SLOW and len(forward) >= FEWEST:
            break
    return Point(size, min(forward), min(backward, default=None))


def _real(value: object, input_grad: bool) -> object:
    """An input with values, where a user's function has given one without."""
    if not isinstance(value, Tensor) or value.layout != torch.strided:
        return value
    if value.is_meta:
        value = torch.zeros(value.shape, dtype=value.dtype, device="cpu")
        value = value.normal_() if value.is_floating_point() else value
    return value.detach().requires_grad_(input_grad and value.is_floating_point())


def _fitted(cost: Cost, symbol: str, rest: Sizes, points: Sequence[Point]) -> Measured:
    # Small sizes measure what a call costs, not what the work does.
    upper = list(points[-max(FEWEST, len(points) // 2) :])
    sizes = [p.size for p in upper]
    times: dict[str, list[float | None]] = {
        "forward": [p.forward for p in upper],
        "backward": [p.backward for p in upper],
    }
    exponents, theory, limit = {}, {}, {}
    for which, measured in times.items():
        known = [t for t in measured if t is not None]
        counts = [cost.at(**{**rest, symbol: size})[which] for size in sizes]
        if len(known) == len(sizes) and all(counts):
            exponents[which] = slope(sizes, known)
            theory[which] = slope(sizes, counts)
            limit[which] = max(p.polynomial.degree(symbol) for p in cost[which].pieces)
    threads = torch.get_num_threads()
    return Measured(symbol, dict(rest), tuple(points), exponents, theory, limit, threads)


def slope(sizes: Sequence[int], values: Sequence[float]) -> float:
    """The exponent a of the power c·size^a nearest to the values (least squares of logarithms)."""
    xs, ys = [math.log(x) for x in sizes], [math.log(y) for y in values]
    mean_x, mean_y = statistics.mean(xs), statistics.mean(ys)
    above = sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys, strict=True))
    return above / sum((x - mean_x) ** 2 for x in xs)


def chart_rows(cost: Cost, measured: Measured) -> list[dict[str, object]]:
    """Points of a chart: the measured times, and the multiply-adds scaled to meet them."""
    rows: list[dict[str, object]] = []
    for which in measured.exponents:
        times = [(p.size, getattr(p, which)) for p in measured.points]
        rows += [{"size": n, "seconds": t, "series": f"{which}, measured"} for n, t in times]
    for which in measured.exponents:
        counts = [
            (p.size, cost.at(**{**measured.others, measured.symbol: p.size})[which])
            for p in measured.points
        ]
        scale = getattr(measured.points[-1], which) / counts[-1][1]
        rows += [
            {"size": n, "seconds": scale * c, "series": f"{which}, multiply-adds, scaled"}
            for n, c in counts
        ]
    return rows
