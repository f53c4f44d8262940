"""Findings as text for people, as GitHub's annotations, as SARIF and as JSON for programs."""

import json
from collections.abc import Mapping, Sequence
from enum import StrEnum

from workings.claims.documents.files.sources import Position
from workings.claims.documents.finding import Checked, Finding
from workings.claims.documents.outline.squares import as_written
from workings.claims.documents.outline.statements import Role
from workings.formula.printing.latex import plain_latex

MOST_PLACES = 12  # of one kind that a summary names


class Format(StrEnum):
    """How findings are written."""

    TEXT = "text"
    GITHUB = "github"
    SARIF = "sarif"
    JSON = "json"


def exit_code(checked: Sequence[Checked]) -> int:
    """0: every claim holds; 1: one is wrong; 3: none is wrong, but one was not read."""
    if any(each.wrong for each in checked):
        return 1
    return 3 if any(each.not_read for each in checked) else 0


def message(finding: Finding) -> str:
    """The verdict and its reason, in a line."""
    assert finding.result is not None
    why = finding.result.why
    return as_written(f"{finding.verdict}: {why}" if why else str(finding.verdict))


def as_text(finding: Finding, caret: bool = False, explain: bool = False) -> str:
    """A finding as compilers write theirs; with a caret under the author's own line.

    explain: with how the formula was read.
    """
    if finding.result is None:
        return f"{finding.position}: {_made_of(finding)}\n    {_short(finding.statement.text)}"
    lines = [f"{finding.position}: {message(finding)}"]
    if caret:
        source = finding.document.sources.line_at(finding.offset).rstrip("\r")
        start = max(0, finding.position.column - 60)
        shown = source[start : start + 100].replace("\t", " ")
        lines += [f"    {shown}", "    " + " " * (finding.position.column - 1 - start) + "^"]
    else:
        lines.append(f"    {_short(finding.statement.text)}")
    if explain:
        lines += [f"    read       {line}" for line in finding.result.reading]
    if finding.wrong or explain:
        lines += _evidence(finding)
    return "\n".join(lines)


def _made_of(finding: Finding) -> str:
    """What a statement is that has no verdict."""
    statement = finding.statement
    if statement.role in (Role.DEFINITION, Role.MENTION):
        where = " in the running text" if statement.role is Role.MENTION else ""
        return f"defines {_name(finding)}{where}"
    return f"not checked: {statement.why}" if statement.why else str(statement.role)


def _evidence(finding: Finding) -> list[str]:
    assert finding.result is not None
    lines = []
    if finding.shapes:
        shapes = ", ".join(f"{name} {shape}" for name, shape in finding.shapes.items())
        lines.append(f"    inferred   {shapes}")
    if repair := finding.result.repair:
        lines += [f"    repaired   {repair.formula}", f"    changed    {repair.changes}"]
    return [as_written(line) for line in lines]


def summary(checked: Sequence[Checked]) -> str:
    """How many claims hold, are wrong or were not read; then all that was not checked, and why."""
    findings = [finding for each in checked for finding in each.findings]
    wrong = sum(finding.wrong for finding in findings)
    not_read = sum(finding.not_read for finding in findings)
    holds = sum(bool(finding.result and finding.result.holds) for finding in findings)
    trivial = sum(finding.verdict == "trivial" for finding in findings)
    defined = sum(len(each.defined) for each in checked)
    claims = wrong + not_read + holds + trivial
    parts = [f"{holds} hold", f"{wrong} wrong", f"{not_read} not read"]
    parts += [f"{trivial} trivial"] if trivial else []
    lines = [line for each in checked for line in passed_over(each)]
    lines.append(
        f"{_count(len(checked), 'document')}, {_count(defined, 'definition')}, "
        f"{_count(claims, 'claim')}: {', '.join(parts)}"
    )
    return "\n".join(lines)


def passed_over(checked: Checked) -> list[str]:
    """What a document has that is no claim: definitions, and what is not checked."""
    lines = []
    path = checked.document.path
    if checked.defined:
        names = [_name(each) for each in checked.defined]
        shown = _places(checked.defined, names)
        lines.append(f"{path}: {_count(len(names), 'equation')} defined: {shown}")
    reasons: dict[str, list[Finding]] = {}
    for finding in checked.not_checked:
        reasons.setdefault(finding.statement.why, []).append(finding)
    for why, found in reasons.items():
        lines.append(f"{path}: {len(found)} not checked, {why}: {_places(found)}")
    if checked.in_sentences:
        number = _count(checked.in_sentences, "equation")
        lines.append(f"{path}: {number} in the running text not checked: there, only numbers are")
    return lines


