"""The estimate of a study is of the steps that it will take, on the threads that it will have."""

import pytest

from workings.study import estimate
from workings.study.engines import local
from workings.study.plan import Job


def karate(**train: object) -> Job:
    from workings.run.config import resolve

    values = resolve({"task": "graph", "data": {"name": "karate"}, "train": train})
    return Job("karate", 1, values.model_dump(mode="json"))


def test_the_preparation_of_a_graph_is_not_taken_for_a_step(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An epoch is one step, and the first one makes what all of them need: here, 100 s long."""
    now = iter(range(0, 10**6))
    monkeypatch.setattr(estimate, "LOOK", 3)
    clock = {"seconds": 0.0}

    def tick() -> float:
        clock["seconds"] += 100 if next(now) == 1 else 1
        return clock["seconds"]

    monkeypatch.setattr(estimate.time, "monotonic", tick)
    assert estimate.seconds(karate(epochs=50), 2) < 50 * 3


def test_a_graph_gets_the_one_thread_it_asks_for() -> None:
    assert karate().trained_on(8)["train"]["threads"] == 1
    assert karate(threads=0).trained_on(8)["train"]["threads"] == 0  # left to a measurement
    assert karate(threads=0).trained_on(1)["train"]["threads"] == 1
    assert karate(threads=4).trained_on(2)["train"]["threads"] == 2


@pytest.mark.parametrize(("limit", "each"), [("", 4), ("1", 1), ("3", 3), ("16", 4)])
def test_workers_respect_omp_num_threads(
    limit: str, each: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local, "cores", lambda: 8)
    monkeypatch.setenv("OMP_NUM_THREADS", limit)
    assert local.threads_each(2) == each
