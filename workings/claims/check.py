"""Checking whole sets: every claim by its kind."""

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from workings.claims import book
from workings.claims.documents.files.suffixes import is_document, read_document
from workings.claims.evidence import Evidence
from workings.claims.kinds.formula_claims import check_formula
from workings.claims.kinds.number_claims import Models, check_number
from workings.claims.kinds.string_claims import check_same
from workings.claims.location import ClaimsFile
from workings.claims.modules.computes import check_computes
from workings.claims.result import Report, Result
from workings.claims.sets import (
    MARKDOWN,
    Claim,
    ClaimSet,
    from_markdown,
    from_toml,
    from_values,
    read,
)
from workings.claims.system.conventions import Conventions
from workings.claims.system.declare import Reader
from workings.claims.system.equations import System
from workings.claims.system.live import Undecided
from workings.claims.verdict import Verdict
from workings.cost.recovery.count_formula import Uncounted
from workings.errors import WorkingsError
from workings.formula.errors import FormulaError

TOO_LARGE = "give smaller [sizes]"  # what every limit of the evaluator says


def check(
    source: str | Path | Mapping[str, object] | ClaimSet | None = None,
    *,
    symbols: Mapping[str, str] | None = None,
    equations: Sequence[str] = (),
    claims: Sequence[str | Mapping[str, object]] = (),
    sizes: Mapping[str, int | str] | None = None,
    steps: int = 0,
    trust: bool = False,
    seed: int | None = None,
) -> Report:
    r"""The verdict on every claim of a file, document or shipped chapter, or of what is given here.

    >>> workings.check(
    ...     symbols={"x": "1 x d", "W": "d x k", "y": "1 x k"},
    ...     equations=[r"E = \frac{1}{2} \|x W - y\|^2"],
    ...     claims=[r"\frac{\partial E}{\partial W} = x^T (x W - y)"],
    ... )

    trust: import the classes that claims name as their model, `package.module:Class`.
    seed: of the random draws, another one each time if not given; the report says which it was.
    """
    if source is None:
        given = {
            "symbols": dict(symbols or {}),
            "equations": tuple(equations),
            "sizes": dict(sizes or {}),
            "steps": steps,
            "claims": tuple({"claim": c} if isinstance(c, str) else dict(c) for c in claims),
        }
        sets = [from_values(given, "claims")]
    elif isinstance(source, ClaimSet):
        sets = [source]
    elif isinstance(source, Mapping):
        sets = [from_values(dict(source), "claims")]
    elif "\n" not in str(source) and is_document(str(source)):
        return _of_document(Path(source), seed)
    else:
        sets = find(str(source))
    seed = new_seed() if seed is None else seed
    file = file_of(source) if isinstance(source, (str, Path)) else None
    return Report([result for each in sets for result in check_set(each, trust, seed, file)], seed)


def _of_document(path: Path, seed: int | None) -> Report:
    """The verdicts on a document's claims; what its names are is inferred from its text."""
    from workings.claims.documents.check import check_document  # which needs this file

    checked = check_document(read_document(path), seed=seed)
    return Report(
        [
            replace(each.result, location=str(each.position))
            for each in checked.claims
            if each.result is not None
        ],
        checked.seed,
    )


def new_seed() -> int:
    """A seed of draws that differs from run to run."""
    return random.SystemRandom().randrange(1, 10**6)


def find(name: str) -> list[ClaimSet]:
    """What contains a slash or ends in .toml or .md is a path; else a chapter or an entry."""
    if "\n" in name:
        return [from_markdown(name, "claims") if "```" in name else from_toml(name)]
    if file := file_of(name):
        return [read(file)]
    return book.find(name)


def file_of(name: str | Path) -> Path | None:
    """The file that is meant, where it is not a chapter, an entry, or the claims themselves."""
    text = str(name)
    is_path = "/" in text or text.endswith((".toml", *MARKDOWN))
    return Path(name) if is_path and "\n" not in text else None


def check_set(
    claim_set: ClaimSet, trust: bool = False, seed: int | None = None, file: Path | None = None
) -> Iterator[Result]:
    """The verdict on every claim of a set; classes that they name are imported where trusted.

    file: that the set was read from, so that what is not read can be located.
    """
    checker = Checker(
        claim_set,
        Models(trust),
        new_seed() if seed is None else seed,
        file=ClaimsFile(file) if file else None,
    )
    for claim in claim_set.claims:
        result = checker.check(claim)
        source = result.source or claim_set.source
        yield replace(result, source=source, ours=claim.ours)


@dataclass
class Checker:
    """What the claims of one set share."""

    claim_set: ClaimSet
    models: Models
    seed: int
    conventions: Conventions = field(default_factory=Conventions)
    file: ClaimsFile | None = None
    checked: Counter[str] = field(default_factory=Counter)
    """how many claims there were so far with the same formula"""

    @cached_property
    def equations(self) -> tuple[Reader, System]:
        """The set's equations, once a claim is about them: those of a module have other names."""
        reader = Reader(self.claim_set)
        system = reader.system()
        system.choose_sizes(0)  # so that sizes that contradict are an error, used or not
        return reader, system

    def check(self, claim: Claim, repair: bool = True) -> Result:
        """The verdict on one claim, by its kind; what is not understood gets none.

        repair: whether a repair of a wrong formula is looked for.
        """
        if claim.same:
            return check_same(claim)
        try:
            if claim.computes or claim.count or claim.cost or claim.parameter:
                return self._of_a_model(claim)
            reader, system = self._equations()
            try:
                return check_formula(reader, system, claim, self.seed, self.conventions, repair)
            except WorkingsError as error:
                return self._without_verdict(claim, error)
        finally:
            self.checked[_written(claim)] += 1

    def _equations(self) -> tuple[Reader, System]:
        try:
            return self.equations
        except FormulaError as error:
            where = self.file.where(error) if self.file else ""
            raise WorkingsError(f"{where}: {error}" if where else str(error)) from error

    def _of_a_model(self, claim: Claim) -> Result:
        try:
            if claim.computes:
                live = self.models.live(claim, self.claim_set)
                return check_computes(claim, self.claim_set, live)
            return check_number(claim, self.models)
        except (FormulaError, Uncounted) as error:
            return self._without_verdict(claim, error)
        except WorkingsError as error:  # a model that cannot be had
            prefix = f"{claim.name}: " if claim.name and claim.name not in str(error) else ""
            raise WorkingsError(f"{prefix}{error}") from None

    def _without_verdict(self, claim: Claim, error: WorkingsError) -> Result:
        """A claim that was not understood, or not decided: nothing is said about it."""
        undecided = isinstance(error, Undecided) or TOO_LARGE in str(error)
        written = _written(claim)
        name = claim.name or written
        return Result(
            Verdict.UNDECIDED if undecided else Verdict.NOT_READ,
            Evidence(why=str(error).removeprefix(f"{name}: ")),
            name=name,
            source=claim.source,
            statement=claim.statement or written,
            formula=written,
            location=self.file.where(error, written, self.checked[written]) if self.file else "",
        )


def _written(claim: Claim) -> str:
    return claim.claim or claim.count or claim.cost or claim.computes


def check_book(seed: int | None = None) -> Iterator[Result]:
    """Every statement of the documents, in the order of its chapters."""
    for name in book.CHAPTERS:
        yield from check_set(book.chapter(name), seed=seed)
