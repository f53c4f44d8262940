"""A pytest plugin: `pytest --workings docs/*.md` makes every claim of a document a test.

Without the option nothing of Workings is imported.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from _pytest._code.code import TerminalRepr, TracebackStyle

    from workings.claims.documents.check import DocumentCheck

SUFFIXES = (".tex", ".ltx", ".md", ".markdown", ".qmd", ".rmd", ".ipynb")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add --workings."""
    parser.addoption(
        "--workings", action="store_true", help="check the displayed formulas of documents"
    )


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> "DocumentFile | None":
    """Take documents in, where the option is given."""
    if parent.config.getoption("--workings") and file_path.suffix.lower() in SUFFIXES:
        return DocumentFile.from_parent(parent, path=file_path)
    return None


class WrongClaim(Exception):
    """A claim of a document that is wrong."""


class DocumentFile(pytest.File):
    """A document; its items are its claims."""

    def collect(self) -> Iterator["ClaimItem"]:
        from workings.claims.check import new_seed
        from workings.claims.documents import read_document
        from workings.claims.documents.check import DocumentCheck
        from workings.claims.documents.outline.outline import outline
        from workings.claims.documents.outline.statements import Role
        from workings.errors import WorkingsError
        from workings.names import escaped

        try:
            check = DocumentCheck(outline(read_document(self.path)), new_seed())
        except WorkingsError as error:
            raise self.CollectError(escaped(str(error))) from error
        for number, statement in enumerate(check.outline.statements):
            if statement.role in (Role.CLAIM, Role.NOT_READ):
                position = check.document.position(statement.row.text.offset)
                cell = f"cell {position.cell}, " if position.cell else ""
                text = escaped(" ".join(statement.text.split())[:60])
                name = f"{cell}line {position.line}: {text}"
                yield ClaimItem.from_parent(self, name=name, check=check, number=number)


class ClaimItem(pytest.Item):
    """One claim; one that is not read is skipped, with the reason."""

    def __init__(
        self, name: str, parent: DocumentFile, *, check: "DocumentCheck", number: int
    ) -> None:
        super().__init__(name, parent)
        self.check, self.number = check, number

    def runtest(self) -> None:
        from workings.claims.documents.formats import as_text, message
        from workings.names import escaped, escaped_text

        finding = self.check.finding(self.number)
        if finding.not_read:
            pytest.skip(escaped(message(finding)))
        if finding.wrong:
            raise WrongClaim(escaped_text(as_text(finding)))

    def repr_failure(
        self, excinfo: pytest.ExceptionInfo[BaseException], style: "TracebackStyle | None" = None
    ) -> "str | TerminalRepr":
        """The finding alone, without a traceback."""
        if isinstance(excinfo.value, WrongClaim):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        statement = self.check.outline.statements[self.number]
        line = self.check.document.position(statement.row.text.offset).line
        return self.path, line - 1, self.name
