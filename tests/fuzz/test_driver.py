"""The driver: a few seconds of one target, and its table."""

import subprocess
import sys
from collections import Counter
from pathlib import Path

from tests.fuzz.__main__ import BEGIN, END, ROOT, Tally, table
from tests.fuzz.target import Kind


def test_it_tries_inputs_and_writes_its_table_into_a_file(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n")
    options = ["--minutes", "0.05", "--seed", "7", "--target", "sizes"]
    command = [sys.executable, "-m", "tests.fuzz", *options]
    command += ["--folder", str(tmp_path / "out"), "--table", str(page)]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    text = page.read_text()
    assert text.startswith("before\n")
    assert text.endswith("after\n")
    assert "old" not in text
    row = next(line for line in text.splitlines() if line.startswith("| sizes |"))
    cells = [int(cell.replace(",", "")) for cell in row.strip("|").split("|")[1:]]
    assert cells[0] == cells[1] + cells[2] > 0
    assert cells[3:] == [0, 0, 0]


def test_the_table_adds_up() -> None:
    tallies = {
        "a": Tally(Counter({Kind.WORKED: 1200, Kind.REFUSED: 34, Kind.HANG: 1})),
        "b": Tally(Counter({Kind.WORKED: 1})),
    }
    assert table(tallies, 30.2, 7).splitlines()[-3:] == [
        "| a | 1,235 | 1,200 | 34 | 0 | 1 | 0 |",
        "| b | 1 | 1 | 0 | 0 | 0 | 0 |",
        "| all | 1,236 | 1,201 | 34 | 0 | 1 | 0 |",
    ]
