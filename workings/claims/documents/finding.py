"""What is found in a document: each statement, where it stands, and the verdict on it."""

from dataclasses import dataclass, field

from workings.claims.documents.files.document import Document
from workings.claims.documents.files.sources import Position
from workings.claims.documents.outline.statements import Role, Statement
from workings.claims.result import Result
from workings.claims.verdict import Verdict


@dataclass(frozen=True)
class Finding:
    """A statement of a document, where it stands, and the verdict if it is a claim."""

    document: Document = field(repr=False)
    statement: Statement = field(repr=False)
    result: Result | None = None
    offset: int = 0
    """the first character of what is wrong, or not read"""
    shapes: dict[str, str] = field(default_factory=dict)
    """how symbols that were not declared were read"""
    number: int = -1
    """of the statement in the document; the steps of one chain have the same"""

    @property
    def position(self) -> Position:
        """Where the author finds what is wrong or not read."""
        return self.document.position(self.offset)

    @property
    def verdict(self) -> Verdict | None:
        """None where the statement is no claim."""
        return self.result.verdict if self.result else None

    @property
    def wrong(self) -> bool:
        """Whether the claim is not right as it is written."""
        right = (None, Verdict.NOT_READ, Verdict.TRIVIAL, Verdict.UNDECIDED)
        return self.verdict not in right and not (self.result and self.result.holds)

    @property
    def not_read(self) -> bool:
        """Whether nothing is said of it: it was not understood, or could not be decided."""
        return self.verdict in (Verdict.NOT_READ, Verdict.UNDECIDED)


@dataclass
class Checked:
    """A document's findings, and what its author should know besides."""

    document: Document
    findings: list[Finding]
    notes: list[tuple[Position, str]]
    seed: int
    """of the random draws"""
    in_sentences: int = 0
    """equations in the running text that define nothing; they are not checked"""

    @property
    def wrong(self) -> list[Finding]:
        """The claims that are not right as they are written."""
        return [finding for finding in self.findings if finding.wrong]

    @property
    def not_read(self) -> list[Finding]:
        """The claims of which nothing is said."""
        return [finding for finding in self.findings if finding.not_read]

    @property
    def defined(self) -> list[Finding]:
        """The equations that were taken as definitions."""
        return [
            finding
            for finding in self.findings
            if finding.statement.role is Role.DEFINITION and finding.result is None
        ]

    @property
    def not_checked(self) -> list[Finding]:
        """What was read and is neither checked nor a definition: each statement says why."""
        passed_over = (Role.EXPRESSION, Role.CONDITION, Role.SKIPPED)
        return [each for each in self.findings if each.statement.role in passed_over]

    @property
    def claims(self) -> list[Finding]:
        """All that got a verdict."""
        return [finding for finding in self.findings if finding.result is not None]
