"""Both sides of the image benchmark do the same work, and the command prints it."""

from typing import Any

import pytest
import torch

from tests.command import Command
from workings.bench import images as bench
from workings.bench import rows
from workings.bench.sides import Turn
from workings.errors import WorkingsError


@pytest.mark.parametrize("variant", bench.VARIANTS)
def test_both_sides_compute_the_same(variant: str) -> None:
    assert rows.tolerable({variant: bench.difference(variant)})


@pytest.mark.parametrize("variant", bench.VARIANTS)
def test_the_two_networks_have_as_many_weights(variant: str) -> None:
    ours = bench.our_task(variant, 8, 0.7).build()
    theirs = bench.ordinary_network(variant, 0.7)
    for mine, other in zip(ours.parameters(), theirs.parameters(), strict=True):
        assert mine.shape == other.shape


@pytest.mark.parametrize("make", [bench.our_step, bench.ordinary_step])
def test_a_step_learns(make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "IMAGES", 8)  # the same eight each time, and another epoch a step
    torch.manual_seed(1)
    step = make("stride", 8)
    first = [step() for _ in range(5)]
    for _ in range(300):
        step()
    last = [step() for _ in range(5)]
    assert sum(last) < sum(first) - 0.1


def test_a_difference_is_not_tolerated() -> None:
    assert not rows.tolerable({"pool": {"loss": 0.0, "gradient": 0.01}})
    assert not rows.tolerable({"pool": {"loss": 0.01, "gradient": 0.0}})


def test_rows_and_their_table(workings: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def race(sides: dict[str, Any], *_: Any) -> dict[str, list[Turn]]:
        seconds = {"ours": 0.001, "theirs": 0.002, "theirs, kept": 0.0015}
        return {name: [Turn(seconds[name], 1.0)] * 3 for name in sides}

    monkeypatch.setattr(bench, "race", race)
    shipped, kept = bench.rows("pool", 8, 1, 3, 0.1)
    assert shipped["ratio"] == pytest.approx(2.0)
    assert kept["ratio"] == pytest.approx(1.5)
    assert shipped["ours_images_per_second"] == pytest.approx(8000)
    code, out, _ = workings("bench", "images", "--rounds", 1, "--seconds", 0)
    assert code == 0
    assert "train stride, batch 128" in out
    assert "2.00×" in out


def test_sides_that_compute_different_things_are_not_compared(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bench, "difference", lambda variant: {"loss": 0.0, "gradient": 0.01})
    monkeypatch.setattr(bench, "race", None)
    with pytest.raises(WorkingsError, match=r"the two sides do not compute the same: .*0\.01"):
        bench.run(1, 0.0, lambda text: None)
