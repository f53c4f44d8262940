"""workings mcp: the checker and the costs as tools for an assistant, over standard input.

What an assistant sends is data, as a stranger's file is: it may name our architectures and nothing
that would be imported.
"""

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from workings.errors import WorkingsError

if TYPE_CHECKING:
    from mcp.server import MCPServer

    from workings.claims.result import Report

INSTRUCTIONS = (
    "Check derivations numerically: declare each symbol's shape, give the equations, and claim "
    "what you derived. A verdict is evidence at random draws, not a proof; 'not read' means that "
    "the formula was not understood, never that it is wrong."
)


def add_to(app: typer.Typer) -> None:
    """Make the command known to the app."""
    app.command()(mcp)


def mcp() -> None:
    """Serve check, explain, repair and cost to an assistant (Model Context Protocol, stdio)."""
    server().run("stdio")


def server() -> "MCPServer":
    """The server with its four tools."""
    try:
        from mcp.server import MCPServer
    except ImportError:
        raise WorkingsError(
            "mcp: the package is not installed; pip install 'workings[mcp]'"
        ) from None
    from workings.version import __version__

    made = MCPServer("workings", instructions=INSTRUCTIONS, version=__version__)
    for tool in (check, explain, repair, cost):
        made.add_tool(_refusing(tool))
    return made


Symbols = Annotated[
    dict[str, str],
    'The shape of each symbol, and its kind: {"x": "1 x d", "y": "onehot 1 x k", "c": "scalar"}',
]
Equations = Annotated[list[str], r"LaTeX, in any order: ['p = \mathrm{softmax}(x W)']"]
Claims = Annotated[list[str], r"LaTeX: ['\frac{\partial E}{\partial W} = x^T (p - y)']"]


def check(
    symbols: Symbols, equations: Equations, claims: Claims, steps: int = 0
) -> list[dict[str, object]]:
    """The verdict on each claim, with evidence, and a repair that was verified where one is wrong.

    steps: through how many steps a symbol with the label (t), as in h^{(t)}, goes.
    """
    return [result.to_dict() for result in _results(symbols, equations, claims, steps)]


def explain(
    symbols: Symbols, equations: Equations, claims: Claims, steps: int = 0
) -> list[dict[str, object]]:
    """How each claim was read: which norm, which product, a transpose or a power."""
    return [
        {
            "formula": each.formula,
            "verdict": str(each.verdict),
            "reading": list(each.reading),
            **({"why": each.why} if each.why else {}),
        }
        for each in _results(symbols, equations, claims, steps)
    ]


def repair(
    symbols: Symbols, equations: Equations, claims: Claims, steps: int = 0
) -> list[dict[str, object]]:
    """For each claim that is wrong, the nearest right formula, verified at fresh draws; or null."""
    return [
        {"formula": each.formula, "repair": each.repair and each.repair.to_dict()}
        for each in _results(symbols, equations, claims, steps)
        if not each.holds
    ]


def cost(
    model: Annotated[str, "lstm, attention, gcn … (an unknown name is answered with all names)"],
    bound: Annotated[str, "An order of growth to check, such as O(n^2 d)"] = "",
    counted: Annotated[str, "params, forward, backward, memory …"] = "forward",
) -> dict[str, object]:
    """Exact formulas of what a named architecture costs, and the verdict on an order of growth."""
    from workings.cost.architectures import ARCHITECTURES
    from workings.cost.cost import cost as cost_of
    from workings.cost.render import claim_dict

    if model not in ARCHITECTURES:
        raise WorkingsError(f"no architecture {model!r}; there is: {', '.join(ARCHITECTURES)}")
    formulas = cost_of(model)
    verdict = {"claim": claim_dict(counted, formulas.claim(bound, counted))} if bound else {}
    return formulas.to_dict() | verdict


def _results(symbols: Symbols, equations: Equations, claims: Claims, steps: int) -> "Report":
    from workings.claims.check import check as check_claims

    return check_claims(symbols=symbols, equations=equations, claims=claims, steps=steps)


def _refusing(tool: Callable[..., object]) -> Callable[..., object]:
    """The tool, whose refusals are of the kind whose message reaches the assistant."""
    from mcp.server.mcpserver.exceptions import ToolError

    @functools.wraps(tool)
    def answered(*arguments: object, **named: object) -> object:
        try:
            return tool(*arguments, **named)
        except WorkingsError as error:
            raise ToolError(str(error)) from error

    return answered
