"""Whole graphs on the Try page, held against the model itself."""

from pathlib import Path

import numpy as np
import pytest
import torch

from workings.errors import WorkingsError
from workings.page.trying import graph_set, opened
from workings.run.run import open_run


def test_a_graph_has_the_class_that_predict_gives(models: Path) -> None:
    path = str(models / "shapes")
    about = next(opened.about(path, False))
    assert about["view"] == "graph_set"
    name = about["names"][0]
    (found,) = graph_set.graph(path, False, name)
    (expected,) = open_run(path).predict([name])
    probabilities = dict(zip(about["classes"], found["p"], strict=True))
    assert probabilities == pytest.approx(expected["probabilities"], abs=1e-5)
    assert about["classes"][found["label"]] == name.partition("-")[0]
    assert found["split"] == "test"
    ring = {frozenset((n, (n + 1) % 6)) for n in range(6)}
    path_of_six = ring - {frozenset((5, 0))}
    assert set(map(frozenset, found["edges"])) == (ring if "ring" in name else path_of_six)
    assert len({node["kind"] for node in found["nodes"]}) == 3  # C, N and O
    with pytest.raises(WorkingsError, match="no graph"):
        next(graph_set.graph(path, False, "nothing"))


def test_what_decided_is_the_length_of_the_gradient(models: Path) -> None:
    path = str(models / "shapes")
    run = opened.run_at(path, False)
    task = graph_set._task(run)
    _, decided = graph_set._decided(task, run, 0)
    batch, nodes = task.graphs.batch.take(torch.tensor([0]))
    x_NF = task.x_NF[nodes].double()
    model = run.model.double()
    try:
        with torch.no_grad():
            best = int(model(*model.prepare(x_NF, batch))[0].argmax())  # type: ignore[operator]
            slopes = np.zeros(x_NF.shape)
            for place in np.ndindex(*x_NF.shape):
                step = torch.zeros_like(x_NF)
                step[place] = 1e-5
                up, down = (
                    model(*model.prepare(x_NF + side * step, batch))[0, best]  # type: ignore[operator]
                    for side in (1, -1)
                )
                slopes[place] = float(up - down) / 2e-5
    finally:
        run.model.float()
    lengths = np.linalg.norm(slopes, axis=1)
    assert decided == pytest.approx((lengths / lengths.max()).tolist(), abs=1e-3)
