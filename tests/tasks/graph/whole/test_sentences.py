"""Sentences as chains of words: which are taken, their splits, their classes, their words."""

import itertools
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from workings.data import sources
from workings.data.set_description import Splits
from workings.run import config as configs
from workings.tasks.graph.features.texts import words_of
from workings.tasks.graph.whole import sentences

SAID = {
    "1790-Ames-1": "We met here to speak of the land. Yes. We ought to be glad of all we have.",
    "1860-Bell-1": "We met here to speak of the land. It is a house with many rooms in it.",
    "1950-Cole-1": "The roads of the land are long, and they are good roads to go on. Go on.",
}


@pytest.fixture
def files(tmp_path: Path) -> Splits:
    for name, text in SAID.items():
        (tmp_path / f"{name}.txt").write_text(text)
    train, valid, test = (tmp_path / f"{name}.txt" for name in SAID)
    return {"train": [train], "valid": [valid], "test": [test]}


def words_by_graph(graphs: sentences.GraphSet) -> list[list[int]]:
    assert graphs.features is not None
    columns = graphs.features.columns.tolist()
    return [columns[a:b] for a, b in itertools.pairwise(graphs.start_G1.tolist())]


def test_a_sentence_is_a_chain_of_its_words_and_equal_ones_are_there_once(files: Splits) -> None:
    graphs = sentences.read(files, "eras")
    assert graphs.names == ("1790-Ames-1:1", "1790-Ames-1:3", "1860-Bell-1:2", "1950-Cole-1:1")
    assert [graphs.classes[label] for label in graphs.labels_G] == [
        *("1790-1849", "1790-1849", "1850-1909", "1910-1969"),
    ]
    assert {split: each.tolist() for split, each in graphs.splits.items()} == {
        **{"train": [0, 1], "valid": [2], "test": [3]},
    }
    j_E, i_E = graphs.edges_2E
    assert set(np.abs(j_E - i_E).tolist()) == {1}
    assert len(j_E) == 2 * (graphs.nodes - len(graphs))
    spoken = words_of("We met here to speak of the land We ought to be glad of all we have")
    known = sorted(set(spoken), key=lambda word: (-Counter(spoken)[word], word))
    unknown = len(known)  # words that no training sentence has share a column
    house = words_of("It is a house with many rooms in it")
    expected = [known.index(w) if w in known else unknown for w in house]
    assert words_by_graph(graphs)[2] == expected == [unknown] * 9


def test_orders_have_the_same_words_and_backwards_is_the_same_graph(files: Splits) -> None:
    written, ordered = sentences.read(files, "eras"), sentences.read(files, "orders")
    assert [ordered.classes[label] for label in ordered.labels_G] == [
        *("as written", "backwards", "shuffled", "as written"),
    ]
    before, after = words_by_graph(written), words_by_graph(ordered)
    assert after[0] == before[0]
    assert after[1] == before[1][::-1]
    assert [Counter(each) for each in after] == [Counter(each) for each in before]
    assert np.array_equal(written.edges_2E, ordered.edges_2E)


@pytest.mark.parametrize(("name", "classes"), [("sotu-eras", 4), ("sotu-orders", 3)])
def test_no_address_is_in_two_splits(name: str, classes: int) -> None:
    if sources.find(name) is None:
        pytest.skip("pip has not brought the addresses")
    task = configs.resolve({"task": "graph", "data": {"name": name}}).build_task()
    graphs = task.graphs  # type: ignore[attr-defined]
    assert len(graphs.classes) == classes
    addresses = [
        {graphs.names[graph].partition(":")[0] for graph in graphs.splits[split]}
        for split in ("train", "valid", "test")
    ]
    assert list(map(len, addresses)) == [187, 31, 31]
    assert not any(one & other for one, other in itertools.combinations(addresses, 2))
    assert (graphs.notes, graphs.unit) == ((), "sentence")
