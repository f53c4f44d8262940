"""Mixtures of a language model with a cache and with counts, against plain loops and scipy."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from scipy import optimize

from workings.errors import WorkingsError
from workings.nn.attention.decoder import AttentionLanguageModel
from workings.nn.recurrent.language_model import RecurrentLanguageModel
from workings.nn.recurrent.rnn import RNN
from workings.run import train
from workings.tasks.language import mixtures
from workings.tasks.language.ngram import KneserNey, token_probabilities


def quiet(_: int) -> None:
    """No progress."""


@pytest.mark.parametrize("kind", ["rnn", "attention"])
def test_a_cache_gives_what_a_plain_loop_gives(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mixtures, "SIZE", 6)
    torch.manual_seed(1)
    model: Any = RecurrentLanguageModel(5, 4, 4, cell=RNN)
    if kind == "attention":
        model = AttentionLanguageModel(5, 4, 1, 1, context=8)
    model.eval()
    ids = np.random.default_rng(1).integers(0, 5, 24)
    found = mixtures.probabilities(model, ids, 8, (0.7,), quiet)
    with torch.no_grad():
        h = model.features(torch.from_numpy(ids[None, :-1]), None)[0].flatten(0, 1)
        own = model.output(h).softmax(1).double().numpy()
    h, targets = h.double().numpy(), ids[1:]
    for t, word in enumerate(targets):
        assert found.model_N[t] == pytest.approx(own[t, word], rel=1e-5)
        before = range(max(0, t - 6), t)
        weights = {i: math.exp(0.7 * h[t] @ h[i]) for i in before}
        expected = own[t, word]
        if weights:
            hits = sum(weight for i, weight in weights.items() if targets[i] == word)
            expected = hits / sum(weights.values())
        assert found.cache_N[0.7][t] == pytest.approx(expected, rel=1e-5, abs=1e-9)


def test_the_shares_are_those_of_the_highest_likelihood() -> None:
    given = np.random.default_rng(2).random((2, 400)) ** 2
    best = optimize.minimize_scalar(
        lambda share: mixtures.loss(np.array([share, 1 - share]), given),
        bounds=(0, 1),
        method="bounded",
    )
    assert mixtures.shares(given)[0] == pytest.approx(best.x, abs=1e-3)


def test_counts_give_each_token_the_probability_of_their_loss() -> None:
    ids = np.random.default_rng(3).integers(0, 6, 200)
    model = KneserNey(ids[:150], 6)
    given = token_probabilities(model, ids[149:])
    assert -np.log(given).mean() == pytest.approx(model.loss(ids[149:]))


def test_a_mixture_is_named_and_its_model_alone_is_what_it_was(tmp_path: Path, book: Path) -> None:
    values = {
        "task": "language",
        "data": {"train": [str(book)]},
        "model": {"kind": "rnn", "embed": 4, "hidden": 6},
        "train": {"epochs": 1, "batch": 4, "window": 8, "device": "cpu", "threads": 1},
    }
    run = train(values, str(tmp_path / "run"))
    plain = run.evaluate("test")["perplexity"]
    found = run.evaluate_mixture("test", cache=True, ngram=True)
    assert found["perplexity"] == pytest.approx(plain, rel=1e-5)
    shares = [found[f"{name}_share"] for name in ("model", "cache", "ngram")]
    assert sum(shares) == pytest.approx(1)
    assert found["perplexity_with_cache_and_ngram"] < plain
    counted = run.evaluate_mixture("valid", ngram=True)
    assert counted["perplexity_with_ngram"] <= counted["perplexity"]
    assert "cache_flatness" not in counted


def test_a_model_without_states_is_refused() -> None:
    with pytest.raises(WorkingsError, match="does not show its states"):
        mixtures.probabilities(torch.nn.Linear(2, 2), np.arange(3), 8, (1.0,), quiet)