def _name(finding: Finding) -> str:
    """What a definition gives a name to, as it is written."""
    statement = finding.statement
    name = plain_latex(statement.name) if statement.name else statement.row.sides[0].text.text
    return as_written(name)


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"


def _places(findings: Sequence[Finding], names: Sequence[str] = ()) -> str:
    """The lines of findings, the first of them."""
    lines = []
    for finding in findings[:MOST_PLACES]:
        position = finding.position
        lines.append(f"{position.cell}:{position.line}" if position.cell else str(position.line))
    if names:
        shown = [f"{name} (line {line})" for name, line in zip(names, lines, strict=False)]
    else:
        shown = [f"line {lines[0]}", *lines[1:]]
    more = len(findings) - len(shown)
    return ", ".join([*shown, f"and {more} more"] if more else shown)


def as_github(checked: Checked) -> list[str]:
    """GitHub's workflow commands, which show as annotations beside the changed lines."""
    lines = []
    for finding in checked.claims:
        if finding.wrong or finding.not_read:
            level = "error" if finding.wrong else "warning"
            text = message(finding)
            if finding.wrong and finding.result and finding.result.repair:
                text += as_written(f"; repaired: {finding.result.repair.formula}")
            lines.append(_annotation(level, finding.position, text))
    lines += [_annotation("notice", position, text) for position, text in checked.notes]
    return lines


def _annotation(level: str, position: Position, text: str) -> str:
    escaped = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    path = str(position.path)
    for char, code in (("%", "%25"), ("\n", "%0A"), (":", "%3A"), (",", "%2C")):
        path = path.replace(char, code)
    return f"::{level} file={path},line={position.line},col={position.column}::{escaped}"


def to_dict(finding: Finding) -> dict[str, object]:
    """A finding as JSON has it."""
    position = finding.position
    place: dict[str, object] = {
        "file": str(position.path),
        "line": position.line,
        "column": position.column,
    }
    if position.cell:
        place["cell"] = position.cell
    found: dict[str, object] = {
        **place,
        "role": str(finding.statement.role),
        "text": as_written(finding.statement.text),
    }
    if finding.result is not None:
        result = finding.result.to_dict()
        kept = ("verdict", "evidence", "repair", "steps")
        found |= {key: _shown(result[key]) for key in kept if key in result}
        found["inferred"] = finding.shapes
    elif finding.statement.why:
        found["why"] = finding.statement.why
    return found


def _shown(value: object) -> object:
    """A part of a result with all names as the author writes them."""
    if isinstance(value, str):
        return as_written(value)
    if isinstance(value, Mapping):
        return {key: _shown(each) for key, each in value.items()}
    return [_shown(each) for each in value] if isinstance(value, list | tuple) else value


def as_json(checked: Sequence[Checked]) -> str:
    """All findings of all documents, one object each, and the notes."""
    content = {
        "findings": [to_dict(finding) for each in checked for finding in each.findings],
        "notes": [
            {"position": str(position), "message": text}
            for each in checked
            for position, text in each.notes
        ],
        "seeds": {str(each.document.path): each.seed for each in checked},
    }
    return json.dumps(content, indent=2, ensure_ascii=False)


def as_sarif(checked: Sequence[Checked]) -> str:
    """SARIF 2.1.0, which editors and code hosts read."""
    results = [
        _sarif_result(finding)
        for each in checked
        for finding in each.claims
        if finding.wrong or finding.not_read
    ]
    rules = sorted({str(result["ruleId"]) for result in results})
    driver = {
        "name": "workings",
        "rules": [{"id": rule, "shortDescription": {"text": rule}} for rule in rules],
    }
    log = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
        ],
    }
    return json.dumps(log, indent=2, ensure_ascii=False)


def _sarif_result(finding: Finding) -> dict[str, object]:
    position = finding.position
    text = message(finding)
    if finding.wrong and finding.result and finding.result.repair:
        text += as_written(f"; repaired: {finding.result.repair.formula}")
    region = {"startLine": position.line, "startColumn": position.column}
    location = {
        "physicalLocation": {
            "artifactLocation": {"uri": position.path.as_posix()},
            "region": region,
        }
    }
    return {
        "ruleId": str(finding.verdict),
        "level": "error" if finding.wrong else "note",
        "message": {"text": text},
        "locations": [location],
    }


def _short(text: str) -> str:
    line = as_written(" ".join(text.split()))
    return line if len(line) <= 120 else line[:119] + "…"
