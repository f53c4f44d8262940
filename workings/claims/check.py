"""Checking whole sets: every claim by its kind."""

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from workings.claims import book
from workings.claims.computes import check_computes
from workings.claims.declare import Reader
from workings.claims.equations import System
from workings.claims.formula_claims import check_formula
from workings.claims.number_claims import Models, check_number
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
    trust: bool = False,
) -> Report:
    r"""The verdict on every claim of a file, a shipped chapter, or of what is given here.

    >>> workings.check(
    ...     symbols={"x": "1 x d", "W": "d x k", "y": "1 x k"},
    ...     equations=[r"E = \frac{1}{2} \|x W - y\|^2"],
    ...     claims=[r"\frac{\partial E}{\partial W} = x^T (x W - y)"],
    ... )

    trust: import the classes that claims name as their model, `package.module:Class`.
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
    return Report([result for each in sets for result in check_set(each, trust)])


def find(name: str) -> list[ClaimSet]:
    """What contains a slash or ends in .toml or .md is a path; else a chapter or an entry."""
    if "\n" in name:
        return [from_markdown(name, "claims") if "```" in name else from_toml(name)]
    if "/" in name or name.endswith((".toml", ".md", ".markdown")):
        return [read(Path(name))]
    return book.find(name)


def check_set(claim_set: ClaimSet, trust: bool = False) -> Iterator[Result]:
    """The verdict on every claim of a set; classes that they name are imported where trusted."""
    equations = functools.cache(lambda: _equations(claim_set))
    for claim in claim_set.claims:
        result = _check(claim, claim_set, equations, Models(trust))
        source = result.source or claim_set.source
        yield replace(result, source=source, ours=claim.ours)


def _equations(claim_set: ClaimSet) -> tuple[Reader, System]:
    """The set's equations, once a claim is about them: those of a module have other names."""
    reader = Reader(claim_set)
    system = reader.system()
    if system.equations:
        system.run(system.draw(0))  # so that sizes that contradict are an error, used or not
    return reader, system


def _check(
    claim: Claim,
    claim_set: ClaimSet,
    equations: Callable[[], tuple[Reader, System]],
    models: Models,
) -> Result:
    try:
        if claim.same:
            return check_same(claim)
        if claim.computes:
            return check_computes(claim, claim_set, models.live(claim, claim_set))
        if claim.count or claim.cost or claim.parameter:
            return check_number(claim, models)
        return check_formula(*equations(), claim)
    except WorkingsError as error:
        prefix = f"{claim.name}: " if claim.name and claim.name not in str(error) else ""
        raise WorkingsError(f"{prefix}{error}") from None


def check_book() -> Iterator[Result]:
    """Every statement of the documents, in the order of its chapters."""
    for name in book.CHAPTERS:
        yield from check_set(book.chapter(name))
