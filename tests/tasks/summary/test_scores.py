"""Scores of summaries, against sacrebleu and rouge-score, and by hand."""

import random

import pytest
import sacrebleu
from rouge_score import rouge_scorer

from workings.tasks.summary import scores


def pairs(count: int, most: int) -> tuple[list[tuple[str, ...]], list[tuple[str, ...]]]:
    draw = random.Random(most)
    words = ["get", "set", "read", "file", "name", "node", "of", "all"]

    def text(least: int) -> tuple[str, ...]:
        return tuple(draw.choices(words, k=draw.randint(least, most)))

    return [text(0) for _ in range(count)], [text(1) for _ in range(count)]


def test_f1_and_rouge_are_those_of_rouge_score() -> None:
    scorer = rouge_scorer.RougeScorer(["rouge1", "rougeL"])
    written, right = pairs(60, 7)
    for one, other in zip(written, right, strict=True):
        expected = scorer.score(" ".join(other), " ".join(one))
        assert scores.f1(one, other) == pytest.approx(expected["rouge1"].fmeasure)
        assert scores.rouge_l(one, other) == pytest.approx(expected["rougeL"].fmeasure)


@pytest.mark.parametrize("most", [1, 3, 5, 12])
def test_bleu_is_sacrebleus(most: int) -> None:
    written, right = pairs(40, most)
    texts = [" ".join(each) for each in written], [[" ".join(each) for each in right]]
    expected = sacrebleu.corpus_bleu(*texts, tokenize="none", force=True).score / 100
    assert scores.bleu(written, right) == pytest.approx(expected, abs=1e-9)


def test_code2seqs_f1_counts_over_all_words() -> None:
    """TP 3 (get, name, set), FP 1 (all), FN 2 (file, the): 2·3 / (6 + 1 + 2)."""
    written = [("get", "name"), ("set", "all")]
    right = [("name", "get", "file"), ("set", "the")]
    assert scores.f1_code2seq(written, right) == pytest.approx(6 / 9)
    assert scores.f1_code2seq([()], [("a",)]) == 0


def test_all_right_and_all_wrong() -> None:
    right = [("get", "the", "name", "of", "it")]
    assert set(scores.scores(right, right).values()) == {1.0}
    assert set(scores.scores([("x",)], right).values()) == {0.0}
    columns = scores.by_summary([("get", "name")], right)
    assert columns["exact_match"].tolist() == [0]
    assert columns["f1"].tolist() == pytest.approx([4 / 7])
