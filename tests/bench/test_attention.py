"""The attention benchmark: its sides are what they are called, its figures what they say."""

import json
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.command import Command
from workings.bench import attention
from workings.bench import attention_sides as attentions
from workings.bench.attention import Case
from workings.bench.sides import Side, TakeTurn, Turn, team
from workings.bench.sweep import LEAST, LONG, SHARE, Rounds, at_size
from workings.errors import WorkingsError

LENGTHS = (512, 1024, 2048, 4096, 8192)
POWERS = {"ours": (1e-6, 1.0), "sdpa": (1e-8, 2.0), "softmax": (3e-8, 1.5), "package": (4e-6, 1.0)}

FAKE = """
import torch
from torch import nn

class TaylorSeriesLinearAttn(nn.Module):
    def __init__(self, dim, *, dim_head, heads, combine_heads):
        super().__init__()
        self.scale = {scale} * dim_head**-0.5
        self.to_q = self.to_kv = self.merge_heads = None

    def forward(self, x, context):
        q, (k, v) = self.to_q(x), self.to_kv(context)
        s = q @ k.mT * self.scale
        w = 1 + s + s * s / 2
        return self.merge_heads(w @ v / w.sum(-1, keepdim=True))
"""


@pytest.fixture
def package(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[float], None]:
    """Put a stand-in of the package where it is found; its scale can be made wrong."""

    def put(scale: float) -> None:
        (tmp_path / f"{attentions.PACKAGE}.py").write_text(FAKE.format(scale=scale))
        monkeypatch.syspath_prepend(tmp_path)
        monkeypatch.delitem(sys.modules, attentions.PACKAGE, raising=False)

    return put


