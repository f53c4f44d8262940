"""Options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

from workings.cli.shared import complete, complete_keys

LARGEST_SEED = 2**63 - 1  # that torch takes

Runs = Annotated[
    Path | None,
    typer.Option("--runs", metavar="DIR", help="Where runs are kept (WORKINGS_RUNS, ./runs)."),
]
Json = Annotated[bool, typer.Option("--json", help="The result as JSON on standard output.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")]
Set = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="Override a config field; repeat as needed.",
        autocompletion=complete_keys.keys_of,
    ),
]
RunName = Annotated[
    str,
    typer.Argument(metavar="RUN", help="A run's name, or its path.", autocompletion=complete.runs),
]
RowFile = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="FILE", help="Write the rows: .csv, .jsonl or .json"),
]
Trust = Annotated[
    bool,
    typer.Option("--trust", help="Import the classes (package.module:Class) that the file names."),
]
TimesChart = Annotated[
    Path | None,
    typer.Option(
        "--chart", metavar="FILE", help="A chart of the times: .svg .png .pdf .html .json"
    ),
]
