"""Writes the map in design.md: every file of the package with the first line of its docstring.

Run as `make map`; a test compares what it would write with what stands there.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
DESIGN = ROOT / "docs" / "design.md"
BEGIN, END = "<!-- map: made by `make map` -->\n", "<!-- end of map -->\n"

# In the order in which data flows, then formulas, then what stands above both.
ROOMS = (
    *("nn", "data", "tasks", "run", "study", "report"),
    *("formula", "cost", "claims", "charts", "page", "bench", "cli"),
)


def first_line(path: Path) -> str:
    """The first line of a module's docstring, less its full stop."""
    docstring = ast.get_docstring(ast.parse(path.read_text())) or ""
    return docstring.partition("\n")[0].removesuffix(".")


def folders(package: Path) -> Iterator[Path]:
    """The rooms in their order with the folders in them, then the package itself."""
    rooms = sorted(
        (path.parent for path in package.glob("*/__init__.py")),
        key=lambda room: (ROOMS.index(room.name) if room.name in ROOMS else len(ROOMS), room.name),
    )
    for room in rooms:
        yield from sorted(path.parent for path in room.rglob("__init__.py"))
    yield package


def made_map(package: Path = ROOT / "workings") -> str:
    """The map as Markdown: a paragraph a folder, a line a file with the path to open."""
    lines: list[str] = []
    for folder in folders(package):
        name = folder.relative_to(package.parent).as_posix()
        lines += ["", f"**`{name}/`**: {first_line(folder / '__init__.py')}", ""]
        lines += [
            f"- `{name}/{path.name}`: {first_line(path)}"
            for path in sorted(folder.glob("*.py"))
            if path.name != "__init__.py"
        ]
    return "\n".join([*lines, "", ""])


def with_map(text: str) -> str:
    """A document with what stands between its two markers replaced by the map."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}{made_map()}{END}{after}"


if __name__ == "__main__":
    DESIGN.write_text(with_map(DESIGN.read_text()))
