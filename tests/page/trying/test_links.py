"""Likely edges on the Try page, held against the run's own recommendations."""

from pathlib import Path

import pytest

from workings.errors import WorkingsError
from workings.page.trying import links, opened
from workings.run import train
from workings.run.run import open_run


def test_likely_edges_are_those_that_the_run_recommends(models: Path) -> None:
    path = str(models / "films")
    about = next(opened.about(path, False))
    assert about["view"] == "links"
    (relation,) = about["relations"]
    assert relation["name"] == "likes"
    node = relation["begin"]
    (found,) = links.likely(path, False, node, "likes")
    expected = open_run(path).recommend(node, "likes", links.LIKELIEST)
    assert [each["name"] for each in found["likely"]] == [row["recommended"] for row in expected]
    assert [each["p"] for each in found["likely"]] == [row["probability"] for row in expected]
    names = [each["name"] for each in found["nodes"]]
    assert names[found["centre"]] == node
    assert [names[each["at"]] for each in found["likely"]] == [e["name"] for e in found["likely"]]
    kinds = {about["types"][found["nodes"][each["at"]]["type"]] for each in found["likely"]}
    assert kinds == {"film"}
    liked = {names[i] for j, i, r in found["edges"] if j == found["centre"] and r == "likes"}
    assert liked.isdisjoint(each["name"] for each in found["likely"])
    with pytest.raises(WorkingsError, match="no node"):
        next(links.likely(path, False, "nobody", "likes"))


def test_of_a_graph_without_relations_the_likeliest_pairs(tmp_path: Path) -> None:
    path = str(tmp_path / "pairs")
    data = {"name": "karate", "predict": "edges"}
    run = train({"task": "graph", "data": data, "train": {"epochs": 3, "device": "cpu"}}, path)
    (found,) = links.likely(path, False, "16", links.ANY)
    expected = {row["input"]: row["probability"] for row in run.predict(["16"])}
    for each in found["likely"]:
        names = (f"16,{each['name']}", f"{each['name']},16")
        assert each["p"] == next(expected[name] for name in names if name in expected)
    assert len(found["likely"]) == links.LIKELIEST
    assert len(found["nodes"]) == 34
