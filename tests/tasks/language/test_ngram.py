"""Count-based baselines against their definitions."""

import math
from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest

from workings.tasks.language.config import LanguageTrain, TextConfig
from workings.tasks.language.ngram import KneserNey, Unigram
from workings.tasks.language.task import LanguageTask

TYPES = 6
IDS = np.array([0, 1, 2, 3, 0, 1, 2, 4, 0, 2, 3, 1, 0, 1, 2, 3, 0, 3, 3, 1, 0], np.uint16)


def discount(counts: Counter) -> float:
    once, twice = (sum(n == k for n in counts.values()) for k in (1, 2))
    return once / (once + 2 * twice) if once and twice else 0.5


def kneser_ney(ids: list[int], types: int) -> Callable[[int, int, int], float]:
    """P(w | u v) from the definition, with dictionaries."""
    history = [ids[0], *ids]
    third = Counter(zip(history, history[1:], history[2:], strict=False))
    second = Counter((v, w) for _, v, w in third)  # the distinct words that (v, w) follows
    first = Counter((w,) for _, w in second)

    def mixed(counts: Counter, gram: tuple[int, ...], lower: float) -> float:
        continuations = {key: n for key, n in counts.items() if key[:-1] == gram[:-1]}
        total = sum(continuations.values())
        if not total:
            return lower
        d = discount(counts)
        kept = max(counts[gram] - d, 0) / total
        return kept + d * len(continuations) / total * lower

    def p(u: int, v: int, w: int) -> float:
        return mixed(third, (u, v, w), mixed(second, (v, w), mixed(first, (w,), 1 / types)))

    return p


def every_context() -> list[tuple[int, int]]:
    return [(u, v) for u in range(TYPES) for v in range(TYPES)]


def p_of(model: KneserNey, u: int, v: int) -> np.ndarray:
    """P(· | u v)."""
    words = np.arange(TYPES)
    return model.p(np.full(TYPES, u), np.full(TYPES, v), words)


def test_probabilities_sum_to_one_for_every_context_seen_or_not() -> None:
    model = KneserNey(IDS, TYPES)
    for u, v in every_context():
        assert p_of(model, u, v).sum() == pytest.approx(1, abs=1e-12)


def test_every_word_has_a_probability_even_one_never_seen() -> None:
    model = KneserNey(IDS, TYPES)
    assert 5 not in IDS
    assert all((p_of(model, u, v) > 0).all() for u, v in every_context())


def test_probabilities_are_those_of_the_definition() -> None:
    model, p = KneserNey(IDS, TYPES), kneser_ney(IDS.tolist(), TYPES)
    for u, v in every_context():
        assert p_of(model, u, v) == pytest.approx([p(u, v, w) for w in range(TYPES)], rel=1e-12)


def test_a_probability_worked_out_by_hand() -> None:
    # 0 0 1 2 1 2 has the trigrams 001, 012, 121, 212, each once; no count is 2: D = 1/2.
    # Bigrams 01, 12 (after 0 and 2), 21: n1 = 2, n2 = 1, D = 2/4. Unigrams: 1 (01, 21), 2: D = 1/3.
    model = KneserNey(np.array([0, 1, 2, 1, 2]), 3)
    first = (1 - 1 / 3) / 3 + (1 / 3 * 2 / 3) * (1 / 3)
    second = (2 - 1 / 2) / 2 + (1 / 2 * 1 / 2) * first
    third = (1 - 1 / 2) / 1 + (1 / 2 * 1 / 1) * second
    assert model.p(np.array([0]), np.array([1]), np.array([2])) == pytest.approx([third])


def test_the_loss_is_the_mean_over_the_text_from_its_first_token() -> None:
    model, p = KneserNey(IDS, TYPES), kneser_ney(IDS.tolist(), TYPES)
    other = [0, 2, 5, 1, 1, 0]
    history = [0, *other]
    logs = [math.log(p(*gram)) for gram in zip(history, history[1:], history[2:], strict=False)]
    assert len(logs) == len(other) - 1
    assert model.loss(np.array(other, np.uint16)) == pytest.approx(-sum(logs) / len(logs))


def test_unigram_probabilities_are_add_one_and_sum_to_one() -> None:
    p = np.exp(Unigram(IDS, TYPES).log_p)
    counts = Counter(IDS[1:].tolist())
    assert p == pytest.approx([(counts[w] + 1) / (20 + TYPES) for w in range(TYPES)])
    assert p.sum() == pytest.approx(1)


def test_the_unigram_loss_is_the_mean_over_all_but_the_start() -> None:
    model = Unigram(IDS, TYPES)
    assert model.loss(np.array([5, 1, 2])) == pytest.approx(-(model.log_p[1] + model.log_p[2]) / 2)


def test_the_trigram_is_better_where_the_text_has_structure() -> None:
    random = np.random.default_rng(1)
    phrases = np.array([[1, 2, 3, 0], [2, 1, 4, 0], [3, 3, 5, 0]])
    train, test = (np.append(0, phrases[random.integers(3, size=n)].ravel()) for n in (400, 100))
    # Two bits a word without structure; with it only the phrase's first word is uncertain.
    assert Unigram(train, TYPES).loss(test) > 1.6
    assert KneserNey(train, TYPES).loss(test) < 0.4


@pytest.mark.usefixtures("shared")
def test_ptb_perplexity_is_that_of_the_literature() -> None:
    task = LanguageTask(TextConfig(name="ptb"), None, LanguageTrain(), 1, {})
    model = KneserNey(task.splits["train"].all, len(task.vocabulary))
    assert 145 < math.exp(model.loss(task.splits["test"].all)) < 156


@pytest.mark.parametrize("chunk", [1, 2, 7, 20, 21])
def test_the_loss_does_not_depend_on_the_chunk(chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    models = (Unigram(IDS, TYPES), KneserNey(IDS, TYPES))
    whole = [model.loss(IDS) for model in models]
    monkeypatch.setattr("workings.tasks.language.ngram.CHUNK", chunk)
    assert [model.loss(IDS) for model in models] == pytest.approx(whole)
