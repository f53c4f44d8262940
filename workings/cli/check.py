"""`workings check`: formulas, counts and costs against the live model."""

import random
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from workings.cli.shared import show
from workings.cli.shared.options import LARGEST_SEED, Json, Trust
from workings.errors import WorkingsError
from workings.names import escaped

if TYPE_CHECKING:
    from workings.claims.result import Result


def add_to(app: typer.Typer) -> None:
    """Make the command known to the app."""
    app.command()(check)


def check(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[FILE|NAME]...",
            help="A document (.tex, .md, .ipynb), a TOML file, a Markdown file with ```claims "
            "blocks, or a shipped chapter or entry.",
        ),
    ] = None,
    book: Annotated[bool, typer.Option("--book", help="Every shipped statement.")] = False,
    gallery: Annotated[
        bool, typer.Option("--gallery", help="Equations of public notes, with what reading found.")
    ] = False,
    listed: Annotated[bool, typer.Option("--list", help="The names of shipped claims.")] = False,
    page: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write the verdicts as Markdown.")
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=LARGEST_SEED,
            help="Of the random draws, to repeat a run; another one each time if not given.",
        ),
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Also show how every formula was read.")
    ] = False,
    trust: Trust = False,
    form: Annotated[
        str, typer.Option("--format", help="Of documents: text, github, sarif or json.")
    ] = "text",
    fix: Annotated[
        bool, typer.Option("--fix", help="Write repaired documents, as NAME.fixed.tex.")
    ] = False,
    in_place: Annotated[
        bool, typer.Option("--in-place", help="Write repairs into the documents themselves.")
    ] = False,
    watch: Annotated[bool, typer.Option(help="Check documents again when they change.")] = False,
    as_json: Json = False,
) -> None:
    """Check formulas, counts and costs against the live model; a wrong one comes back repaired.

    Exit code 0: every claim of the files holds; 1: one is wrong; 3: none is wrong, but some were
    not read; 2: a file cannot be read.
    """
    if names and (listed or gallery):
        raise WorkingsError("--list and --gallery show what is shipped: leave out the names")
    if listed:
        return _list(as_json)
    if gallery:
        from workings.cli.gallery import check_gallery

        raise typer.Exit(check_gallery(page, as_json))
    if book == bool(names):
        raise WorkingsError("give files or names to check, or --book for every shipped statement")
    seed = random.SystemRandom().randrange(1, 10**6) if seed is None else seed
    only = _OnDocuments(form, fix, in_place, watch, explain, as_json)
    _refuse_page_of_documents(page, names or [])
    names, document_code = _documents(names or [], only, seed)
    if not names and not book:
        raise typer.Exit(document_code)
    start = time.monotonic()
    results = []
    for result in _results(names or [], trust, seed):
        results.append(result)
        if not as_json:
            _show(result, explain)
    if page is not None:
        from workings.claims.book import ABOUT, TITLE
        from workings.claims.markdown import markdown
        from workings.files import write_file

        title, about = (TITLE, ABOUT) if book else ("Claims", "")
        write_file(page, markdown(results, title, about).encode())
    if as_json:
        show.print_json([result.to_dict() for result in results])
    else:
        show.say(f"\n{_summary(results)} ({time.monotonic() - start:.1f} s, --seed {seed})")
    if names and any(result.verdict.is_wrong for result in results):
        raise typer.Exit(1)
    unread = names and not all(result.verdict.is_given for result in results)
    if document_code or unread:
        raise typer.Exit(document_code or 3)
    return None


@dataclass(frozen=True)
class _OnDocuments:
    """What the command was asked to do with documents."""

    form: str
    fix: bool
    in_place: bool
    watch: bool
    explain: bool
    as_json: bool


def _refuse_page_of_documents(page: Path | None, names: list[str]) -> None:
    from workings.claims.documents import is_document

    if page is not None and names and all(map(is_document, names)):
        raise WorkingsError("--page is for sets of claims and --book; documents have --format")


