"""The `workings` command: its subcommands, and what it says when one of them fails."""

import sys

import typer
from typer.exceptions import TyperException

from workings.cli import (
    bench,
    check,
    cost,
    data,
    generate,
    graph,
    mcp,
    predict,
    report,
    runs,
    study,
    train,
    transcribe,
)
from workings.errors import Interrupted, WorkingsError, is_out_of_memory
from workings.version import __version__

app = typer.Typer(
    name="workings",
    help="Train, check, cost and compare the classic neural architectures, and show the working.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"workings {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(False, "--version", callback=_version, help="Show the version."),
) -> None: ...


train.add_to(app)
generate.add_to(app)
predict.add_to(app)
transcribe.add_to(app)
check.add_to(app)
cost.add_to(app)
study.add_to(app)
report.add_to(app)
mcp.add_to(app)
app.add_typer(bench.app, name="bench")
app.add_typer(runs.app, name="runs")
app.add_typer(data.app, name="data")
app.add_typer(graph.app, name="graph")


def main() -> None:
    """Run the command: 0 done, 2 bad input (one line says what), 130/143 interrupted."""
    try:
        code = app(standalone_mode=False)
        sys.stdout.flush()
    except WorkingsError as error:
        print(f"workings: {error}", file=sys.stderr)
        code = 2
    except TyperException as error:
        print(_usage(error), file=sys.stderr)
        code = 2
    except Interrupted as stopped:
        code = 128 + stopped.signal
    except (KeyboardInterrupt, typer.Abort):
        print("workings: interrupted", file=sys.stderr)
        code = 130
    except OSError as error:  # a full disk behind standard output, a name that is too long
        print(f"workings: {error.filename or 'output'}: {error.strerror}", file=sys.stderr)
        code = 2
    except (MemoryError, RuntimeError) as error:
        if not is_out_of_memory(error):
            raise
        print("workings: not enough memory for this; lower its sizes", file=sys.stderr)
        code = 2
    sys.exit(code if isinstance(code, int) else 0)


def _usage(error: TyperException) -> str:
    message = error.format_message().strip()
    if "\n" in message:
        return message  # a command without arguments: its help
    context = getattr(error, "ctx", None)
    hint = f"; see `{context.command_path} --help`" if context else ""
    return f"workings: {message.rstrip('.')}{hint}"
