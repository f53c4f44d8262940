"""What the user's own text is learned with, where the config does not say."""

from pathlib import Path
from typing import Any

import pytest

from workings.run.config import resolve


def settled(book: Path, **sections: Any) -> tuple[Any, Any, list[str]]:
    values = {"task": "language", "data": {"train": [str(book)]}, **sections}
    config, _, chosen = resolve(values).settled()
    return config.model, config.train, chosen


def test_own_text_gets_an_lstm_and_a_schedule_for_it(book: Path) -> None:
    model, train, chosen = settled(book)
    assert (model.kind, model.tied, model.dropout_output) == ("lstm", True, 0.5)
    assert (train.optimizer, train.schedule, train.epochs) == ("adamw", "cosine", 15)
    assert any(line.startswith("an LSTM with dropout") for line in chosen)


@pytest.mark.parametrize("model", [{"kind": "rnn"}, {"activation": "tanh"}, {"kind": "gru"}])
def test_a_model_that_is_named_stays(model: dict[str, Any], book: Path) -> None:
    found, train, chosen = settled(book, model=model)
    assert {key: getattr(found, key) for key in model} == model
    assert (train.optimizer, train.schedule) == ("adam", "constant")
    assert not any("LSTM" in line for line in chosen)


def test_what_is_given_is_kept(book: Path) -> None:
    model, train, _ = settled(book, model={"hidden": 40, "embed": 40}, train={"epochs": 3})
    assert (model.kind, model.hidden, model.tied, train.epochs) == ("lstm", 40, True, 3)
    model, train, _ = settled(book, model={"hidden": 40}, train={"lr": 0.1})
    assert (model.embed, model.tied, train.optimizer, train.lr) == (300, False, "adam", 0.1)
