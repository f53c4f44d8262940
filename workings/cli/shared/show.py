"""Tables for the terminal: aligned, the same everywhere."""

import json
import sys

from workings.json_files import finite
from workings.names import escaped, escaped_text


def print_json(value: object) -> None:
    """A result for programs, on standard output."""
    print(json.dumps(finite(value), indent=2, ensure_ascii=False))


def say(text: object, *, error: bool = False, flush: bool = False) -> None:
    """Print what may come from a stranger's file: no escape in it reaches the terminal."""
    print(escaped_text(str(text)), file=sys.stderr if error else sys.stdout, flush=flush)


def table(title: str, columns: list[str], rows: list[list[str]], left: int = 1) -> None:
    """Print a table whose first `left` columns are text and the others numbers.

    Names in it may come from a stranger's file: no escape in them reaches the terminal.
    """
    from rich.box import SIMPLE, SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    named = any(columns)
    view = Table(box=SIMPLE_HEAD if named else SIMPLE, pad_edge=False, show_header=named)
    for number, column in enumerate(columns):
        view.add_column(
            escaped_text(column), justify="left" if number < left else "right", overflow="fold"
        )
    for row in rows:
        view.add_row(*map(escaped_text, row))
    console = Console(highlight=False, markup=False, width=width())
    if title:
        # A line of its own: as the table's it would be broken at the table's width.
        print(escaped_text(title))
    console.print(view)


def width() -> int:
    """Of the terminal; a file or a pipe has no width to fit into."""
    from rich.console import Console

    console = Console()
    return console.width if console.is_terminal else 200


def number(value: object) -> str:
    """A figure as a table shows it."""
    if isinstance(value, str):
        return escaped(value)
    if isinstance(value, float):
        return f"{value:,.2f}" if abs(value) >= 1 else f"{value:.4g}"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return "" if value is None else escaped(str(value))
