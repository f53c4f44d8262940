"""The `workings` command: its subcommands, and what it says when one of them fails."""

import contextlib
import io
import os
import re
import signal
import sys
import threading
from collections.abc import Iterator
from types import FrameType

import typer
from typer.exceptions import TyperException

from workings import interrupts
from workings.cli import (
    bench,
    cache,
    check,
    cost,
    data,
    doctor,
    embed,
    export,
    generate,
    graph,
    mcp,
    page,
    predict,
    report,
    runs,
    study,
    summarise,
    train,
    transcribe,
)
from workings.cli.shared import groups, misplaced, unforeseen
from workings.errors import Interrupted, Terminated, WorkingsError, first_line, is_out_of_memory
from workings.names import escaped
from workings.version import __version__

app = typer.Typer(
    name="workings",
    cls=groups.GroupedCommands,
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
export.add_to(app)
embed.add_to(app)
transcribe.add_to(app)
summarise.add_to(app)
check.add_to(app)
cost.add_to(app)
study.add_to(app)
report.add_to(app)
page.add_to(app)
mcp.add_to(app)
cache.add_to(app)
doctor.add_to(app)
app.add_typer(bench.app, name="bench")
app.add_typer(runs.app, name="runs")
app.add_typer(data.app, name="data")
app.add_typer(graph.app, name="graph")


def main() -> None:
    """Run the command, and exit.

    0: done; 1: nobody reads the output; 2: bad input, one line says what; 70: a defect of ours;
    130: interrupted; 143: terminated.
    """
    _write_what_cannot_be_encoded()
    try:
        with _termination():
            code = app(standalone_mode=False)
            sys.stdout.flush()
        if code == 128 + signal.SIGINT:  # typer's own word for Ctrl-C
            print("workings: interrupted", file=sys.stderr)
    except BrokenPipeError:  # `workings runs list | head`: its reader has seen enough
        _discard_output()
        code = 1
    except (Exception, KeyboardInterrupt, Terminated) as error:
        code, line = _explained(error)
        if line:
            print(line, file=sys.stderr)
    sys.exit(code if isinstance(code, int) else 0)


def _explained(error: BaseException) -> tuple[int, str]:
    """The exit code, and the line to print, of what ended a command."""
    match error:
        case WorkingsError():
            return 2, f"workings: {_lines(str(error))}"
        case TyperException():
            return 2, _usage(error)
        case Interrupted():
            return 128 + error.signal, ""  # the run has said where it stopped
        case Terminated():
            return 128 + signal.SIGTERM, "workings: terminated"
        case KeyboardInterrupt() | typer.Abort():
            return 128 + signal.SIGINT, "workings: interrupted"
        case OSError():  # a full disk behind standard output, a name that is too long
            what = escaped(str(error.filename or "output"))
            return 2, f"workings: {what}: {error.strerror or first_line(error)}"
        case MemoryError() | RuntimeError() if is_out_of_memory(error):
            return 2, "workings: not enough memory for this; lower its sizes"
    if interrupts.seen():
        return 128 + signal.SIGINT, "workings: interrupted"
    return unforeseen.EXIT_CODE, unforeseen.report(error)


def _lines(message: str) -> str:
    """One line, with escapes for what would break it; in a terminal, a formula and its caret."""
    lines = [escaped(line) for line in re.split(r"\n(?=    )", message)]
    return "\n".join(lines if sys.stderr.isatty() else lines[:1])


def _write_what_cannot_be_encoded() -> None:
    """A terminal that lacks a character shows its escape."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _discard_output() -> None:
    """So that Python, when it exits, does not try again to write what was not read."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextlib.contextmanager
def _termination() -> Iterator[None]:
    """SIGTERM ends a command as Ctrl-C does, with its own exit code."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def terminate(number: int, frame: FrameType | None) -> None:
        raise Terminated

    previous = signal.signal(signal.SIGTERM, terminate)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, previous)


def _usage(error: TyperException) -> str:
    message = misplaced.meant(error) or error.format_message().strip()
    if "\n" in message:
        return message  # a command without arguments: its help
    context = getattr(error, "ctx", None)
    hint = f"; see `{context.command_path} --help`" if context else ""
    return f"workings: {message.rstrip('.')}{hint}"
