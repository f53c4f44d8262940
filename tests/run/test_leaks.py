"""A leak is an error before the first step, or a warning; accepted, it is kept with the run."""

import random
import sys
from pathlib import Path
from typing import Any

import pytest

import workings
from workings.errors import WorkingsError
from workings.run.folder.run_folder import RunFolder

BOTH_WAYS = """
from torch import nn

class Both(nn.Module):
    def __init__(self, vocabulary):
        super().__init__()
        self.table = nn.Embedding(vocabulary, 16)
        self.read = nn.LSTM(16, 16, batch_first=True, bidirectional=True)
        self.output = nn.Linear(32, vocabulary)

    def forward(self, tokens, state):
        return self.output(self.read(self.table(tokens))[0]), None
"""


@pytest.fixture
def values(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Random words, and a class that reads them in both directions."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path.copy())
    monkeypatch.delitem(sys.modules, "both_ways", raising=False)
    Path("both_ways.py").write_text(BOTH_WAYS)
    draw = random.Random(1)
    Path("words.txt").write_text(
        "\n".join(" ".join(f"w{draw.randrange(30)}" for _ in range(9)) for _ in range(400))
    )
    return {
        "task": "language",
        "data": {"train": ["words.txt"], "valid_share": 0.1, "test_share": 0.1},
        "model": {"kind": "both_ways:Both"},
        "train": {"epochs": 12, "batch": 8, "window": 20, "lr": 0.02},
    }


def test_a_model_that_sees_ahead_is_refused_and_its_figure_questioned(
    values: dict[str, Any],
) -> None:
    with pytest.raises(WorkingsError, match=r"sees the tokens.*--set train.allow_lookahead=true"):
        workings.train(values, "refused")
    assert not Path("runs").exists()
    values["train"]["allow_lookahead"] = True
    run = workings.train(values, "accepted")
    (kept,) = RunFolder(run.folder.path).about()["leaks"]
    assert kept.endswith("(accepted)")
    assert run.result
    assert run.result["metrics"]["test.perplexity"] < 5
    (question,) = run.result["questions"]
    assert "far below that of every baseline" in question


def test_the_same_file_for_train_and_test(values: dict[str, Any]) -> None:
    values["model"] = {"kind": "rnn", "embed": 4, "hidden": 4}
    values["train"] |= {"epochs": 1, "max_steps": 2}
    values["data"]["test"] = ["words.txt"]
    with pytest.raises(WorkingsError, match=r"words.txt.*train and for test.*allow_overlap=true"):
        workings.train(values, "refused")
    values["data"]["allow_overlap"] = True
    run = workings.train(values, "accepted")
    assert run.result
    assert run.result["questions"] == []
    assert run.config.data.model_dump()["allow_overlap"]
