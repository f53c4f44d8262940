"""`workings cost` as a user meets it."""

import json
from pathlib import Path

import pytest

from tests.command import Command


def test_formulas_of_an_lstm(workings: Command) -> None:
    code, out, err = workings("cost", "lstm", "--symbols", "N_i,N_h")
    assert (code, err) == (0, "")
    assert "params                = 4·N_h² + 4·N_h·N_i + 8·N_h  parameters" in out
    assert "held: L = 1" in out


def test_a_table_layers_and_claims(workings: Command) -> None:
    args = ["--at", "n=512,d=64,h=8", "--at", "n=4096,d=512,h=8", "--by-layer"]
    code, out, _ = workings(
        "cost", "attention", "--symbols", "n,d,h", *args, "--claim", "O(n^2 d)",
        "--claim", "O(n^2(d+h) + nd^2)",
    )  # fmt: skip
    assert code == 0
    assert "21.5 G" in out
    assert "587 MB" in out
    assert "  (itself)           2·n²·d" in out
    assert "forward is O(n^2 d): too small\n" in out
    assert "n^2 d lacks n·d²" in out
    assert "forward is O(n^2(d+h) + nd^2): holds and tight" in out


def test_what_a_claim_counts_and_holds_fixed(workings: Command) -> None:
    code, out, _ = workings("cost", "taylor", "--claim", "O(L^2)", "--fixed", "D")
    assert code == 0
    assert "forward is O(L^2): holds, not tight" in out
    assert "by a factor of up to L" in out
    code, out, _ = workings("cost", "attention", "--claim", "O(h)", "--counted", "moved")
    assert "moved is O(h): too small" in out


def test_json(workings: Command) -> None:
    code, out, _ = workings("cost", "taylor", "--json", "--at", "L=10,D=4", "--claim", "O(L M D)")
    assert code == 0
    data = json.loads(out)
    assert data["where"] == {"M": "D²/2 + 3·D/2 + 1"}
    assert data["at"] == [{"sizes": {"L": 10, "D": 4}, "counts": data["at"][0]["counts"]}]
    assert data["at"][0]["counts"]["forward"] == 10 * 15 * (2 * 4 + 1)
    (claim,) = data["claims"]
    assert (claim["claim"], claim["verdict"]) == ("O(L M D)", "holds and tight")


def test_ones_own_module(workings: Command, tmp_path: Path) -> None:
    source = "import torch\nclass Net(torch.nn.Module):\n"
    source += "    def __init__(self, width):\n        super().__init__()\n"
    source += "        self.linear = torch.nn.Linear(width, width)\n"
    source += "    def forward(self, x):\n        return self.linear(x)\n"
    (tmp_path / "costed_net.py").write_text(source)
    code, out, err = workings("cost", "costed_net:Net", "--args", "width=2*d", "--input", "n,2*d")
    assert code == 0, err
    assert "params                = 4·d² + 2·d" in out
    assert "forward               = 4·d²·n" in out


def test_the_list(workings: Command) -> None:
    code, out, _ = workings("cost", "list")
    assert code == 0
    assert "attention-core" in out
    code, out, _ = workings("cost", "list", "--json")
    assert json.loads(out)["lstm"]["symbols"]["N_h"] == "hidden units"


def test_measuring_prints_exponents_and_draws_a_chart(workings: Command, tmp_path: Path) -> None:
    args = ["--measure", "--over", "n", "--at", "n=8,d=8", "--seconds", "0.1"]
    code, out, err = workings("cost", "attention-core", *args, "--chart", "times.svg")
    assert code == 0, err
    assert "measured on the CPU, 1 thread(s), d = 8" in out
    assert "forward: time grows as n^" in out
    assert "n^2 in the limit" in out
    assert (tmp_path / "times.svg").read_text().startswith("<svg")
    code, out, _ = workings("cost", "attention-core", *args, "--json")
    measured = json.loads(out)["measured"]
    assert [p["n"] for p in measured["points"]][:3] == [8, 16, 32]
    assert measured["exponents"]["forward"]["limit"] == 2


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["lstmm"], "no architecture 'lstmm' (did you mean lstm?)"),
        (["lstm", "--symbols", "N_x"], "no symbol 'N_x'"),
        (["lstm", "--symbols", "N_i,,N_h"], "expected names of sizes"),
        (["lstm", "--symbols", "N_i,N_i"], "each once"),
        (["attention", "--at", "n=5"], "give a size of d, h too"),
        (["attention", "--at", "n=x"], "a size is a whole number"),
        (["attention", "--claim", "O(q)"], "q is not a size here"),
        (
            ["attention", "--claim", "4 d^2"],
            "written O(4 d^2); an exact count",
        ),
        (["attention", "--claim", "O(n", "--fixed", "d"], "')' or ',' was expected"),
        (["attention", "--claim", "O(n)", "--counted", "flops"], "nothing is counted as 'flops'"),
        (["attention", "--chart", "x.svg"], "give --measure too"),
        (["attention", "--measure", "--chart", "x.gif"], "its name ends in one of"),
        (["attention", "--measure", "--chart", "no/such/x.svg"], "there is no folder no/such"),
        (["attention", "--measure", "--over", "q"], "no symbol 'q' to measure over"),
        (["torch.nn:Linear", "--args", "in_features=n,out_features=n", "--measure"], "--input"),
        (["torch.nn:Linear", "--args", "n"], "expected NAME=VALUE"),
        (["torch.nn:Nothing"], "has no class or function 'Nothing'"),
        (["no.such.package:Net"], "cannot import 'no.such.package'"),
        (["torch.nn:Linear", "--input", "n,("], "a formula was expected"),
    ],
)
def test_bad_input_is_one_line(workings: Command, args: list[str], message: str) -> None:
    code, out, err = workings("cost", *args)
    assert code == 2
    assert out == ""
    assert message in err
    assert err.startswith("workings: ")
    assert err.count("\n") == 1
