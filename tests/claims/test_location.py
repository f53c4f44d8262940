"""A formula that is not read is located in its file, however it is written there."""

from pathlib import Path

import pytest

from workings.claims.check import check
from workings.claims.verdict import Verdict

SET = """# claim = 'x = x §' is only a comment
[symbols]
x = "scalar"
"""


def locations(text: str, path: Path) -> list[str]:
    path.write_text(text)
    return [result.location.rpartition("/")[2] for result in check(path)]


@pytest.mark.parametrize(
    "written",
    [
        "'x = x § 1'",
        '"x = x § 1"',
        r'"\u0078 = \\frac{x}{1} § 1"',
        r'"\U00000078 = x \" § 1"',
        "'''\nx = x\n  § 1'''",
        '"""\nx = \\\\frac{x}{1} \\\n\n   § 1"""',
        '"""x = x § ""1"""',
    ],
)
def test_in_every_kind_of_string(written: str, tmp_path: Path) -> None:
    text = f"{SET}[[claims]]\nclaim = {written}\n"
    before = text[: text.index('\\"' if '\\"' in written else "§", len(SET))]
    column = len(before) - before.rfind("\n")
    assert locations(text, tmp_path / "a.toml") == [f"a.toml:{before.count(chr(10)) + 1}:{column}"]


def test_the_same_formula_twice_has_two_places(tmp_path: Path) -> None:
    claim = "[[claims]]\nclaim = 'x = x §'\n"
    longer = "[[claims]]\nclaim = '2 x = x §'\n"
    assert locations(SET + longer + claim + claim, tmp_path / "a.toml") == [
        "a.toml:5:18",
        "a.toml:7:16",
        "a.toml:9:16",
    ]


def test_what_is_read_has_no_place(tmp_path: Path) -> None:
    assert locations(f"{SET}[[claims]]\nclaim = 'x + x = 2 x'\n", tmp_path / "a.toml") == [""]


def test_an_undeclared_name_and_a_count(tmp_path: Path) -> None:
    text = (
        f"{SET}[[claims]]\nclaim = 'x = x + q'\n[[claims]]\ncount = '3 (h §'\nmodel = 'gru'\n"
        "[claims.args]\ninputs = 'h'\nhidden = 'h'\n"
    )
    assert locations(text, tmp_path / "a.toml") == ["a.toml:5:18", "a.toml:7:15"]


def test_in_the_blocks_of_markdown(tmp_path: Path) -> None:
    text = (
        f"It's \"so\n\n```claims\n{SET}```\n\nIt's\n~~~claims\n[[claims]]\nclaim = 'x = §'\n~~~\n"
    )
    assert locations(text, tmp_path / "a.md") == ["a.md:12:14"]


def test_an_equation_that_cannot_be_read(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_text(f"equations = ['y = x', 'z = (x']\n{SET}[[claims]]\nclaim = 'x = z'\n")
    (result,) = check(path)
    assert result.verdict is Verdict.NOT_READ
    assert result.location == f"{path}:1:24"


def test_claims_that_are_no_file_have_no_place() -> None:
    (result,) = check(symbols={"x": "scalar"}, claims=["x = §"])
    assert result.location == ""
    assert "location" not in result.to_dict()
