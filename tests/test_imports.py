"""Imports go one way: which room may import which, held for every import in the sources.

Read from the syntax tree, so that an import inside a function, one under `TYPE_CHECKING` and a
module named in a string ("workings.run.run:train") count like any other.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "workings"

# Directly below each room; what is below that may be imported too. The small files of the root
# (errors, files, schema …) and `charts` are below all. `workings/__init__.py` offers all rooms.
BELOW = {
    "nn": (),
    "data": (),
    "formula": (),
    "tasks": ("nn", "data"),
    "cost": ("formula", "nn"),
    "claims": ("cost",),
    "run": ("tasks",),
    "study": ("run", "claims"),
    "report": ("study",),
    "page": ("report",),
    "bench": ("page",),
    "cli": ("page", "bench"),
    "pytest_plugin": ("claims",),
}
SMALL = {"charts"} | {path.stem for path in PACKAGE.glob("*.py")} - {"__init__", "__main__", *BELOW}


def allowed(room: str) -> set[str]:
    """Every room that files of this one may import."""
    if room in SMALL:
        return SMALL
    below = BELOW[room]
    return SMALL | {room, *below}.union(*(allowed(each) for each in below))


def imported(tree: ast.AST, package: str) -> Iterator[str]:
    """The dotted names of all modules of `workings` that a file names; `package`: where it is."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parent = package.split(".")[: -node.level + 1 or None] if node.level else []
            module = ".".join([*parent, *filter(None, [node.module])])
            yield from (f"{module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from re.findall(r"^(workings(?:\.\w+)+)(?::\w+)?$", node.value)


def rooms_of(source: str, package: str = "workings") -> set[str]:
    """The rooms that a source names; `workings` itself is a room that none may import."""
    names = [name.split(".") for name in imported(ast.parse(source), package)]
    own = {path.stem for path in PACKAGE.iterdir()}
    return {
        name[1] if name[1] in own else "workings"
        for name in ([*each, ""] for each in names if each[0] == "workings")
    }


def violations() -> set[str]:
    """Every import that points the wrong way, as "file -> room"."""
    wrong = set()
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        if parts[0] in ("__init__", "__main__"):
            continue
        rooms = rooms_of(path.read_text(), ".".join(["workings", *parts[:-1]]))
        wrong |= {f"{'/'.join(parts)}.py -> {room}" for room in rooms - allowed(parts[0])}
    return wrong


def test_imports_go_one_way() -> None:
    assert violations() == set()


def test_every_folder_is_a_room_with_a_place() -> None:
    folders = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert folders - {"charts"} <= set(BELOW)


@pytest.mark.parametrize(
    ("source", "room"),
    [
        ("import workings.run.run", "run"),
        ("from workings import charts", "charts"),
        ("from workings.study import file", "study"),
        ("def f():\n    from workings.run.run import train", "run"),
        ("if TYPE_CHECKING:\n    from workings.cost import cost", "cost"),
        ("from . import sparse", "nn"),
        ("from ...tasks.task import Task", "tasks"),
        ("HOME = 'workings.claims.check:check'", "claims"),
        ("import_module('workings.bench.graphs')", "bench"),
        ("from workings import __version__", "workings"),
        ("import workings", "workings"),
    ],
)
def test_every_way_to_import_is_seen(source: str, room: str) -> None:
    assert rooms_of(source, "workings.nn.graph") == {room}
