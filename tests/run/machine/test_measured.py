"""Steps that are tried at the start of a run leave it as it would have been without them."""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.tiny import MODELS, values
from workings.run import train
from workings.run.machine import matmul, precision, step_times, threads

PARTS: list[tuple[str, dict[str, Any]]] = [
    *[(model, {"sampling": "neighbours"}) for model in ("gcn", "gat", "ggnn", "mlp")],
    *[(model, {"sampling": "clusters", "clusters": 4}) for model in ("gcn", "gat", "mlp")],
]
CASES: list[tuple[str, str, dict[str, Any]]] = [
    *[(task, model, {}) for task, models in MODELS.items() for model in models],
    *[("graph", model, {"batch": 2, **parts}) for model, parts in PARTS],
]


@pytest.fixture
def tried(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """Everything is measured, wherever this runs, and nothing but one thread is ever chosen."""
    seen: list[int] = []
    real = step_times.shortest_steps

    def shortest_steps(*args: Any) -> list[float]:
        seconds = real(*args)
        seen.append(len(seconds))
        return seconds

    for module in (matmul, precision, threads):
        monkeypatch.setattr(module, "shortest_steps", shortest_steps)
        monkeypatch.setattr(module, "FASTER", math.inf)
    monkeypatch.setattr(threads, "FASTER", 0.0)
    monkeypatch.setattr(matmul, "is_float32", lambda: True)
    monkeypatch.setattr(matmul, "_ratio_of_products", lambda _: math.inf)
    monkeypatch.setattr(matmul, "LARGE", 0)
    monkeypatch.setattr(matmul, "LOOK", 0.0)
    monkeypatch.setattr(precision, "has_bfloat16", lambda _: True)
    monkeypatch.setattr(precision, "APART", math.inf)
    monkeypatch.setattr(step_times, "LOOK", 0.0)
    torch.set_num_threads(2)
    yield seen
    torch.set_num_threads(1)


@pytest.mark.parametrize(("task", "model", "recipe"), CASES)
def test_a_run_is_the_same(
    task: str, model: str, recipe: dict[str, Any], tmp_path: Path, tried: list[int]
) -> None:
    config = values(task, model, tmp_path)
    given = {"threads": 1, "matmul": "torch", "precision": "float32"}
    auto = {"threads": 0, "matmul": "auto", "precision": "auto"}
    weights = []
    for settings in (given, auto):
        config["train"] |= recipe | settings
        run = train(config, str(tmp_path / str(settings["matmul"])))
        weights.append(list(run.model.parameters()))
    assert len(tried) >= 2, "threads and products; where it can be, precision too"
    for one, other in zip(*weights, strict=True):
        assert torch.equal(one, other)
