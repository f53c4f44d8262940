"""How the command ends: exit codes, one line, and nothing unforeseen shown as a traceback."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from workings import cli, interrupts
from workings.cli.shared import unforeseen
from workings.errors import WorkingsError

HEAD = [sys.executable, "-m", "workings"]


def run(*args: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [*HEAD, *args],
        capture_output=True,
        env=os.environ | environment,
        encoding=environment.get("PYTHONIOENCODING", "utf-8"),
    )


def fail_with(error: BaseException, monkeypatch: pytest.MonkeyPatch) -> int:
    def app(**options: object) -> None:
        raise error

    monkeypatch.setattr(cli, "app", app)
    with pytest.raises(SystemExit) as exited:
        cli.main()
    assert isinstance(exited.value.code, int)
    return exited.value.code


def test_the_unforeseen_is_one_line_and_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("WORKINGS_CACHE", str(tmp_path))
    assert fail_with(ValueError("bad\x1b[31m thing\nmore"), monkeypatch) == 70
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert r"a defect of workings (ValueError: bad\x1b[31m thing)" in err
    (kept,) = (tmp_path / "defects").iterdir()
    assert str(kept) in err
    assert "Traceback" in kept.read_text()
    assert "raise error" in kept.read_text()


def test_the_unforeseen_without_a_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("WORKINGS_CACHE", str(tmp_path / "file"))
    assert fail_with(KeyError(), monkeypatch) == 70
    assert "(KeyError); its traceback could not be kept" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (WorkingsError("a\nb\x1b[2J\u2028"), 2, r"workings: a\nb\x1b[2J\u2028"),
        (WorkingsError("no\n    x y\n      ^"), 2, "workings: no"),
        (FileNotFoundError(2, "No such file", "\udcff"), 2, r"workings: \udcff: No such file"),
        (MemoryError(), 2, "workings: not enough memory for this; lower its sizes"),
        (KeyboardInterrupt(), 130, "workings: interrupted"),
    ],
)
def test_what_is_foreseen(
    error: BaseException,
    code: int,
    line: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert fail_with(error, monkeypatch) == code
    assert capsys.readouterr().err == line + "\n"


def test_a_terminal_also_shows_where_in_a_formula(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert fail_with(WorkingsError("no\n    x y\n      ^"), monkeypatch) == 2
    assert capsys.readouterr().err == "workings: no\n    x y\n      ^\n"


def test_what_fails_after_a_swallowed_ctrl_c_is_no_defect(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    error = ImportError("cannot load module more than once per process")
    assert fail_with(error, monkeypatch) == 70
    monkeypatch.setattr(interrupts, "_seen", True)
    capsys.readouterr()
    assert fail_with(error, monkeypatch) == 130
    assert capsys.readouterr().err == "workings: interrupted\n"


def test_recursion_is_not_taken_for_a_lack_of_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    assert fail_with(RecursionError("maximum recursion depth"), monkeypatch) == 70


def test_ctrl_c_at_any_moment_of_the_start() -> None:
    """From when Python runs our first line; before that it is Python's own affair."""
    program = (
        "import signal, sys; from workings.__main__ import main;"
        "signal.signal(signal.SIGALRM, lambda *_: signal.raise_signal(signal.SIGINT));"
        "signal.setitimer(signal.ITIMER_REAL, float(sys.argv.pop(1))); main()"
    )
    for after in (0.001, 0.1, 0.3, 0.8):
        command = [sys.executable, "-c", program, str(after), "train", "--help", "language"]
        done = subprocess.run(command, capture_output=True, text=True)
        assert "Traceback" not in done.stderr, (after, done.stderr)
        assert done.returncode in (130, 0), (after, done.returncode, done.stderr)


def test_ctrl_c_in_a_finalizer_is_raised_behind_it() -> None:
    """Imports have such moments: the locks of modules end in callbacks of weak references."""
    program = (
        "import signal, time, weakref; from workings import interrupts\n"
        "class Lock: pass\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "interrupts.remember(); lock = Lock()\n"
        "watch = weakref.ref(lock, lambda _: signal.raise_signal(signal.SIGINT))\n"
        "try:\n"
        "    del lock\n"
        "    time.sleep(10)\n"
        "    print('lost')\n"
        "except KeyboardInterrupt: print('raised', interrupts.seen())\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("raised True\n", "")


def test_what_else_fails_in_a_finalizer_is_printed() -> None:
    program = (
        "import signal; from workings import interrupts\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler); interrupts.remember()\n"
        "class Lock:\n"
        "    def __del__(self): raise ValueError('here')\n"
        "Lock()\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert "ValueError: here" in done.stderr


SLOWLY = """
import signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell ignores it for its background
import workings.claims.check as check
import workings.run.run as run
def slow(*args, **options):
    print("HERE", flush=True)
    time.sleep(60)
check.check_set = slow
run.open_run = slow
from workings.cli import main
main()
"""


@pytest.mark.parametrize(
    ("command", "number", "code"),
    [(["eval", "some-run"], signal.SIGTERM, 143), (["check", "rnn"], signal.SIGINT, 130)],
)
def test_signals_end_a_command_that_leaves_nothing(
    command: list[str], number: int, code: int
) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", SLOWLY, *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout
        assert process.stderr
        assert process.stdout.readline() == "HERE\n"
        time.sleep(0.1)
        process.send_signal(number)
        assert process.wait(timeout=50) == code
        assert "Traceback" not in process.stderr.read()


def test_a_reader_that_goes_away_is_no_error() -> None:
    with subprocess.Popen(
        [*HEAD, "train", "--help"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout
        assert process.stderr
        process.stdout.close()
        assert process.wait(timeout=60) == 1
        assert process.stderr.read() == ""


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252"])
def test_output_that_cannot_be_encoded_is_escaped(encoding: str) -> None:
    done = run("data", "list", PYTHONIOENCODING=encoding, PYTHONUTF8="0")
    assert done.returncode == 0, done.stderr
    done = run("runs", "list", "--runs", "σ∂/nowhere", PYTHONIOENCODING=encoding)
    assert done.returncode == 0, done.stderr
    assert r"\u2202" in done.stdout


def test_the_report_names_the_versions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKINGS_CACHE", str(tmp_path))
    unforeseen.report(ValueError("x"))
    (kept,) = (tmp_path / "defects").iterdir()
    assert kept.read_text().startswith("workings 0.")
