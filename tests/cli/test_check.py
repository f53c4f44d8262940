"""`workings check` as a user meets it."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.command import Command

TOML = """
equations = ['E = \\frac{1}{2} (x W - y) (x W - y)^T']
[symbols]
x = "1 x d"
W = "d x k"
y = "1 x k"
[[claims]]
claim = '\\frac{\\partial E}{\\partial W} = %s'
"""

Write = Callable[[str], str]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a set whose one claim is this gradient; the path of its file."""

    def write(formula: str) -> str:
        path = tmp_path / "a.toml"
        path.write_text(TOML % formula)
        return str(path)

    return write


def test_a_claim_that_holds_exits_with_zero(workings: Command, write: Write) -> None:
    code, out, err = workings("check", write("x^T (x W - y)"))
    assert code == 0, err
    assert "✓ holds" in out
    assert "1 claim: 1 hold, 0 do not" in out


def test_one_that_does_not_exits_with_one_and_is_repaired(workings: Command, write: Write) -> None:
    code, out, _ = workings("check", write("x (x W - y)^T"))
    assert code == 1
    assert "✗ undefined" in out
    assert "repaired" in out
    assert out.count("\033") == 0  # no colour where there is no terminal


def test_json_has_the_fields_that_a_program_wants(workings: Command, write: Write) -> None:
    _, out, _ = workings("check", write("(x W - y)^T x"), "--json")
    (result,) = json.loads(out)
    assert result["verdict"] == "holds transposed"
    assert result["repair"]["formula"].endswith("x^\\top (x W - y)")


def test_a_formula_that_cannot_be_read_gets_no_verdict(workings: Command, write: Write) -> None:
    code, out, err = workings("check", write("x^T (x W - y"))
    assert code == 3
    assert "? not read" in out
    assert "')' was expected" in out
    assert "Traceback" not in err


def test_a_wrong_claim_decides_the_exit_code(workings: Command, tmp_path: Path) -> None:
    text = TOML % "x^T (x W + y)" + "[[claims]]\nclaim = 'E = ('\n[[claims]]\nclaim = 'x = x'\n"
    path = tmp_path / "a.toml"
    path.write_text(text)
    code, out, _ = workings("check", str(path), "--json")
    assert code == 1
    verdicts = [row["verdict"] for row in json.loads(out)]
    assert verdicts == ["wrong value", "not read", "trivial"]


def test_the_seed_is_printed_and_repeats(workings: Command, write: Write) -> None:
    _, out, _ = workings("check", write("x^T (x W + y)"), "--seed", "7", "--explain")
    assert "--seed 7" in out
    assert "    read       " in out
    _, again, _ = workings("check", write("x^T (x W + y)"), "--seed", "7", "--explain")
    assert out.splitlines()[:4] == again.splitlines()[:4]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["check"], "give files or names"),
        (["check", "rnn", "--book"], "give files or names"),
        (["check", "nothing.toml"], "no such file"),
        (["check", "rnm"], "did you mean rnn"),
    ],
)
def test_bad_input_is_one_line(workings: Command, args: list[str], message: str) -> None:
    code, _, err = workings(*args)
    assert code == 2
    assert message in err
    assert len(err.strip().splitlines()) == 1


def test_the_list_and_the_page(workings: Command, tmp_path: Path) -> None:
    listed = json.loads(workings("check", "--list", "--json")[1])
    assert "rnn-dE-dI" in listed["rnn"]
    page = tmp_path / "page.md"
    assert workings("check", "perplexity", "--page", page)[0] == 1
    assert "any b that is positive and not 1" in page.read_text()
