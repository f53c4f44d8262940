"""The example of docs/documents.md gives what is printed there."""

import re
from pathlib import Path

from workings.claims.documents import read_document
from workings.claims.documents.check import check_document
from workings.claims.documents.formats import as_text, summary

DOCS = Path(__file__).parents[3] / "docs" / "documents.md"


def test_the_example_is_true(tmp_path: Path) -> None:
    text = DOCS.read_text()
    example = re.search(r"```tex\n(.*?)```", text, re.DOTALL)
    printed = re.search(r"```text\n(.*?)```", text, re.DOTALL)
    assert example
    assert printed
    path = tmp_path / "paper.tex"
    path.write_text(example[1])
    checked = check_document(read_document(path), seed=1)
    found = [
        as_text(finding).splitlines()[0].removeprefix(f"{tmp_path}/").split(": ")
        for finding in checked.claims
        if finding.wrong or finding.not_read
    ]
    lines = [": ".join(parts[:2]) for parts in found]
    said = f"{summary([checked])} (--seed {checked.seed})".replace(f"{tmp_path}/", "")
    assert [*lines, *said.splitlines()] == printed[1].splitlines()
    (wrong,) = checked.wrong
    assert wrong.result
    assert wrong.result.repair
    assert wrong.result.repair.formula.endswith(r"x^\top (p - y)")
