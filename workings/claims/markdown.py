"""Verdicts as a page of Markdown, formulas as mathematics."""

from collections.abc import Sequence

from workings.claims.result import Result


def markdown(results: Sequence[Result], title: str = "The verdicts", about: str = "") -> str:
    """How many hold, a table of all, then each that does not hold with its evidence and repair.

    Readings of ours are counted apart from what the sources state. about: a paragraph of its own.
    """
    lines = [f"# {title}", "", *([about, ""] if about else []), counts(results), ""]
    lines += ["| statement | source | verdict |", "|---|---|---|"]
    for result in results:
        name = result.name if result.holds else f"[{result.name}](#{result.name.lower()})"
        lines.append(f"| {name} | {source(result)} | {result.verdict} |")
    for result in results:
        if not result.holds:
            lines += ["", *_entry(result)]
    return "\n".join(lines) + "\n"


def counts(results: Sequence[Result]) -> str:
    """How many statements hold; those of the sources apart from readings of ours."""
    stated = [result for result in results if not result.ours]
    ours = [result for result in results if result.ours]
    lines = []
    if stated or not ours:
        lines.append(f"{len(stated)} statements{' of the sources' * bool(ours)}: {_split(stated)}.")
    if ours:
        lines.append(f"{len(ours)} readings and statements of ours: {_split(ours)}.")
    return " ".join(lines)


def source(result: Result) -> str:
    """Where a statement comes from, and whether it is a reading of ours."""
    if not result.ours:
        return result.source
    return f"ours, on {result.source}" if result.source else "ours"


def _split(results: Sequence[Result]) -> str:
    holds = sum(result.holds for result in results)
    return f"{holds} hold, {len(results) - holds} do not"


def _entry(result: Result) -> list[str]:
    whose = source(result)
    lines = [f"## {result.name}", ""]
    lines += [f"{f'Source {whose}. ' if whose else ''}**{result.verdict}**."]
    if result.statement != result.formula:
        lines += ["", f"{result.statement[0].upper()}{result.statement[1:]}."]
    lines += _paragraph("Claimed", result.formula)
    if result.why:
        lines += ["", f"Evidence: {_code(result.why)}"]
    for number, step in enumerate(result.steps, start=1):
        lines += ["", f"Step {number}, {step.verdict}:", "", f"$${step.formula}$$"]
    if result.repair:
        lines += _paragraph("Repaired", result.repair.formula)
        lines += ["", f"What changed: {_code(result.repair.changes)}"]
    return lines


def _paragraph(word: str, text: str) -> list[str]:
    return ["", f"{word}:", "", f"$${text}$$"] if "\\" in text else ["", f"{word}: {text}"]


def _code(text: str) -> str:
    return f"`{text}`" if "\\" in text else text