@pytest.fixture
def no_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attentions, "package_is_there", lambda: False)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sides whose times are powers of the length, and whose memory is known, without processes."""

    @contextmanager
    def fake(members: dict[str, Side], threads: int) -> Iterator[TakeTurn]:
        yield lambda name, size, repeat: Turn(_time(name, size), _peak(name, size))

    monkeypatch.setattr(attention, "team", fake)
    monkeypatch.setattr(attentions, "package_is_there", lambda: True)
    monkeypatch.setattr(attentions, "free_memory", lambda: float("inf"))


def _time(name: str, size: int) -> float:
    factor, power = POWERS[name]
    return factor * size**power


def _peak(name: str, size: int) -> float:
    return 1e8 + (2000 if name == "ours" else 1000) * size


def _rows(case: Case) -> list[dict[str, Any]]:
    rows = list(attention.case_rows(case, LENGTHS, 2, Rounds(5, 0.1), lambda text: None))
    return attention.with_exponents(rows)


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("width", [4, 16])
def test_every_attention_is_its_formula(width: int, causal: bool) -> None:
    apart = attentions.difference(width, causal, length=40)
    assert {"ours, direct", "ours, features", "ours, auto", "sdpa", "softmax"} <= set(apart)
    assert all(0 < error < 1e-5 for error in apart.values())


@pytest.mark.parametrize("name", ["taylor_attention", "softmax"])
def test_a_wrong_attention_is_seen(
    name: str, monkeypatch: pytest.MonkeyPatch, no_package: None
) -> None:
    real = getattr(attentions, name)
    monkeypatch.setattr(attentions, name, lambda *args, **more: 1.001 * real(*args, **more))
    with pytest.raises(WorkingsError, match="does not give what its formula gives"):
        attention.run(1, 0.0, True, lambda text: None)


def test_a_wrong_gradient_is_seen(monkeypatch: pytest.MonkeyPatch, no_package: None) -> None:
    real = attentions.taylor_attention

    def half(q: torch.Tensor, *args: Any, **more: Any) -> torch.Tensor:
        q = q / 2 + q.detach() / 2
        return real(q, *args, **more)

    monkeypatch.setattr(attentions, "taylor_attention", half)
    assert not attention.tolerable({"x": attentions.difference(4, True, 40)})


def test_the_package_is_checked_too(package: Callable[[float], None]) -> None:
    package(1.0)
    assert attentions.difference(4, False, 40)["package"] < 1e-5
    assert "package" not in attentions.difference(4, True, 40)
    package(1.01)
    assert attentions.difference(4, False, 40)["package"] > 1e-4


def test_a_package_that_does_not_import_is_not_there(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / f"{attentions.PACKAGE}.py").write_text("import no_such_module")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, attentions.PACKAGE, raising=False)
    assert not attentions.package_is_there()
    monkeypatch.setattr(attentions, "PACKAGE", "no_such_module")
    assert not attentions.package_is_there()


@pytest.mark.parametrize("backward", [True, False])
def test_work_is_one_pass(backward: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    def attend(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        out = q * k * v
        if out.requires_grad:
            out.register_hook(lambda grad: seen.append("backward"))
        seen.append(tuple(q.shape))
        return out

    monkeypatch.setattr(attentions, "attention", lambda name, width, causal: attend)
    attentions.work("ours", 3, True, backward, 7)()
    assert seen == [(1, 4, 7, 3), *(["backward"] if backward else [])]


def _turns(times: dict[str, float], rounds: Rounds) -> tuple[dict[str, list[Turn]], list[str]]:
    asked: list[str] = []

    def take_turn(name: str, size: int, repeat: int) -> Turn:
        asked.append(name)
        spent[name] = spent.get(name, 0.0) + repeat * times[name]
        return Turn(times[name], 0)

    spent: dict[str, float] = {}
    turns = at_size(take_turn, times, 512, rounds)
    for name, total in spent.items():  # two repetitions come before the rounds
        assert total <= 2 * times[name] + max(1.5 * SHARE, LEAST * times[name])
    return turns, asked


def test_quick_sides_have_all_their_rounds_and_take_turns() -> None:
    turns, asked = _turns({"ours": 1e-4, "sdpa": 1e-3}, Rounds(4, 0.01))
    assert {name: len(some) for name, some in turns.items()} == {"ours": 4, "sdpa": 4}
    assert asked[4:] == ["ours", "sdpa", "sdpa", "ours", "ours", "sdpa", "sdpa", "ours"]


def test_slow_sides_have_fewer_rounds_and_very_slow_ones_run_once() -> None:
    times = {"ours": 1e-3, "sdpa": SHARE / 5, "softmax": 0.9 * LONG, "package": LONG + 40}
    turns, asked = _turns(times, Rounds(15, 0.5))
    assert {name: len(some) for name, some in turns.items()} == {
        "ours": 5,
        "sdpa": 5,
        "softmax": LEAST,
        "package": 1,
    }
    assert asked.count("package") == 1


def test_ours_may_be_the_slow_one() -> None:
    turns, _ = _turns({"ours": LONG, "sdpa": 1e-3}, Rounds(15, 0.5))
    assert {name: len(some) for name, some in turns.items()} == {"ours": 1, "sdpa": 15}
    turns, _ = _turns({"ours": 1e-3, "sdpa": LONG}, Rounds(15, 0.5))
    assert {name: len(some) for name, some in turns.items()} == {"ours": 1, "sdpa": 1}


def test_ratios_are_theirs_over_ours_and_peaks_are_those_of_the_processes(clock: None) -> None:
    rows = _rows(Case(16, False, True))
    assert [(row["against"], row["length"]) for row in rows] == [
        (other, length) for length in LENGTHS for other in ("sdpa", "softmax", "package")
    ]
    for row in rows:
        ours, theirs = (_time(name, row["length"]) for name in ("ours", row["against"]))
        assert (row["ours_seconds"], row["theirs_seconds"]) == (ours, theirs)
        assert row["ratio"] == pytest.approx(theirs / ours)
        assert row["ours_peak_bytes"] == 1e8 + 2000 * row["length"]
        assert attention.work_ratio(row) == pytest.approx(2)
        beyond_idle = row["theirs_peak_bytes"] - row["theirs_idle_bytes"]
        assert beyond_idle == 1000 * (row["length"] - attention.IDLE)
        assert row["rounds"] == (LEAST if theirs > SHARE / 5 else 5)


def test_only_the_rounds_that_both_had_are_compared() -> None:
    turns = {
        "ours": [Turn(seconds, 0) for seconds in (1.0, 2.0, 100.0)],
        "sdpa": [Turn(seconds, 0) for seconds in (3.0, 4.0)],
    }
    row = attention._row(Case(16, True, True), 512, 1, "sdpa", turns, {"ours": 0, "sdpa": 0})
    assert (row["ratio"], row["rounds"]) == (2.5, 2)
    assert row["name"] == ("D=16, causal, forward and backward, 512 tokens, 1 thread, against sdpa")


def test_exponents_are_those_of_the_longest_lengths(clock: None) -> None:
    for row in _rows(Case(16, False, False)):
        assert row["ours_exponent"] == pytest.approx(POWERS["ours"][1])
        assert row["theirs_exponent"] == pytest.approx(POWERS[row["against"]][1])
    bent = {n: 1.0 if n < 2048 else n**1.25 for n in LENGTHS}
    assert attention.exponent(bent) == pytest.approx(1.25)
    assert attention.exponent({512: 1.0}) is None


def test_what_does_not_fit_is_left_out(clock: None, monkeypatch: pytest.MonkeyPatch) -> None:
    scores = 4 * 4 * 2048**2  # bytes of float32, of four heads
    assert attentions.needed("softmax", 16, 2048) == 4 * scores
    assert attentions.needed("package", 16, 2048) == 6 * 4 * 4 * 2048 * (1 + 16 + 256)
    monkeypatch.setattr(attentions, "free_memory", lambda: 2.0 * 4 * scores)
    said: list[str] = []
    case, rounds = Case(16, True, True), Rounds(2, 0.1)
    rows = list(attention.case_rows(case, LENGTHS, 1, rounds, said.append))
    lengths = {
        name: [row["length"] for row in rows if row["against"] == name]
        for name in attentions.OTHERS
    }
    assert lengths == {"sdpa": list(LENGTHS), "softmax": [512, 1024, 2048], "package": []}
    assert [text for text in said if "left out" in text] == [
        "D=16, 4,096 tokens: softmax would need 1.1 GB, more than half of the 0.5 GB that are "
        "free, so it is left out",
        "D=16, 8,192 tokens: softmax would need 4.3 GB, more than half of the 0.5 GB that are "
        "free, so it is left out",
    ]


def test_free_memory_is_that_of_a_machine() -> None:
    assert attentions.free_memory() > 1e6


def test_summary(clock: None) -> None:
    rows = _rows(Case(16, True, True)) + _rows(Case(32, False, True))
    lines = dict(attention.summary(rows))
    at_8k = "D=16, causal, forward and backward, 8,192 tokens, 2 threads, against sdpa"
    assert lines[at_8k] == pytest.approx(81.92)
    least = "D=16, causal, forward and backward, 512 tokens, 2 threads, against sdpa"
    assert lines[f"least of all against sdpa: {least}"] == pytest.approx(5.12)
    assert lines["median of all against package"] == pytest.approx(4)
    most = f"most peak memory, ours over theirs: {at_8k}"
    assert lines[most] == pytest.approx((1e8 + 2000 * 8192) / (1e8 + 1000 * 8192))
    beyond = f"most of it beyond an idle process, at the longest length: {at_8k}"
    assert lines[beyond] == pytest.approx(2)


def test_the_chart_has_every_time_with_its_exponent(clock: None) -> None:
    rows = [row for causal in (True, False) for row in _rows(Case(16, causal, True))]
    drawn = json.loads(attention.chart(rows).to_json())
    points = [p for data in drawn["datasets"].values() for p in data] if "datasets" in drawn else []
    points += [p for panel in _panels(drawn) for p in panel["data"].get("values", [])]
    series = {p["series"] for p in points}
    assert series == {
        "ours, length^1.00",
        "sdpa, length^2.00",
        "softmax, length^1.50",
        "package, length^1.00",
    }
    assert {"length": 512, "seconds": _time("sdpa", 512), "series": "sdpa, length^2.00"} in points
    assert len(points) == (3 + 4) * len(LENGTHS)


def _panels(drawn: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if "mark" in drawn:
        yield drawn
    for inner in (*drawn.get("vconcat", ()), *drawn.get("hconcat", ())):
        yield from _panels(inner)


def _sized(offset: int, size: int) -> Callable[[], Any]:
    if size == 13:
        raise RuntimeError("unlucky\nand more")
    if size == 99:
        os.kill(os.getpid(), signal.SIGKILL)
    return lambda: b"x" * (size + offset)


def test_a_team_works_at_the_size_it_is_asked_for() -> None:
    sides = {"small": Side(_sized, (0,), False), "large": Side(_sized, (50_000_000,), False)}
    with team(sides, threads=1) as take_turn:
        idle = take_turn("small", 1, 1).peak
        turns = at_size(take_turn, sides, 100, Rounds(2, 0.0))
        assert [len(some) for some in turns.values()] == [2, 2]
        assert turns["large"][0].peak - idle > 40_000_000
        assert take_turn("small", 60_000_000, 1).peak - idle > 50_000_000
        with pytest.raises(WorkingsError, match=r"^small at size 13: unlucky$"):
            take_turn("small", 13, 1)
        assert take_turn("small", 1, 1).peak >= idle  # goes on
        with pytest.raises(WorkingsError, match="large at size 99: its process has ended"):
            take_turn("large", 99, 1)


def test_rows_of_real_processes(package: Callable[[float], None]) -> None:
    package(1.0)
    said: list[str] = []
    rows = list(attention.case_rows(Case(4, False, True), (16, 8), 1, Rounds(2, 0.0), said.append))
    assert [(row["against"], row["length"]) for row in rows] == [
        (other, length) for length in (8, 16) for other in attentions.OTHERS
    ]
    for row in rows:
        assert row["rounds"] == 2
        assert row["ratio"] > 0
        assert row["ours_peak_bytes"] >= row["ours_idle_bytes"] > 5e7
        assert row["theirs_peak_bytes"] >= row["theirs_idle_bytes"] > 5e7
    assert [text.partition(":")[0] for text in said] == [
        f"D=4, not causal, forward and backward, {length} tokens, 1 thread(s)" for length in (8, 16)
    ]


def test_json_and_chart(
    workings: Command, clock: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    real = attentions.difference
    monkeypatch.setattr(attentions, "difference", lambda width, causal: real(width, True))
    drawn = tmp_path / "times.svg"
    code, out, err = workings("bench", "attention", "--quick", "--chart", drawn, "--json")
    assert code == 0, err
    rows = json.loads(out)
    found = {(r["causal"], r["backward"], r["against"], r["length"], r["width"]) for r in rows}
    assert len(found) == len(rows)
    assert found == {
        (causal, backward, other, length, width)
        for causal in (True, False)
        for backward in (True, False)
        for other in attentions.OTHERS
        if not (causal and other == "package")
        for length in attention.QUICK_LENGTHS
        for width in attention.QUICK_WIDTHS
    }
    for row in rows:
        assert row["ratio"] == pytest.approx(row["theirs_seconds"] / row["ours_seconds"])
        assert row["ours_peak_bytes"] == _peak("ours", row["length"])
        assert row["theirs_peak_bytes"] == _peak("sdpa", row["length"])
    assert drawn.read_text().count("length^2.00") >= 2


def test_the_tables(
    workings: Command, clock: None, monkeypatch: pytest.MonkeyPatch, no_package: None
) -> None:
    monkeypatch.setattr(attention, "QUICK_LENGTHS", LENGTHS)
    monkeypatch.setattr(attention, "QUICK_WIDTHS", (16,))
    code, out, err = workings("bench", "attention", "--quick", "--rounds", 3)
    assert code == 0, err
    assert "taylor-series-linear-attention is not installed" in err
    assert "not causal, forward and backward" in out
    (line, *others) = [line.split() for line in out.splitlines() if "8,192  " in line]
    assert len(others) == 3
    times = ["8.2", "ms", "671.1", "ms", "81.92×", "3"]
    assert line[:8] == ["16", "8,192", *times]
    assert line[-5:] == ["108", "MB", "→", "116", "MB"]
    assert out.count("length^2.00") == 4
    assert "least of all against softmax" in out


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["atention"], "No such command 'atention'. Did you mean 'attention'?"),
        (["nothing"], "No such command 'nothing'"),
        (["language", "--quick"], "No such option: --quick"),
        (["attention", "--chart", "x.txt"], "--chart: no chart can be written as 'x.txt'"),
        (["attention", "--chart", "no/x.svg"], "--chart: there is no folder no"),
        (["attention", "--rounds", "0"], "--rounds"),
    ],
)
def test_bad_input_is_one_line(workings: Command, args: list[str], message: str) -> None:
    code, out, err = workings("bench", *args)
    assert (code, out) == (2, "")
    assert message in err
    assert len(err.strip().splitlines()) == 1
