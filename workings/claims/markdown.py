"""Verdicts as a page of Markdown, formulas as mathematics."""

from collections.abc import Sequence

from workings.claims.result import Result


def markdown(results: Sequence[Result], title: str = "The verdicts") -> str:
    """A table of all, then each that does not hold with its evidence and repair."""
    holds = sum(result.holds for result in results)
    lines = [
        f"# {title}",
        "",
        f"{len(results)} statements: {holds} hold, {len(results) - holds} do not.",
        "",
        "| statement | source | verdict |",
        "|---|---|---|",
    ]
    for result in results:
        name = result.name if result.holds else f"[{result.name}](#{result.name.lower()})"
        lines.append(f"| {name} | {result.source} | {result.verdict} |")
    for result in results:
        if not result.holds:
            lines += ["", *_entry(result)]
    return "\n".join(lines) + "\n"


def _entry(result: Result) -> list[str]:
    lines = [f"## {result.name}", ""]
    lines += [f"Source {result.source}. **{result.verdict}**."]
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
