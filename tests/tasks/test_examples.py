"""What is kept of each example adds up to the metrics, for every task."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from tests.tasks.speech.speech_sets import lj_speech, words
from workings.run.config import resolve
from workings.study.row_examples import SUMS, RowExamples, figure_of
from workings.tasks import examples
from workings.tasks.examples import Examples
from workings.tasks.speech.alphabet import LETTERS


def sets(kind: str, folder: Path, book: Path) -> dict[str, Any]:
    """A config of a small data set of each kind."""
    if kind in ("word", "char"):
        data = {"train": [str(book)], "valid_share": 0.2, "test_share": 0.2, "level": kind}
        model = {"kind": "rnn", "embed": 4, "hidden": 5}
        return {"task": "language", "data": data, "model": model, "train": {"eval_window": 13}}
    if kind in ("nodes", "edges"):
        data = {"name": "karate", "predict": kind}
        return {"task": "graph", "data": data, "model": {"kind": "gcn"}}
    if kind in ("speech", "another alphabet"):
        path = lj_speech(folder / "speech", words(20))
        train = {"decode": 2, "eval_batch": 2}
        letters = f"{LETTERS[::-1]}0123456789" if kind == "another alphabet" else ""
        return {"task": "speech", "data": {"path": str(path), "alphabet": letters}, "train": train}
    draw = np.random.default_rng(1)
    pixels, labels = draw.integers(0, 255, (60, 12, 12), np.uint8), np.arange(60) % 3
    np.savez(folder / "images.npz", train_images=pixels, train_labels=labels)
    return {"task": "images", "data": {"train": [str(folder / "images.npz")]}}


@pytest.mark.parametrize(
    "kind", ["word", "char", "images", "nodes", "edges", "speech", "another alphabet"]
)
def test_the_examples_give_the_metrics(kind: str, tmp_path: Path, book: Path) -> None:
    config = resolve(sets(kind, tmp_path, book))
    task = config.build_task()
    torch.manual_seed(1)
    model = task.build().train()
    for split in ("valid", "test"):
        metrics = task.evaluate(model, split, lambda done: None)
        kept = task.examples(model, split, lambda done: None)
        assert kept
        assert model.training
        checked = set()
        for name, value in metrics.items():
            row = RowExamples(name, {1: kept})
            if name == "roc_auc" and "score" in kept.columns:  # of edges, and of two classes
                assert row.placements(1)[0].mean() == pytest.approx(value, rel=1e-6)
            elif name not in SUMS or SUMS[name][0] not in kept.columns:
                continue
            else:
                ratio = float(row.top(1).sum() / row.bottom().sum())
                assert figure_of(ratio, name) == pytest.approx(value, rel=1e-5), name
            checked.add(name)
        assert (task.headline or task.best) in checked
    assert kept.sha256 == task.examples(task.build(), "test", lambda done: None).sha256  # type: ignore[union-attr]
    assert kept.sha256 != task.examples(model, "valid", lambda done: None).sha256  # type: ignore[union-attr]


def test_lines_end_where_a_line_does_and_are_not_endless() -> None:
    targets = np.array([5, 6, 0, 0, 7] + [8] * 450)
    nll = np.arange(455, dtype=float)
    columns = examples.lines(nll, targets, end=0)
    assert columns["tokens"].tolist() == [3, 1, 200, 200, 51]
    assert columns["nll"].tolist() == [3, 3, *(nll[a:b].sum() for a, b in _ends([4, 204, 404]))]
    assert examples.lines(nll[:3], targets[:3], end=0)["tokens"].tolist() == [3]


def _ends(starts: list[int]) -> list[tuple[int, int]]:
    return list(zip(starts, [*starts[1:], 455], strict=True))


def test_an_identity_tells_parts_and_shapes_apart() -> None:
    flat = np.arange(6)
    ids = [("ab", "c"), ("a", "bc"), (flat,), (flat.reshape(2, 3),), (flat.astype("int32"),)]
    assert len({examples.identity(*parts) for parts in ids}) == len(ids)


def test_examples_have_a_length() -> None:
    assert len(Examples("clip", "", {"nll": np.zeros(4), "edits": np.zeros(2)})) == 4
