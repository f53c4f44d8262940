"""Checking a whole set: every claim by its kind."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from workings.claims import book
from workings.claims.declare import Reader
from workings.claims.equations import System
from workings.claims.formula_claims import FormulaCheck
from workings.claims.number_claims import check_number
from workings.claims.result import Report, Result
from workings.claims.sets import Claim, ClaimSet, from_markdown, from_toml, from_values, read
from workings.claims.string_claims import check_same
from workings.errors import WorkingsError


def check(
    source: str | Path | Mapping[str, Any] | ClaimSet | None = None,
    *,
    symbols: Mapping[str, str] | None = None,
    equations: Sequence[str] = (),
    claims: Sequence[str | Mapping[str, Any]] = (),
    sizes: Mapping[str, int | str] | None = None,
    steps: int = 0,
) -> Report:
    r"""The verdict on every claim of a file, a shipped chapter, or of what is given here.

    >>> workings.check(
    ...     symbols={"x": "1 x d", "W": "d x k", "y": "1 x k"},
    ...     equations=[r"E = \frac{1}{2} \|x W - y\|^2"],
    ...     claims=[r"\frac{\partial E}{\partial W} = x^T (x W - y)"],
    ... )
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
    else:
        sets = find(str(source))
    return Report([result for each in sets for result in check_set(each)])


def find(name: str) -> list[ClaimSet]:
    """What contains a slash or ends in .toml or .md is a path; else a chapter or an entry."""
    if "\n" in name:
        return [from_markdown(name, "claims") if "```" in name else from_toml(name)]
    if "/" in name or name.endswith((".toml", ".md", ".markdown")):
        return [read(Path(name))]
    return book.find(name)


def check_set(given: ClaimSet) -> Iterator[Result]:
    reader = Reader(given)
    system = reader.system()
    if system.equations:
        system.run(system.draw(0))  # so that sizes that contradict are an error, used or not
    for claim in given.claims:
        yield _check(claim, reader, system, given)


def _check(claim: Claim, reader: Reader, system: System, given: ClaimSet) -> Result:
    try:
        if claim.same:
            found = check_same(claim)
        elif claim.count or claim.cost or claim.parameter:
            found = check_number(claim)
        else:
            found = FormulaCheck(reader, system, claim).check()
    except WorkingsError as error:
        name = claim.name or claim.claim or claim.count or claim.cost
        place = f"{name}: " if claim.name and claim.name not in str(error) else ""
        raise WorkingsError(f"{place}{error}") from None
    written = claim.claim or claim.count or claim.cost or " = ".join(claim.same)
    return replace(found, source=found.source or given.source, formula=written)


def check_book() -> Iterator[Result]:
    """Every statement of the documents, in the order of its chapters."""
    for name in book.CHAPTERS:
        yield from check_set(book.chapter(name))
