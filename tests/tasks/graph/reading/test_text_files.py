"""Edge lists and tables as other programs write them; what is dropped of them is said."""

import csv
from pathlib import Path

import networkx
import pytest

from workings.errors import WorkingsError
from workings.tasks.graph.node_splits import settled_splits
from workings.tasks.graph.reading.files import read
from workings.tasks.graph.reading.text_files import looks_like_edges, table
from workings.tasks.graph.task import GraphTask


def written(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def test_names_with_spaces_stand_between_commas_or_tabs(tmp_path: Path) -> None:
    for name, separator in (("a.csv", ","), ("a.tsv", "\t"), ("a.txt", ", ")):
        lines = (("Jo March", "Amy March", "2"), ("Amy March", "Beth", "1"))
        path = written(tmp_path / name, "".join(f"{separator.join(line)}\n" for line in lines))
        graph = read(path, False, True)
        assert graph.names == ("Amy March", "Beth", "Jo March")
        assert graph.weight_E is not None
        assert sorted(graph.weight_E.tolist()) == [1, 1, 2, 2]


def test_a_header_is_no_edge_and_what_is_dropped_is_said(tmp_path: Path) -> None:
    path = written(tmp_path / "friends.csv", "From,To,strength\nann,bob,3\nbob,cy,1\n")
    graph = read(path, False, False)
    assert graph.names == ("ann", "bob", "cy")
    assert graph.notes == (
        "what stands after an edge is not used: data.weighted = true takes the third column as "
        "the weight",
    )
    assert read(path, False, True).notes == ()


def test_tables_of_other_programs(tmp_path: Path) -> None:
    written(tmp_path / "nodes.csv", "Id,Label,Age\nann,x,3\nbob,y,1\n")
    written(tmp_path / "edges.csv", "Source,Target,Weight\nann,bob,2\n")
    graph = read(tmp_path, False, True)
    assert (graph.names, graph.classes) == (("ann", "bob"), ("x", "y"))
    assert graph.weight_E is not None
    assert graph.weight_E.tolist() == [2, 2]
    written(tmp_path / "nodes.csv", "name,source\nann,left\nbob,right\n")  # source: a feature there
    written(tmp_path / "edges.csv", "from,to\nann,bob\n")
    assert read(tmp_path, False, False).edges == 1
    written(tmp_path / "edges.csv", "one,other\nann,bob\n")
    with pytest.raises(WorkingsError, match=r"no column 'source' \(it has one, other\); .* from"):
        read(tmp_path, False, False)


def test_columns_that_may_be_the_class_are_named(tmp_path: Path) -> None:
    rows = [("ann", "red", "law", "3"), ("bob", "blue", "art", "1"), ("cy", "red", "art", "2")]
    lines = "".join(",".join(row) + "\n" for row in rows)
    written(tmp_path / "nodes.csv", "id,eye colour,faculty,age\n" + lines)
    written(tmp_path / "edges.csv", "source,target\nann,bob\n")
    with pytest.raises(WorkingsError, match=r"--set data.label='eye colour' \(or faculty\), or"):
        settled_splits(read(tmp_path, False, False), 1, 1, 1)


def test_a_direction_that_the_file_gives_and_nobody_takes_is_said(tmp_path: Path) -> None:
    path = tmp_path / "cites.graphml"
    networkx.write_graphml(networkx.DiGraph([("a", "b"), ("c", "b")]), path)
    said = "edges' direction is not used: data.directed = true takes it"
    assert read(path, False, False).notes == (said,)
    assert read(path, True, False).notes == ()
    networkx.write_graphml(networkx.Graph([("a", "b")]), path)
    assert read(path, False, False).notes == ()


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("# who\na b 1\nb c 2\nc a 0.5\n", True),
        ("0 1\n1 2\n2 0\n", True),
        ("source,target\nann,bob\n", True),
        ("the cat\nsat down\non it\n", False),
        ("It was 1\na dark and stormy night\nin 1850\n", False),
        ("3 4\n", False),
        ("", False),
    ],
)
def test_an_edge_list_is_told_from_prose(text: str, is_one: bool, tmp_path: Path) -> None:
    path = written(tmp_path / "some.txt", text)
    assert looks_like_edges(path) is is_one
    assert GraphTask.recognises(path) is is_one


def test_a_field_in_quotes_may_go_over_lines(tmp_path: Path) -> None:
    rows = [["source", "target", "about"], ["a", "b", "one\ntwo, three"], ["b", "c", 'say "x"\n']]
    with (tmp_path / "edges.csv").open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    header, found = table(tmp_path / "edges.csv")
    assert header == rows[0]
    assert found == [(2, ["a", "b", "one\ntwo, three"]), (4, ["b", "c", 'say "x"'])]
    assert read(tmp_path / "edges.csv", False, False).edges == 2


@pytest.mark.parametrize("rest", [1, 5000])
def test_a_quote_that_nothing_closes_is_named(tmp_path: Path, rest: int) -> None:
    path = written(tmp_path / "edges.csv", 'source,target\na,"b\n' + "c,d\n" * rest)
    with pytest.raises(WorkingsError, match=r"edges\.csv, line 2: a quote in it is not closed"):
        table(path)


def test_a_quote_within_a_name_is_part_of_it(tmp_path: Path) -> None:
    path = written(tmp_path / "edges.csv", 'source,target\n5" pipe,b\nb,c\n')
    assert table(path)[1] == [(2, ['5" pipe', "b"]), (3, ["b", "c"])]


def test_a_row_of_one_field_is_called_so(tmp_path: Path) -> None:
    path = written(tmp_path / "edges.csv", "source,target\na\n")
    with pytest.raises(WorkingsError, match=r"line 2: 1 field, the header has 2"):
        table(path)
