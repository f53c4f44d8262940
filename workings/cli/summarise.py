"""`workings summarise`: every function of a Python file, or every text, in a few words."""

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from workings.cli.shared import show
from workings.cli.shared.options import Json, RunName, Runs, Trust

if TYPE_CHECKING:
    from workings.tasks.summary.summarise import Look, Summarised


def add_to(app: typer.Typer) -> None:
    """Put the command on the app."""
    app.command()(summarise)


def summarise(
    name: RunName,
    files: Annotated[
        list[str],
        typer.Argument(metavar="FILE…", help="Python files, texts (.txt) or JSON lines."),
    ],
    top: Annotated[int, typer.Option(min=1, max=64, help="Show the likeliest so many.")] = 3,
    runs: Runs = None,
    trust: Trust = False,
    as_json: Json = False,
) -> None:
    """Every function of a Python file, or every text, in a few words.

    A Python file is parsed, never imported or run. Below each function are the likeliest summaries
    with their probabilities, and for each word of the first the tokens that it looked at.
    """
    from workings.run import run as api
    from workings.run.progress import progress

    opened = api.open_run(name, runs, progress(), trust)
    by_file = {file: opened.summarise(Path(file), top) for file in files}
    if as_json:
        plain = {file: [dataclasses.asdict(x) for x in done] for file, done in by_file.items()}
        show.print_json(plain)
        return
    for file, done in by_file.items():
        for each in done:
            _say(file, each)


def _say(file: str, done: "Summarised") -> None:
    cut = f", {done.cut:,} tokens more were not read" if done.cut else ""
    show.say(f"{file}:{done.line}: {done.label}{cut}")
    likeliest = "  ".join(f"{text or '(nothing)'} {share:.1%}" for text, share in done.summaries)
    show.say(f"    {likeliest}")
    for look in done.looked_at:
        show.say(f"    {look.word} ← {_tokens(look)}")


def _tokens(look: "Look") -> str:
    seen = ", ".join(f"{token} {weight:.0%}" for token, weight in look.tokens)
    return f"{seen}; copied {look.copied:.0%}"
