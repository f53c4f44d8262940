"""The book's verdicts are computed; here they are held against what is known of each statement."""

import pytest

from workings.claims import book
from workings.claims.check import check_book, check_set
from workings.errors import WorkingsError

HOLDS, WRONG, SHAPE, UNDEFINED = "holds", "wrong value", "wrong shape", "undefined"
TIGHT, LOOSE, SMALL = "holds and tight", "holds, not tight", "too small"
# Found by hand and by number, apart from this program.
KNOWN = {
    **dict.fromkeys(["size-L", "size-H", "size-I", "size-U", "size-b1", "size-b2"], HOLDS),
    **dict.fromkeys(["rnn-dE-dU", "rnn-dE-db2", "rnn-dE-dalpha"], HOLDS),
    "rnn-dE-dalpha-k": WRONG,
    "rnn-dh-dbeta": SHAPE,
    "rnn-dh-dbeta-again": WRONG,
    **dict.fromkeys(["rnn-dE-dI", "rnn-dE-dH", "rnn-dE-db1", "rnn-dE-dh-before"], WRONG),
    "time-dL-dWph": UNDEFINED,
    "time-dL-dWhh-first-line": SHAPE,
    "time-dL-dWhh-sum": HOLDS,
    "time-dL-dWhh-product": WRONG,
    "time-dL-dWhh-product-descending": HOLDS,
    "perplexity-log": HOLDS,
    "perplexity-power": HOLDS,
    "perplexity-base": WRONG,
    "attention-parameters-one-head": HOLDS,
    "attention-parameters-many-heads": HOLDS,
    "attention-parameters-with-output": WRONG,
    "attention-cost-one-head": SMALL,
    "attention-cost-many-heads": TIGHT,
    "attention-cost-extra-term": SMALL,
    "attention-cost-one-head-001": SMALL,
    "attention-cost-many-heads-001": SMALL,
    "attention-concatenation": SMALL,
    "attention-core-cost": TIGHT,
    "series-size-2": WRONG,
    "series-size-K": WRONG,
    "series-size-2-compact": HOLDS,
    "series-terms-of-degree-n": HOLDS,
    "series-size-sum": HOLDS,
    "series-cost-worst-case": LOOSE,
    "series-cost": TIGHT,
    "pooling-reduces-parameters": WRONG,
    "pooling-parameters": HOLDS,
    "stride-parameters": HOLDS,
    "lstm-parameters": WRONG,
    "series-cauchy-schwarz": WRONG,
    "series-pure-powers": WRONG,
    "series-feature-map": HOLDS,
    "series-attention": HOLDS,
    "series-attention-order": HOLDS,
    "series-attention-inverse": UNDEFINED,
    "softmax-pseudocode": WRONG,
    "graph-row-normalised": HOLDS,
    "graph-symmetric-normalised": WRONG,
    "gat-concatenation": HOLDS,
    "gat-without-leakyrelu": HOLDS,
    "gat-ranking": HOLDS,
    "gat-query": WRONG,
    "six-nodes-self-loops": HOLDS,
    "six-nodes-three-updates": HOLDS,
    "six-nodes-four-updates": HOLDS,
    "six-nodes-symmetric-rows": WRONG,
    **dict.fromkeys(
        ["similarity-jaccard", "similarity-cosine", "similarity-damerau-levenshtein"], WRONG
    ),
}


@pytest.fixture(scope="module")
def verdicts():
    return {result.name: result for result in check_book()}


def test_every_verdict_is_the_known_one(verdicts):
    assert {name: result.verdict for name, result in verdicts.items()} == KNOWN


@pytest.mark.parametrize("name", ["I", "H", "b1", "h-before"])
def test_the_four_wrong_gradients_are_repaired_and_the_repair_holds(verdicts, name):
    result = verdicts[f"rnn-dE-d{name}"]
    assert "are elementwise" in result.repair.changes
    part = book.chapter("rnn")
    claim = part.claims[0].model_copy(update={"claim": result.repair.formula})
    (again,) = check_set(part.model_copy(update={"claims": (claim,)}))
    assert again.verdict == HOLDS


def test_repairs_say_what_was_wrong(verdicts):
    assert verdicts["rnn-dE-dalpha-k"].repair.changes == "the sum is over all j"
    assert verdicts["rnn-dE-dalpha-k"].evidence.wrong_where == "y^(t)_k = 1"
    assert verdicts["rnn-dE-dalpha-k"].evidence.departs_at_step == 2
    assert "\\mathrm{diag}" in verdicts["rnn-dh-dbeta"].repair.formula
    assert verdicts["perplexity-base"].repair.formula == "any b that is positive and not 1"
    assert verdicts["time-dL-dWhh-product"].repair.changes.startswith("the product in desc")
    assert "transposed, not inverted" in verdicts["series-attention-inverse"].repair.changes
    assert "\\exp" in verdicts["softmax-pseudocode"].repair.changes


def test_counts_name_the_owner_of_a_difference(verdicts):
    why = verdicts["lstm-parameters"].why
    assert "4·N_h + N_o more" in why
    assert "two biases" in why
    assert "output.bias" in why
    assert "d² more" in verdicts["attention-parameters-with-output"].why
    assert "n·d²" in verdicts["attention-cost-one-head"].repair.formula
    assert verdicts["series-cost-worst-case"].repair.formula == "Θ(L)"
    assert "C(D + K, K)" in verdicts["series-size-K"].repair.formula


def test_the_row_sums_of_the_six_node_graph(verdicts):
    evidence = verdicts["six-nodes-symmetric-rows"].evidence
    assert evidence.claimed == pytest.approx(1.181, abs=5e-4)


def test_an_entry_or_a_chapter_is_found_by_name():
    (one,) = book.find("rnn-dE-dI")
    assert [claim.name for claim in one.claims] == ["rnn-dE-dI"]
    assert len(book.find("rnn")[0].claims) == 10


def test_an_unknown_name_offers_the_nearest():
    with pytest.raises(WorkingsError, match="did you mean rnn-dE-dI"):
        book.find("rnn-de-di")


def test_names_are_unique():
    names = [claim.name for each in book.CHAPTERS for claim in book.chapter(each).claims]
    assert len(names) == len(set(names))
