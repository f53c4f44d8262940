import json
import subprocess
import sys

import pytest

TOML = """
equations = ['E = \\frac{1}{2} (x W - y) (x W - y)^T']
[symbols]
x = "1 x d"
W = "d x k"
y = "1 x k"
[[claims]]
claim = '\\frac{\\partial E}{\\partial W} = %s'
"""


def workings(*args, cwd=None):
    command = [sys.executable, "-m", "workings", *args]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, check=False)


@pytest.fixture
def write(tmp_path):
    def write(formula, name="a.toml"):
        path = tmp_path / name
        path.write_text(TOML % formula)
        return str(path)

    return write


def test_a_claim_that_holds_exits_with_zero(write):
    done = workings("check", write("x^T (x W - y)"))
    assert done.returncode == 0, done.stderr
    assert "✓ holds" in done.stdout
    assert "1 claim: 1 hold, 0 do not" in done.stdout


def test_one_that_does_not_exits_with_one_and_is_repaired(write):
    done = workings("check", write("x (x W - y)^T"))
    assert done.returncode == 1
    assert "✗ undefined" in done.stdout
    assert "repaired" in done.stdout
    assert done.stdout.count("\033") == 0  # no colour where there is no terminal


def test_json_has_the_fields_that_a_program_wants(write):
    done = workings("check", write("(x W - y)^T x"), "--json")
    (found,) = json.loads(done.stdout)
    assert found["verdict"] == "holds transposed"
    assert found["repair"]["formula"].endswith("x^\\top (x W - y)")


def test_a_formula_that_cannot_be_read_is_shown_with_its_place(write):
    done = workings("check", write("x^T (x W - y"))
    assert done.returncode == 2
    assert "')' was expected, the formula ends" in done.stderr
    assert done.stderr.rstrip().endswith("^")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["check"], "give files or names"),
        (["check", "rnn", "--book"], "give files or names"),
        (["check", "nothing.toml"], "no such file"),
        (["check", "rnm"], "did you mean rnn"),
    ],
)
def test_bad_input_is_one_line(args, message):
    done = workings(*args)
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_the_list_and_the_page(tmp_path):
    listed = json.loads(workings("check", "--list", "--json").stdout)
    assert "rnn-dE-dI" in listed["rnn"]
    page = tmp_path / "page.md"
    assert workings("check", "perplexity", "--page", str(page)).returncode == 1
    assert "any b that is positive and not 1" in page.read_text()
