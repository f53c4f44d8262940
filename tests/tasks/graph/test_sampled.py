"""Training on parts of a graph: it learns, resumes within an epoch, and says what it cannot."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from tests.run.faults import assert_resumes
from workings.errors import WorkingsError
from workings.run import config as configs
from workings.run import train

N, CLASSES = 240, 3


@pytest.fixture(scope="module")
def blocks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three communities, features that say a little of them."""
    draw = np.random.default_rng(0)
    y = np.arange(N) % CLASSES
    ends = draw.integers(0, N, (2, 4000))
    kept = (y[ends[0]] == y[ends[1]]) | (draw.random(4000) < 0.1)
    x = draw.normal(size=(N, 4)).astype(np.float32)
    x[np.arange(N), y] += 1.0
    path = tmp_path_factory.mktemp("blocks") / "blocks.npz"
    np.savez(path, edge_index=ends[:, kept & (ends[0] != ends[1])], x=x, y=y)
    return path


def values(path: Path, sampling: str, kind: str = "gcn", **train_: Any) -> dict[str, Any]:
    return {
        "task": "graph",
        "data": {"path": str(path), "train_per_class": 40, "valid_per_class": 20},
        "model": {"kind": kind, "hidden": 8},
        "train": {"sampling": sampling, "epochs": 6, "batch": 32 if sampling == "neighbours" else 2,
                  "clusters": 8, "fanout": [4, 3], "lr": 0.02, "device": "cpu",
                  "patience": 50, **train_},
    }  # fmt: skip


@pytest.mark.parametrize("sampling", ["neighbours", "clusters"])
@pytest.mark.parametrize("kind", ["gcn", "gat", "gin", "ggnn"])
def test_it_learns(sampling: str, kind: str, blocks: Path, tmp_path: Path) -> None:
    run = train(values(blocks, sampling, kind, epochs=15), str(tmp_path / "run"))
    assert run.result is not None
    assert run.result["metrics"]["test.accuracy"] > 0.8
    assert run.result["steps"] == 15 * 4
    assert run.evaluate("test")["nodes"] == 60


@pytest.mark.parametrize("sampling", ["neighbours", "clusters"])
def test_killed_in_the_middle_of_an_epoch_it_goes_on_bit_for_bit(
    sampling: str, blocks: Path, tmp_path: Path
) -> None:
    config = values(blocks, sampling, epochs=2, checkpoint_seconds=0.0)
    assert_resumes(config, tmp_path, range(2, 60, 9), ["after"])


def test_a_fan_out_of_all_neighbours_has_the_loss_of_the_whole_graph(blocks: Path) -> None:
    losses = []
    for sampling in ("none", "neighbours"):
        config = values(blocks, sampling, batch=120, fanout=[N, N])
        config["model"] |= {"dropout": 0.0, "dropout_input": 0.0}
        task: Any = configs.resolve(config).build_task()
        torch.manual_seed(1)
        model = task.build()
        (batch,) = task.batches(0, 0)
        loss, units, _ = task.loss(model, batch, None)
        assert units == 120
        losses.append(loss.item())
    assert losses[0] == pytest.approx(losses[1], rel=1e-5)


def test_what_is_not_done_in_parts_says_so(blocks: Path) -> None:
    edges = {"path": str(blocks), "predict": "edges"}
    cases: list[tuple[str, dict[str, Any]]] = [
        ("parts of a graph are for gcn", {"model": {"kind": "rgcn"}}),
        ("every node hears of all", {"model": {"kind": "gcn", "normalisation": "softmax"}}),
        ("edges are predicted on the whole graph", {"data": edges}),
    ]
    for message, change in cases:
        task: Any = configs.resolve(values(blocks, "neighbours") | change).build_task()
        task.build()
        with pytest.raises(WorkingsError, match=message):
            _ = task.steps


def test_batches_have_defaults_of_their_own() -> None:
    for sampling, batch in (("neighbours", 1024), ("clusters", 4)):
        config = configs.resolve({"task": "graph", "train": {"sampling": sampling}})
        assert config.train.batch == batch  # type: ignore[attr-defined]
