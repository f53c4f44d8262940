"""`workings check` of documents: what is written, the exit codes, fixes, watching, the plugin."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command import Command, Done
from workings.claims import documents
from workings.claims.documents.files.document import Document
from workings.claims.documents.formats import Format
from workings.cli.check_documents import check_documents, watch_documents

RIGHT = "<!-- workings: x n x 1, A n x n -->\n$$E = x^T A x$$\n$$\\nabla_x E = (A + A^T) x$$\n"
WRONG = RIGHT.replace("A + A^T", "A - A^T")
UNREAD = RIGHT + "$$\\nabla_x E = \\oint x\\,dx$$\n"


@pytest.fixture
def run(workings: Command) -> Command:
    """`workings check` in a folder with a document, notes.md."""

    def check(*arguments: str, text: str = WRONG) -> Done:
        if not Path("notes.md").exists():
            Path("notes.md").write_text(text)
        return workings("check", *arguments)

    return check


@pytest.mark.parametrize(("text", "code"), [(RIGHT, 0), (WRONG, 1), (UNREAD, 3)])
def test_the_exit_code_says_wrong_or_not_read(run: Command, text: str, code: int) -> None:
    done = run("notes.md", text=text)
    assert (done.code, done.err) == (code, "")


def test_a_finding_is_written_as_a_compiler_writes_it(run: Command, tmp_path: Path) -> None:
    done = run("notes.md", "--fix", "--seed", "7")
    lines = done.out.splitlines()
    assert lines[0].startswith("notes.md:3:16: wrong value: largest relative error")
    assert lines[1].strip() == r"\nabla_x E = (A - A^T) x"
    assert lines[-1] == "1 document, 1 definition, 1 claim: 0 hold, 1 wrong, 0 not read (--seed 7)"
    assert "1 of 1 wrong repaired, written to notes.fixed.md" in done.err
    assert (tmp_path / "notes.fixed.md").read_text() == RIGHT
    assert (tmp_path / "notes.md").read_text() == WRONG
    run("notes.md", "--in-place")
    assert (tmp_path / "notes.md").read_text() == RIGHT


def test_a_seed_repeats_the_draws_of_a_document(run: Command) -> None:
    first, again, other = (run("notes.md", "--seed", seed).out for seed in ("1", "1", "2"))
    assert first == again
    assert first.splitlines()[0] != other.splitlines()[0]  # other draws, other evidence


def test_formats_for_programs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("notes.md").write_text(WRONG)

    def written(form: Format) -> str:
        assert check_documents([Path("notes.md")], form, seed=5) == 1
        return capsys.readouterr().out

    assert written(Format.GITHUB).startswith("::error file=notes.md,line=3,col=16::wrong value: ")
    found = json.loads(written(Format.JSON))
    assert [each["role"] for each in found["findings"]] == ["definition", "claim"]
    assert found["seeds"] == {"notes.md": 5}
    wrong = found["findings"][1]
    assert (wrong["file"], wrong["line"], wrong["column"]) == ("notes.md", 3, 16)
    assert wrong["verdict"] == "wrong value"
    sarif = json.loads(written(Format.SARIF))
    (result,) = sarif["runs"][0]["results"]
    region = result["locations"][0]["physicalLocation"]["region"]
    assert (sarif["version"], result["level"]) == ("2.1.0", "error")
    assert region == {"startLine": 3, "startColumn": 16}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["missing.tex"], "missing.tex: no such file"),
        (["notes.md", "--format", "xml"], "--format xml"),
        (["rnn", "--fix"], "are for documents"),
        (["rnn", "--format", "sarif"], "are for documents"),
        (["notes.md", "--watch", "--fix"], "--watch only checks"),
        (["notes.md", "--gallery"], "leave out the names"),
        (["paper.docx"], "paper.docx"),
    ],
)
def test_bad_input_is_one_line(run: Command, arguments: list[str], message: str) -> None:
    done = run(*arguments)
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert message in done.err


def test_a_document_that_is_saved_while_it_is_checked_is_checked_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "notes.md"
    path.write_text(RIGHT)
    read_document = documents.read_document

    def saved_while_it_is_read(path: Path) -> Document:
        document = read_document(path)
        path.write_text(UNREAD)
        return document

    monkeypatch.setattr(documents, "read_document", saved_while_it_is_read)
    watch_documents([path], Format.TEXT, seed=1, rounds=2)
    summaries = [line for line in capsys.readouterr().out.splitlines() if "document," in line]
    assert summaries == [
        "1 document, 1 definition, 1 claim: 1 hold, 0 wrong, 0 not read",
        "1 document, 1 definition, 2 claims: 1 hold, 0 wrong, 1 not read",
    ]


def test_every_claim_is_a_test_of_pytest(tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text(UNREAD)
    (tmp_path / "wrong.md").write_text(WRONG)
    (tmp_path / "damaged.md").write_bytes(b"\0")
    (tmp_path / "odd.ipynb").write_text(
        r'{"cells": [{"cell_type": "markdown", "source": "$$\ud800 \u001b = 1$$"}]}'
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}

    def pytest_run(*arguments: str) -> str:
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", *arguments]
        done = subprocess.run(
            command, cwd=tmp_path, capture_output=True, text=True, env=environment, timeout=120
        )
        return done.stdout + done.stderr

    names = ("notes.md", "wrong.md", "damaged.md", "odd.ipynb")
    found = pytest_run("--workings", "-rs", "--continue-on-collection-errors", *names)
    assert "1 failed, 1 passed, 2 skipped, 1 error" in found
    assert "damaged.md: has NUL bytes" in found
    assert [word for word in ("Error", "\x1b") if word in found] == []
    assert "wrong.md:3:16: wrong value" in found
    assert "oint" in found
    assert "no tests ran" in pytest_run("--ignore=x")


def test_the_plugin_does_not_import_torch_before_it_is_asked(tmp_path: Path) -> None:
    code = "import sys, workings.pytest_plugin; print('torch' in sys.modules)"
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True
    )
    assert done.stdout.strip() == "False"


def test_a_page_of_documents_is_refused_before_they_are_checked(
    workings: Command, tmp_path: Path
) -> None:
    (tmp_path / "notes.md").write_text("$$x = x$$\n")
    code, out, err = workings("check", "notes.md", "--page", "page.md")
    assert (code, out) == (2, "")
    assert (
        err.strip() == "workings: --page is for sets of claims and --book; documents have --format"
    )
