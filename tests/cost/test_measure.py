"""Measuring: which sizes, and what is fitted to the times. No time itself is tested."""

import pytest
import torch
from torch import Tensor, nn

from workings.cost import measure as measuring
from workings.cost.cost import Cost, cost
from workings.cost.measure import Point, chart_rows, measure, slope
from workings.errors import WorkingsError


@pytest.fixture(scope="module")
def attention() -> Cost:
    return cost("attention")


@pytest.fixture
def timed(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, int]]:
    """A clock that gives every pass n²·d nanoseconds forward and twice that back."""
    taken: list[dict[str, int]] = []

    def time(of: Cost, size: int, sizes: dict[str, int]) -> Point:
        taken.append(sizes)
        seconds = 1e-9 * sizes["n"] ** 2 * sizes["d"]
        return Point(size, seconds, 2 * seconds)

    monkeypatch.setattr(measuring, "_time", time)
    return taken


def test_the_exponent_is_that_of_the_times(attention: Cost, timed: list[dict[str, int]]) -> None:
    found = measure(attention, "n", {"d": 16, "h": 2})
    assert found.exponents == {"forward": pytest.approx(2), "backward": pytest.approx(2)}
    assert found.limit == {"forward": 2, "backward": 2}
    # 4nd² + 2n²d over those sizes is between its two powers, near the higher one.
    assert 1.9 < found.theory["forward"] < 2
    assert found.theory["forward"] == pytest.approx(found.theory["backward"])
    sizes = [point.size for point in found.points]
    assert sizes == [8 * 2**k for k in range(len(sizes))]
    assert all(s["d"] == 16 and s["h"] == 2 for s in timed)


def test_the_exponent_is_fitted_to_the_larger_half(attention: Cost, timed: object) -> None:
    found = measure(attention, "d", {"n": 8, "h": 2})
    assert found.exponents["forward"] == pytest.approx(1)
    assert found.limit["forward"] == 2


def test_sizes_keep_to_what_divides_what(attention: Cost, timed: list[dict[str, int]]) -> None:
    measure(attention, "d", {"n": 8, "h": 6})
    assert [s["d"] for s in timed][1:4] == [24, 48, 96]
    timed.clear()
    measure(attention, "h", {"n": 8, "d": 48})
    assert [s["h"] for s in timed] == [1, 1, 2, 4, 8, 16]


def test_it_stops_where_a_pass_is_slow_or_memory_ends(
    attention: Cost, timed: list[dict[str, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = measure(attention, "n", {"d": 64, "h": 1})
    last = slow.points[-1]
    assert last.forward + (last.backward or 0) > measuring.SLOW
    assert sum(p.forward > measuring.SLOW for p in slow.points) <= 1
    monkeypatch.setattr(measuring, "BYTES", 1e6)
    small = measure(attention, "n", {"d": 64, "h": 1})
    assert all(attention.at(n=p.size, d=64, h=1)["memory"] <= 1e6 for p in small.points)
    assert len(small.points) < len(slow.points)


def test_usual_sizes_are_taken_for_the_others(attention: Cost, timed: object) -> None:
    assert measure(attention, "n").others == {"d": 64, "h": 1}


def test_progress_says_every_size(attention: Cost, timed: list[dict[str, int]]) -> None:
    said: list[str] = []
    measure(attention, "n", {"d": 16, "h": 2}, progress=said.append)
    assert said[:2] == ["n = 8", "n = 16"]
    assert len(said) == len(timed) - 1  # the first size warms up


def test_symbols_and_sizes_that_are_refused(attention: Cost, timed: object) -> None:
    with pytest.raises(WorkingsError, match="no symbol 'q' to measure over"):
        measure(attention, "q")
    with pytest.raises(WorkingsError, match="only 2 sizes of h can be measured"):
        measure(attention, "h", {"d": 2})


def test_it_really_runs_forward_and_back(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[tuple[int, ...]] = []

    class Spy(nn.Module):
        def __init__(self, d: int) -> None:
            super().__init__()
            self.linear = nn.Linear(d, d)

        def forward(self, x: Tensor) -> Tensor:
            if x.device.type == "cpu":
                assert x.isfinite().all()
                ran.append(tuple(x.shape))
            return self.linear(x)

    monkeypatch.setattr(measuring, "TURN", 0.0)
    found = cost(lambda d: Spy(d), inputs=lambda n, d: torch.empty(n, d, device="meta"))
    measured = measure(found, "n", {"d": 4}, seconds=0.2)
    assert set(ran) == {(p.size, 4) for p in measured.points}
    assert all(p.forward > 0 and p.backward and p.backward > 0 for p in measured.points)
    assert measured.threads == torch.get_num_threads()


def test_the_chart_has_the_theory_scaled_to_the_last_time(attention: Cost, timed: object) -> None:
    found = measure(attention, "n", {"d": 16, "h": 2})
    rows = chart_rows(attention, found)
    names = list(dict.fromkeys(row["series"] for row in rows))
    assert names == [
        "forward, measured",
        "backward, measured",
        "forward, multiply-adds, scaled",
        "backward, multiply-adds, scaled",
    ]
    last = {row["series"]: row["seconds"] for row in rows}  # the largest size comes last
    assert last[names[0]] == pytest.approx(last[names[2]])
    assert last[names[1]] == pytest.approx(last[names[3]])


def test_slope() -> None:
    assert slope([1, 2, 4, 8], [3, 12, 48, 192]) == pytest.approx(2)
    assert slope([10, 100], [5, 5]) == pytest.approx(0)
