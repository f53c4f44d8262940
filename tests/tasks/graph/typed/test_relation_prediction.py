"""Edges of several relations: held out, ranked, recommended; the ranks against a plain loop."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from tests.run.faults import assert_resumes
from tests.tasks.graph.typed.films import csv_folder, edges
from workings.errors import WorkingsError
from workings.run import config as configs
from workings.run import open_run, train
from workings.tasks.graph.typed.ranks import Known, filtered_ranks, ranking_metrics


def values(path: Path, kind: str = "rgcn", **data: Any) -> dict[str, Any]:
    return {
        "task": "graph",
        "data": {"path": str(path), "predict": "edges", "relation": "likes", **data},
        "model": {"kind": kind, "embed": 8} | ({} if kind == "distmult" else {"hidden": 8}),
        "train": {"epochs": 3, "lr": 0.05, "device": "cpu", "weight_decay": 0.0},
    }


def problem_of(path: Path, **data: Any) -> Any:
    task: Any = configs.resolve(values(path, **data)).build_task()
    return task.problem


@pytest.fixture(scope="module")
def films(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return csv_folder(tmp_path_factory.mktemp("typed") / "films")


def test_only_the_asked_relation_is_held_out_and_negatives_have_the_right_type(films: Path) -> None:
    problem = problem_of(films)
    types = problem.types
    likes = types.relations.index("likes")
    for split in ("valid", "test"):
        assert set(problem.triples[split][1]) == {likes}
        negative = problem.negative[split]
        assert {types.types[types.type_N[t]] for t in negative[2]} == {"film"}
        assert not set(map(tuple, negative.T)) & set(map(tuple, types.triples_3E.T))
    total = np.concatenate(list(problem.triples.values()), 1)
    assert sorted(map(tuple, total.T)) == sorted(map(tuple, types.triples_3E.T))
    torch.manual_seed(1)
    drawn = problem.draw(problem.train_3P)
    kinds = types.type_N[drawn.numpy()[[0, 2]]]
    ends = np.array(types.ends)[drawn.numpy()[1]].T
    assert np.array_equal(kinds, ends)


def test_ranks_are_those_of_a_plain_loop(films: Path) -> None:
    problem = problem_of(films)
    types, triples = problem.types, problem.triples["test"]
    table = np.random.default_rng(0).integers(0, 4, (len(types.type_N),) * 2).astype(float)

    def scores(nodes: Any, relation: int, candidates: Any, targets: bool) -> Any:
        rows = table[nodes][:, candidates] if targets else table[candidates][:, nodes].T
        return torch.from_numpy(rows)

    known = set(map(tuple, types.triples_3E.T.tolist()))
    expected = []
    for s, r, t in triples.T.tolist():
        row = []
        for targets in (True, False):
            kind = types.ends[r][1 if targets else 0]
            own, others = table[s, t], []
            for node in types.nodes_of(kind).tolist():
                triple = (s, r, node) if targets else (node, r, t)
                if triple not in known:
                    others.append(table[triple[0], triple[2]])
            above, equal = sum(o > own for o in others), sum(o == own for o in others)
            row.append(1 + above + equal / 2)
        expected.append(row)
    ranks = filtered_ranks(scores, triples, types, Known(types))
    assert ranks.tolist() == expected


def test_the_metrics_of_ranks() -> None:
    found = ranking_metrics(np.array([[1.0, 2.0], [4.0, 20.0]]))
    assert found["mrr"] == pytest.approx((1 + 1 / 2 + 1 / 4 + 1 / 20) / 4)
    assert (found["hits_1"], found["hits_3"], found["hits_10"]) == (0.25, 0.5, 0.75)


def test_scores_of_broadcast_rows_do_not_run_into_each_other(films: Path) -> None:
    """The popularity of a film is the same for all: leaving out what one likes is for one only."""
    problem = problem_of(films)
    made = problem.baselines()["popularity"]
    assert 0 < made["test.mrr"] < 0.9


def test_a_model_learns_recommends_and_is_kept(films: Path, tmp_path: Path) -> None:
    config = values(films)
    config["train"] |= {"epochs": 60}
    run = train(config, str(tmp_path / "run"))
    assert run.result is not None
    metrics = run.result["metrics"]
    assert metrics["test.mrr"] > run.result["baselines"]["popularity"]["test.mrr"]
    assert [row["relation"] for row in run.result["details"]["relations"]] == ["likes"]
    again = open_run(str(tmp_path / "run"))
    assert again.evaluate("test")["mrr"] == pytest.approx(metrics["test.mrr"])
    liked = {t for s, r, t in edges() if (s, r) == ("u0", "likes")}
    rows = again.recommend("u0", "likes", 5)
    assert len(rows) == 5
    for row in rows:
        assert row["type"] == "film"
        assert row["recommended"] not in liked
    assert "u0 -likes→" in str(rows[0]["paths"])
    assert str(rows[0]["paths"]).endswith(str(rows[0]["recommended"]))
    (row,) = again.predict(["u0,likes,m1"])
    assert (row["from"], row["to"]) == ("u0", "m1")
    for source, relation, message in (
        ("m0", "likes", r"--from m0: is of type film; likes goes from user to film"),
        ("u0", "likse", r"no relation 'likse' \(did you mean likes\?\)"),
        ("u99", "likes", "no node 'u99'"),
    ):
        with pytest.raises(WorkingsError, match=message):
            again.recommend(source, relation, 3)
    with pytest.raises(WorkingsError, match="is no triple; write A,RELATION,B"):
        again.predict(["u0,m1"])


@pytest.mark.parametrize("kind", ["rgcn", "distmult"])
def test_killed_and_resumed_it_is_the_same_run(kind: str, films: Path, tmp_path: Path) -> None:
    config = values(films, kind)
    config["train"] |= {"checkpoint_seconds": 0.0}
    assert_resumes(config, tmp_path, range(2, 60, 13), ["after"])


def test_nodes_of_one_type_are_classified(tmp_path: Path) -> None:
    folder = csv_folder(tmp_path / "films", labelled=True)
    config = {
        **values(folder),
        "data": {"path": str(folder), "train_per_class": 2, "valid_per_class": 2},
    }
    config["train"] |= {"epochs": 40}
    run = train(config, str(tmp_path / "run"))
    assert run.result is not None
    assert run.result["metrics"]["test.accuracy"] == 1.0
    task: Any = configs.resolve({**config, "model": {"kind": "gcn"}}).build_task()
    assert "which gcn does not tell apart (rgcn does)" in task.describe()


def test_labels_of_two_types_need_a_choice(tmp_path: Path) -> None:
    folder = csv_folder(tmp_path / "films", labelled=True)
    text = (folder / "nodes.csv").read_text().replace("u0,user,", "u0,user,kind")
    (folder / "nodes.csv").write_text(text)

    def graph(**data: Any) -> Any:
        task: Any = configs.resolve(
            {"task": "graph", "data": {"path": str(folder), **data}}
        ).build_task()
        return task.graph

    with pytest.raises(WorkingsError, match=r"nodes of 2 types have labels \(user, film\)"):
        graph()
    with pytest.raises(WorkingsError, match=r"has no type 'filn' .did you mean film"):
        graph(node_type="filn")
    chosen = graph(node_type="film")
    assert chosen.classes == ("even", "odd")
    assert "1 labels of other types are not used" in chosen.notes


def test_an_inverse_relation_in_training_is_a_leak(tmp_path: Path) -> None:
    folder = csv_folder(tmp_path / "films")
    back = [f"{t},{s},liked_by" for s, r, t in edges() if r == "likes"]
    with (folder / "edges.csv").open("a") as file:
        file.write("\n".join(back) + "\n")
    task: Any = configs.resolve(values(folder)).build_task()
    (leak,) = task.leaks(task.build())
    assert "100% of the test edges of likes stand in training turned round as liked_by" in leak.text
    assert leak.grave
    clean: Any = configs.resolve(values(csv_folder(tmp_path / "clean"))).build_task()
    assert list(clean.leaks(clean.build())) == []


def test_what_needs_relations_says_so() -> None:
    for kind in ("rgcn", "distmult"):
        config = {"task": "graph", "data": {"name": "karate", "predict": "edges"}}
        task: Any = configs.resolve({**config, "model": {"kind": kind}}).build_task()
        with pytest.raises(WorkingsError, match="predicts edges of several relations, and karate"):
            _ = task.problem
    task = configs.resolve({"task": "graph", "model": {"kind": "distmult"}}).build_task()
    with pytest.raises(WorkingsError, match="distmult predicts edges"):
        _ = task.problem


def test_the_generated_films_are_the_same_every_time() -> None:
    task: Any = configs.resolve(
        {"task": "graph", "data": {"name": "movies"}, "model": {"kind": "rgcn"}}
    ).build_task()
    assert task.checksum() == task.graph.checksum()
    assert "generated: no such people, no such films" in task.graph.notes
    assert task.problem.types.types == ("user", "film", "genre", "director")
