"""examples.safetensors: written with a run, read back, refused where it was changed."""

from pathlib import Path

import numpy as np
import pytest
import safetensors.numpy

from tests.study.tiny import CONFIG
from workings.errors import WorkingsError
from workings.run import open_run, resume, train
from workings.run.folder import examples_file
from workings.tasks.examples import Examples


def test_there_and_back(tmp_path: Path) -> None:
    assert examples_file.read(tmp_path) == {}
    nll = np.array([0.5, 2.0], np.float32)
    examples_file.write(tmp_path, {"test": Examples("line", "ab", {"nll": nll})})
    (split,) = examples_file.read(tmp_path).items()
    assert (split[0], split[1].unit, split[1].sha256) == ("test", "line", "ab")
    assert split[1].columns["nll"].tolist() == [0.5, 2.0]
    path = tmp_path / examples_file.NAME
    path.write_bytes(path.read_bytes()[:-1] + b"x")
    with pytest.raises(WorkingsError, match="changed since the run wrote it"):
        examples_file.read(tmp_path)


@pytest.mark.parametrize(
    ("columns", "header"),
    [
        ({"test.nll": np.zeros((2, 2))}, '{"test": {"unit": "line", "sha256": ""}}'),
        ({"test.nll": np.array([np.nan])}, '{"test": {"unit": "line", "sha256": ""}}'),
        ({"test.nll": np.zeros(2)}, '{"test": {"unit": "line"}}'),
        ({"test.nll": np.zeros(2)}, "no JSON"),
    ],
)
def test_a_file_that_says_something_else_is_named(
    columns: dict[str, np.ndarray], header: str, tmp_path: Path
) -> None:
    path = tmp_path / examples_file.NAME
    path.write_bytes(safetensors.numpy.save(columns, {"splits": header}))
    with pytest.raises(WorkingsError, match=r"examples.safetensors: cannot be read"):
        examples_file.read(tmp_path)
    path.write_bytes(b"nothing of the kind")
    with pytest.raises(WorkingsError, match="cannot be read"):
        examples_file.read(tmp_path)


def test_a_run_keeps_them_and_eval_makes_them_again(tmp_path: Path, book: Path) -> None:
    data = {"train": [str(book)], "valid_share": 0.1, "test_share": 0.1}
    run = train(CONFIG | {"data": data}, str(tmp_path / "run"))
    kept = examples_file.read(run.folder.path)
    assert run.result
    assert {split: examples_file.record(each) for split, each in kept.items()} == run.result[
        "examples"
    ]
    for split, examples in kept.items():
        loss = examples.columns["nll"].sum() / examples.columns["tokens"].sum()
        assert loss == pytest.approx(run.result["metrics"][f"{split}.loss"], rel=1e-5)
    path = run.folder.path / examples_file.NAME
    before = path.read_bytes()
    path.unlink()
    open_run(str(run.folder.path)).evaluate()
    assert path.read_bytes() == before
    # A run that goes on is about other weights.
    longer = resume(str(run.folder.path), settings=["train.epochs=3"])
    assert longer.result
    assert path.read_bytes() != before
    assert examples_file.read(longer.folder.path)["test"].sha256 == kept["test"].sha256
