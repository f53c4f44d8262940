"""Measurements of trained language models: their own queries, keys, cells and text."""

from pathlib import Path

import pytest
import torch

from workings.errors import WorkingsError
from workings.run import train
from workings.study import series_error, vanishing

TRAIN = {"epochs": 1, "batch": 4, "window": 16, "device": "cpu", "threads": 1}


def test_the_weights_of_a_trained_layer_are_the_model_s_own(tmp_path: Path, book: Path) -> None:
    model = {"kind": "attention", "width": 8, "heads": 2, "layers": 2, "context": 16}
    data = {"train": [str(book)]}
    values = {"task": "language", "data": data, "model": model, "train": TRAIN}
    run = train(values, str(tmp_path / "run"))
    settings = series_error.SETTINGS | {"run": str(tmp_path / "run"), "layer": 2, "length": 12}
    q, k, _ = series_error.of_run(settings)
    ids = torch.from_numpy(run.task.splits["test"].all[:12].astype("int64"))
    expected = run.model.weights(ids)[1].double()
    scores = (q @ k.mT / 2).masked_fill(~torch.ones(12, 12, dtype=torch.bool).tril(), -torch.inf)
    torch.testing.assert_close(scores.softmax(-1), expected, rtol=1e-5, atol=1e-6)
    errors = series_error.errors(settings)
    assert errors.output[-1] < errors.output[0]
    with pytest.raises(WorkingsError, match="set: layer: must be from 1 to 2"):
        series_error.of_run(settings | {"layer": 3})
    with pytest.raises(WorkingsError, match="is not a recurrent language model"):
        vanishing.prepared(vanishing.SETTINGS | {"run": str(tmp_path / "run")})


def test_a_trained_cell_is_fed_its_own_text(tmp_path: Path, book: Path) -> None:
    model = {"kind": "rnn", "embed": 4, "hidden": 6}
    values = {"task": "language", "data": {"train": [str(book)]}, "model": model, "train": TRAIN}
    run = train(values, str(tmp_path / "run"))
    settings = vanishing.SETTINGS | {"run": str(tmp_path / "run"), "steps": 5, "batch": 2}
    cell, x_TBd = vanishing.prepared(settings | {"gain": 2.0})
    torch.testing.assert_close(cell.H, 2 * run.model.layers[0].H.double())
    ids = run.task.splits["test"].all
    for row, start in enumerate((0, len(ids) // 2)):
        words = torch.from_numpy(ids[start : start + 5].astype("int64"))
        torch.testing.assert_close(x_TBd[:, row], run.model.embedding(words).double())
