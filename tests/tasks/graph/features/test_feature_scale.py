"""Features: the normalisation that fits them, against NumPy, and what a run makes of it."""

from pathlib import Path

import numpy as np
import pytest
import torch

from workings.nn.graph.graph_model import dense
from workings.run import open_run, train
from workings.schema import build
from workings.tasks.graph import GraphTask
from workings.tasks.graph.config import GraphConfig
from workings.tasks.graph.features.feature_columns import from_columns
from workings.tasks.graph.features.feature_scale import ColumnScale, fitting
from workings.tasks.graph.features.sparse_rows import Rows

NODES = 120
DRAW = np.random.default_rng(3)
LABELS = DRAW.integers(0, 3, NODES)
# Ten Gaussian columns, of very different sizes, whose means tell the class.
GAUSSIAN = DRAW.normal(size=(NODES, 10)) + DRAW.normal(size=(3, 10))[LABELS]
GAUSSIAN = GAUSSIAN * 10.0 ** np.arange(-3, 7)


def graph_file(path: Path, x: np.ndarray) -> Path:
    ends = DRAW.integers(0, NODES, size=(2, 300))
    np.savez(path, edge_index=ends, x=x, y=LABELS)
    return path


def test_what_fits_which_features() -> None:
    bags = (DRAW.random((50, 40)) < 0.05).astype(float)
    assert fitting(None) == "none"
    assert fitting(Rows.dense(bags)) == "sum"
    assert fitting(Rows.dense(-bags)) == "standard"  # signed: a sum may be next to nothing
    assert fitting(Rows.dense(np.abs(DRAW.normal(size=(50, 4))))) == "standard"


def test_columns_are_standardised_but_for_zeros_and_ones_and_constants() -> None:
    x_NF = np.column_stack([GAUSSIAN[:, 9], LABELS == 1, np.full(NODES, -3.0), np.zeros(NODES)])
    scaled = ColumnScale.of(Rows.dense(x_NF))(Rows.dense(x_NF))
    wanted = (x_NF[:, 0] - x_NF[:, 0].mean()) / x_NF[:, 0].std()
    assert np.allclose(scaled[:, 0], wanted, atol=1e-6)
    assert (scaled[:, 1] == (LABELS == 1)).all()
    assert (scaled[:, 2:] == [-1.0, 0.0]).all()


def test_missing_features_are_the_mean_of_their_column() -> None:
    rows, missing = Rows.dense(np.array([[1.0, 0.0], [np.nan, 2.0], [4.0, np.nan]])).filled()
    assert missing == 2
    assert rows.table(np.float64).tolist() == [[1.0, 0.0], [2.5, 2.0], [4.0, 1.0]]


def test_columns_of_words_become_categories() -> None:
    columns = {"age": ["3", "", "5", "7"], "kind": ["b", "a", "b", "a"], "name": list("wxyz")}
    x_NF, notes, _ = from_columns(columns, ["line"] * 4)
    assert np.array_equal(x_NF, [[3, 0, 1], [np.nan, 1, 0], [5, 0, 1], [7, 1, 0]], equal_nan=True)
    assert notes == [
        "column kind has 2 categories, one feature each",
        "column name left out: 4 different words",
    ]


def test_a_run_on_gaussian_columns_keeps_what_it_chose(tmp_path: Path) -> None:
    file = graph_file(tmp_path / "g.npz", GAUSSIAN)
    values = {"task": "graph", "data": {"path": str(file)}, "train": {"epochs": 3}}
    run = train(values, str(tmp_path / "run"))
    assert run.config.data.normalise_features == "standard"  # type: ignore[attr-defined]
    assert run.history[0]["loss"] < 3  # 76,487 when rows were divided by their sums
    again = open_run(str(tmp_path / "run"))
    wanted = (GAUSSIAN - GAUSSIAN.mean(0)) / GAUSSIAN.std(0)
    assert torch.allclose(dense(again.task.x_NF), torch.tensor(wanted).float(), atol=1e-5)  # type: ignore[attr-defined]
    other = graph_file(tmp_path / "other.npz", 2 * GAUSSIAN)
    assert run.evaluate(data=[file]) != run.evaluate(data=[other])  # scaled as in training
    about = GraphTask.show(build(GraphConfig, {"path": str(file)}, "data"))
    assert about["features are"] == "each column less its mean, over its standard deviation"


def test_published_sets_keep_their_preprocessing_and_old_configs_theirs() -> None:
    assert build(GraphConfig, {"name": "karate"}, "data").normalise_features == "sum"
    for old, new in ((True, "sum"), (False, "none")):
        stored = {"name": "karate", "normalise_features": old}
        assert build(GraphConfig, stored, "data").normalise_features == new


@pytest.mark.parametrize("predict", ["nodes", "edges"])
def test_a_first_loss_far_off_names_the_features(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, predict: str
) -> None:
    file = graph_file(tmp_path / "g.npz", GAUSSIAN)
    data = {"path": str(file), "normalise_features": "none", "predict": predict}
    train({"task": "graph", "data": data, "train": {"epochs": 1}}, str(tmp_path / "run"))
    assert "the features are as large as" in caplog.text
    assert "data.normalise_features = standard" in caplog.text
