"""The gates of an LSTM along a text, against the equations written out."""

from pathlib import Path

import pytest
import torch

from workings.errors import WorkingsError
from workings.run import train
from workings.tasks.language.gates import gates_of

TRAIN = {"epochs": 1, "batch": 4, "window": 8, "device": "cpu", "threads": 1}


def test_gates_are_those_of_the_equations(tmp_path: Path, book: Path) -> None:
    model = {"kind": "lstm", "embed": 3, "hidden": 4}
    data = {"train": [str(book)]}
    values = {"task": "language", "data": data, "model": model, "train": TRAIN}
    run = train(values, str(tmp_path / "run"))
    found = run.gates("the old fox")
    assert found.tokens == ["the", "old", "fox"]
    cell, vocabulary = run.model.layers[0], run.task.vocabulary
    h = c = torch.zeros(4)
    expected: dict[str, list[torch.Tensor]] = {"input": [], "forget": [], "output": [], "cell": []}
    with torch.no_grad():
        for number in [vocabulary.start, *vocabulary.encode("the old fox")]:
            z = cell.weight_ih_l0 @ run.model.embedding.weight[number] + cell.bias_ih_l0
            i, f, g, o = (z + cell.weight_hh_l0 @ h + cell.bias_hh_l0).view(4, 4)
            c = f.sigmoid() * c + i.sigmoid() * g.tanh()
            h = o.sigmoid() * c.tanh()
            for name, each in (("input", i), ("forget", f), ("output", o)):
                expected[name].append(each.sigmoid())
            expected["cell"].append(c)
    for name, steps in expected.items():
        for row, unit in enumerate(found.units):
            wanted = [step[unit - 1].item() for step in steps[1:]]
            assert found.values[name][row] == pytest.approx(wanted, abs=1e-5)
    panels = found.chart().to_dict()["vconcat"]
    assert [panel["title"] for panel in panels][-1] == "cell"
    assert "gates" in run.task_charts()
    with pytest.raises(WorkingsError, match="no text to follow"):
        gates_of(run.model, vocabulary, [])


def test_only_an_lstm_has_them(tmp_path: Path, book: Path) -> None:
    values = {
        "task": "language",
        "data": {"train": [str(book)]},
        "model": {"kind": "rnn", "embed": 3, "hidden": 4},
        "train": TRAIN,
    }
    run = train(values, str(tmp_path / "run"))
    with pytest.raises(WorkingsError, match="has none of an LSTM"):
        run.gates("the old fox")
    assert run.task_charts() == {}
