"""Names that no table can show are refused before anything runs, and printed escaped."""

import csv
import os
from pathlib import Path

import pytest

from tests.study.tiny import write_study
from workings.cli.shared import row_files
from workings.errors import WorkingsError
from workings.names import check_name, csv_cell, escaped, escaped_text, require_characters
from workings.study.file import load
from workings.study.study import Conductor, Wanted

ODD = ["two\nlines", "red \x1b[31m", "tab\t", "line\u2028separator", "nul\x00", "byte \udc80"]


@pytest.mark.parametrize("name", ODD)
def test_an_odd_name_is_refused_and_shown_escaped(name: str) -> None:
    with pytest.raises(WorkingsError) as raised:
        check_name("row", name)
    assert str(raised.value).isprintable()
    assert str(raised.value).startswith(f"row {name!a}: ")
    assert escaped(name).isprintable()
    escaped(name).encode()


@pytest.mark.parametrize("mark", "\u202a\u202d\u202e\u2066\u2067\u2069")
def test_what_would_turn_a_line_around_is_shown_escaped(mark: str) -> None:
    assert escaped(f"from {mark}elsewhere") == f"from {ascii(mark)[1:-1]}elsewhere"


@pytest.mark.parametrize("name", ["GCN, D̃^(-1/2) (A + I)", "50→100", "softmax 🦉", "a b"])
def test_other_alphabets_are_names(name: str) -> None:
    check_name("row", name)
    assert escaped(name) == name


@pytest.mark.parametrize("name", ODD[:5])
def test_a_study_file_with_an_odd_row_is_refused(name: str, tmp_path: Path, book: Path) -> None:
    with pytest.raises(WorkingsError) as raised:
        load(write_study(tmp_path, book, row=[{"name": name}]))
    assert str(raised.value).isprintable()


def test_the_values_of_a_grid_are_names_too(tmp_path: Path, book: Path) -> None:
    with pytest.raises(WorkingsError, match=r"row 'kind a\\nb': has the character"):
        load(write_study(tmp_path, book, row=None, grid={"model.kind": ["a\nb"]}))


def test_a_file_whose_name_is_not_utf8_is_refused_before_it_runs(
    tmp_path: Path, book: Path
) -> None:
    path = os.fsencode(write_study(tmp_path, book)).replace(b"study.toml", b"st\xffdy.toml")
    os.rename(tmp_path / "study.toml", path)  # noqa: PTH104 - the name is bytes
    with pytest.raises(WorkingsError, match="rename it"):
        load(os.fsdecode(path))


def test_a_command_with_odd_arguments_is_kept_escaped(tmp_path: Path, book: Path) -> None:
    wanted = Wanted(folder=tmp_path / "out", command="workings study 'x\udcff\n'")
    conductor = Conductor(write_study(tmp_path, book), wanted)
    conductor.prepare()
    assert conductor.folder.summary().command == "workings study 'x\\udcff\\n'"


def test_a_text_of_several_lines_keeps_them() -> None:
    assert escaped_text("a\tb\r\nc\x1b[2J\n\u2028") == "a\tb\nc\\x1b[2J\n\\u2028"


def test_half_of_a_character_is_refused_and_named() -> None:
    require_characters("set.gml", ["é", "𝛼"])
    with pytest.raises(WorkingsError, match=r"^set.gml: 'a.ud800': has half of a character$"):
        require_characters("set.gml", ["é", "a\ud800"])


@pytest.mark.parametrize("name", ['=HYPERLINK("http://a","b")', "+cmd|'/c x'!A1", " @SUM(A1:A9)"])
def test_no_name_is_a_formula_in_a_spreadsheet(tmp_path: Path, name: str) -> None:
    assert csv_cell(name) == f"'{name}"
    row_files.write(tmp_path / "a.csv", [{"name": name, "class": "x", name: -0.5}])
    with (tmp_path / "a.csv").open(newline="") as file:
        assert list(csv.reader(file)) == [["name", "class", f"'{name}"], [f"'{name}", "x", "-0.5"]]


@pytest.mark.parametrize("value", ["-", "=", "+1", "-0.5", "-1e-5", "a=b(c)", "a-b", -1, None, 0.5])
def test_what_is_no_formula_stays_as_it_is(value: object) -> None:
    assert csv_cell(value) == value


# What a spreadsheet computes: its own manuals begin a formula so, whatever follows.
@pytest.mark.parametrize("mark", ["=", "+", "-", "@"])
@pytest.mark.parametrize("rest", ["A1", "1+1", "-1", "=1", "A1:A9", "user", "1e5x"])
def test_a_reference_or_a_sum_is_a_formula_too(mark: str, rest: str) -> None:
    assert csv_cell(mark + rest) == f"'{mark}{rest}"
    assert csv_cell(f"  {mark}{rest}") == f"'  {mark}{rest}"


def test_no_control_character_goes_into_a_csv_file(tmp_path: Path) -> None:
    rows = [{"class": "a\x1b[7mb", "tab": "\t=1", "return": "\r=1", "lines": "a\nb"}]
    row_files.write(tmp_path / "a.csv", rows)
    content = (tmp_path / "a.csv").read_bytes()
    assert content == b"class,tab,return,lines\na\\x1b[7mb,\\t=1,\\r=1,a\\nb\n"
