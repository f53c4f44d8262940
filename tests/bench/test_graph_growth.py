"""Generated graphs of any size, and how the work on them grows."""

import io
from pathlib import Path

import numpy as np
import pytest

from tests.command import Command
from workings.bench.graph_growth import METHODS, GrowthRow, exponents, make
from workings.bench.planted import CLASSES, WITHIN, archive, planted


def test_a_planted_graph_has_the_edges_and_classes_it_says() -> None:
    made = planted(2_000, 20_000)
    source, target = made["edge_index"]
    assert made["edge_index"].shape == (2, 20_000)
    assert 0 <= made["edge_index"].min() <= made["edge_index"].max() < 2_000
    same = (made["y"][source] == made["y"][target]).mean()
    assert same == pytest.approx(WITHIN + (1 - WITHIN) / CLASSES, abs=0.02)
    with np.load(io.BytesIO(archive(2_000, 20_000))) as again:
        assert all(np.array_equal(again[name], made[name]) for name in made)


def test_edges_of_near_nodes_reach_no_further_than_asked() -> None:
    made = planted(2_000, 20_000, reach=50)
    source, target = made["edge_index"].astype(int)
    assert 0 <= target.min() <= target.max() < 2_000
    # A node of the same class is up to CLASSES - 1 further on.
    assert np.abs(source - target).max() <= 50 + CLASSES
    same = (made["y"][source] == made["y"][target]).mean()
    assert same == pytest.approx(WITHIN + (1 - WITHIN) / CLASSES, abs=0.03)


@pytest.mark.parametrize("kind", ["gcn", "gat"])
def test_every_method_works_on_one(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "planted.npz"
    path.write_bytes(archive(300, 1_500))
    for method in METHODS:
        work = make(kind, method, str(path))
        work()
        work()


def test_near_nodes_are_asked_for_with_the_growth_alone(workings: Command) -> None:
    code, _, err = workings("bench", "graphs", "--near", "--quick")
    assert code == 2
    assert "give --growth gcn or gat" in err


def test_the_exponent_of_linear_growth_is_one() -> None:
    rows: list[GrowthRow] = [
        {"measured": method, "edges": edges, "seconds": edges * 1e-6, "peak_bytes": 0.0}
        for method in METHODS
        for edges in (10, 100, 1000)
    ]
    assert list(exponents(rows).values()) == pytest.approx([1.0] * len(METHODS))