def _documents(names: list[str], asked: _OnDocuments, seed: int) -> tuple[list[str], int]:
    """Check those names that are documents; the other names, and the exit code so far."""
    from workings.claims.documents import is_document
    from workings.cli.check_documents import check_documents, watch_documents

    documents = [Path(name) for name in names if is_document(name)]
    if not documents:
        if asked.fix or asked.in_place or asked.watch or asked.form != "text":
            options = "--fix, --in-place, --watch and --format"
            raise WorkingsError(f"{options} are for documents (.tex, .md …)")
        return names, 0
    from workings.claims.documents.formats import Format

    try:
        chosen = Format.JSON if asked.as_json else Format(asked.form)
    except ValueError:
        raise WorkingsError(
            f"--format {asked.form}: one of {', '.join(Format)} was expected"
        ) from None
    if asked.watch:
        if asked.fix or asked.in_place:
            raise WorkingsError("--watch only checks: write the repairs with --fix without it")
        watch_documents(documents, chosen, seed)
    code = check_documents(documents, chosen, seed, asked.fix, asked.in_place, asked.explain)
    return [name for name in names if Path(name) not in documents], code


def _summary(results: list["Result"]) -> str:
    holds = sum(result.holds for result in results)
    wrong = sum(result.verdict.is_wrong for result in results)
    counts = [f"{holds} hold", f"{wrong} do not"]
    for word in ("trivial", "not read", "undecided"):
        if number := sum(result.verdict == word for result in results):
            counts.append(f"{number} {'are' if number > 1 else 'is'} {word}")
    return f"{len(results)} claim{'s' * (len(results) != 1)}: {', '.join(counts)}"


def _results(names: list[str], trust: bool, seed: int) -> Iterator["Result"]:
    from workings.claims.check import check_book, check_set, file_of, find

    if not names:
        yield from check_book(seed)
    for name, claim_set in [(path, each) for path in names for each in find(path)]:
        yield from check_set(claim_set, trust, seed, file_of(name))


def _show(result: "Result", explain: bool) -> None:
    """A verdict as it comes, with its evidence and its repair under it."""
    is_wrong = result.verdict.is_wrong
    mark = "✓" if result.holds else "✗" if is_wrong else "?" if not result.verdict.is_given else "="
    green, yellow, red = "32", "33", "31"
    colour = green if result.holds else red if is_wrong and not result.verdict.nearly else yellow
    verdict = f"{mark} {result.verdict}"
    shown = f"\033[{colour}m{verdict}\033[0m" if sys.stdout.isatty() else verdict
    pad = " " * max(1, 30 - len(verdict))
    source = "; ".join(["ours"] * result.ours + [result.source] * bool(result.source))
    source = f"  [{source}]" if source else ""
    print(f"{shown}{pad}{escaped(_cut(result.name) + source)}", flush=True)
    for line in result.reading if explain else ():
        show.say(f"    read       {line}")
    if result.holds:
        if (
            result.evidence.convention
            or result.evidence.never_taken
            or result.evidence.except_where
        ):
            show.say(f"    evidence   {result.why}")
        return
    if result.statement not in (result.name, result.formula):
        show.say(f"    says       {result.statement}")
    if result.formula != result.name:
        show.say(f"    claimed    {result.formula}")
    if result.location:
        show.say(f"    at         {result.location}")
    for line in result.why.splitlines():
        show.say(f"    evidence   {line}")
    for number, step in enumerate(result.steps, start=1):
        show.say(f"    step {number}     {step.verdict}: {step.formula}")
    _show_repair(result)


def _show_repair(result: "Result") -> None:
    repair = result.repair
    if repair is None:
        if result.verdict.is_wrong and not result.verdict.nearly:
            show.say("    repaired   no formula near it was found to be right")
        return
    show.say(f"    repaired   {repair.formula}")
    show.say(f"    changed    {repair.changes}")
    if repair.verified_draws:
        show.say(
            f"    verified   at {repair.verified_draws} fresh draws of other sizes, "
            f"{repair.candidates:,} formulas tried"
        )


def _cut(name: str) -> str:
    return name if len(name) <= 90 else name[:89] + "…"


def _list(as_json: bool) -> None:
    from workings.claims import book

    chapters = {name: book.chapter(name) for name in book.CHAPTERS}
    if as_json:
        entries = {name: [claim.name for claim in part.claims] for name, part in chapters.items()}
        return show.print_json(entries)
    for name, part in chapters.items():
        show.say(f"{name}: {part.title}")
        for claim in part.claims:
            show.say(f"    {claim.name}")
    return None
