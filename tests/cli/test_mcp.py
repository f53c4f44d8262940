"""The tools of `workings mcp`, used through the protocol's own client."""

import asyncio
import sys
from typing import Any

import pytest

pytest.importorskip("mcp")

from mcp import Client, StdioServerParameters

from workings.cli.mcp import server

SOFTMAX = {
    "symbols": {"x": "1 x d", "W": "d x k", "y": "onehot 1 x k"},
    "equations": [r"p = \mathrm{softmax}(x W)", r"E = -\sum y \odot \log p"],
}
RIGHT = r"\frac{\partial E}{\partial W} = x^T (p - y)"
WRONG = r"\frac{\partial E}{\partial W} = x^T (y - p)"


def ask(tool: str, arguments: dict[str, Any], where: Any = None) -> Any:
    async def call() -> Any:
        async with Client(where or server()) as client:
            return await client.call_tool(tool, arguments)

    return asyncio.run(call())


def rows(answer: Any) -> list[dict[str, Any]]:
    assert not answer.is_error, answer
    return answer.structured_content["result"]


def test_a_right_claim_holds_and_a_wrong_one_does_not() -> None:
    right, wrong = rows(ask("check", SOFTMAX | {"claims": [RIGHT, WRONG]}))
    assert right["verdict"] == "holds"
    assert wrong["verdict"] == "holds with the sign flipped"


def test_a_wrong_claim_comes_back_repaired_and_the_repair_holds() -> None:
    (wrong,) = rows(ask("repair", SOFTMAX | {"claims": [RIGHT, WRONG]}))
    assert wrong["formula"] == WRONG
    (again,) = rows(ask("check", SOFTMAX | {"claims": [wrong["repair"]["formula"]]}))
    assert again["verdict"] == "holds"


def test_how_a_claim_was_read_is_explained() -> None:
    (read,) = rows(ask("explain", SOFTMAX | {"claims": [RIGHT]}))
    assert (read["formula"], read["verdict"]) == (RIGHT, "holds")


def test_the_cost_of_a_named_architecture() -> None:
    answer = ask("cost", {"model": "attention", "bound": "O(n^2 d)"}).structured_content
    assert answer["quantities"]["params"]["formula"] == "4·d²"
    assert answer["claim"]["verdict"] == "too small"


@pytest.mark.parametrize("model", ["subprocess:getoutput", "torch.nn:Linear", "lstmm"])
def test_nothing_is_imported(model: str) -> None:
    answer = ask("cost", {"model": model})
    assert answer.is_error
    assert "no architecture" in answer.content[0].text


@pytest.mark.parametrize(
    ("tool", "arguments", "why"),
    [
        ("cost", {"model": "gcn", "bound": "O(N^2)", "counted": "nonsense"}, "nonsense"),
        ("cost", {"model": "gcn", "bound": "O((("}, "O((("),
        ("check", SOFTMAX | {"claims": [RIGHT], "steps": 10**9}, "steps: "),
        (
            "explain",
            {"symbols": {}, "equations": ["a = b", "b = a"], "claims": ["a = b"]},
            "circle",
        ),
    ],
)
def test_what_is_refused_says_why(tool: str, arguments: dict[str, Any], why: str) -> None:
    answer = ask(tool, arguments)
    assert answer.is_error
    assert why in answer.content[0].text


def test_over_standard_input_and_output() -> None:
    command = StdioServerParameters(command=sys.executable, args=["-m", "workings", "mcp"])
    (right,) = rows(ask("check", SOFTMAX | {"claims": [RIGHT]}, command))
    assert right["verdict"] == "holds"
