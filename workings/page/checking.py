"""What the Check page asks: formulas or a whole document, drawn and judged; in a worker's process.

A stranger's text is data: a document includes no file, and a class that it names is imported only
where the server was started with --trust.
"""

import tempfile
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import tomlkit

from workings.claims import book
from workings.claims.check import Checker, new_seed
from workings.claims.documents import read_document
from workings.claims.documents.check import DocumentCheck
from workings.claims.documents.deciding.decide import Known
from workings.claims.documents.finding import Checked, Finding
from workings.claims.documents.fix import fix
from workings.claims.documents.outline.outline import outline
from workings.claims.documents.outline.statements import Role
from workings.claims.kinds.number_claims import Models
from workings.claims.result import Result
from workings.claims.sets import Claim, ClaimSet, from_toml, from_values
from workings.claims.system.declare import Reader
from workings.errors import WorkingsError
from workings.page.drawn import drawn_or_why, in_signs, marked

SUFFIXES = {"markdown": ".md", "latex": ".tex"}
FORMULAS = ("claim", "count", "cost", "computes")  # of a claim, one of which it has
MOST_KNOWN = 2_000
BEFORE, STEPS = "(t-1)", 3  # the label of the step before; steps that a recursion goes through
known: Known = {}  # results of what has not changed since the last request
Part = dict[str, object]


def check(request: dict[str, object], trust: bool) -> Iterator[Part]:
    """First all formulas drawn, then a verdict at a time."""
    if len(known) > MOST_KNOWN:
        known.clear()
    kind = _text(request, "kind")
    if kind == "formulas":
        yield from _check_formulas(request, trust)
    elif kind == "claims":
        yield from _check_toml(_text(request, "text"), trust)
    elif kind in SUFFIXES:
        yield from _check_document(_text(request, "text"), SUFFIXES[kind])
    else:
        raise WorkingsError("formulas, claims, markdown or latex were expected")


def _text(request: dict[str, object], key: str) -> str:
    text = request.get(key, "")
    if not isinstance(text, str):
        raise WorkingsError(f"{key}: a text was expected")
    return text


def _lines(request: dict[str, object], key: str) -> dict[int, str]:
    """The lines of a field that say something, by their number."""
    lines = enumerate(_text(request, key).splitlines())
    return {number: line.strip() for number, line in lines if line.strip()}


def _check_formulas(request: dict[str, object], trust: bool) -> Iterator[Part]:
    symbols, problems = {}, []
    for number, line in _lines(request, "symbols").items():
        name, sign, shape = line.partition(":" if ":" in line else "=")
        if not sign or not shape.strip():
            problems.append((number, f"{line!r}: write the shape behind a colon, as in x: 1 x d"))
        else:
            symbols[name.strip()] = shape.strip().strip("\"'")
    equations, claims = _lines(request, "equations"), _lines(request, "claims")
    for number, why in problems:
        yield {"field": "symbols", "line": number, "why": why}
    words = {name for name in symbols if len(name) > 1}
    for field, lines in (("equations", equations), ("claims", claims)):
        for number, line in lines.items():
            yield {"field": field, "line": number, **drawn_or_why(line, words)}
    if problems or not claims:
        return
    values: Part = {
        "symbols": symbols,
        "equations": tuple(equations.values()),
        "claims": tuple({"claim": line} for line in claims.values()),
    }
    if _goes_through_time(symbols, equations.values()):
        values["steps"] = STEPS
    yield from _check_set(from_values(values, "formulas"), trust, dict(enumerate(claims)))


def _goes_through_time(symbols: Iterable[str], equations: Iterable[str]) -> bool:
    """Whether equations need what an earlier step has given, and no symbol stands for that."""
    return any(BEFORE in each for each in equations) and not any(BEFORE in name for name in symbols)


def _check_set(claim_set: ClaimSet, trust: bool, lines: dict[int, int]) -> Iterator[Part]:
    """lines: the line that each claim stands in, where it has one."""
    checker = Checker(claim_set, Models(trust), new_seed())
    reader = Reader(claim_set) if any(claim.claim for claim in claim_set.claims) else None
    yield {"claims": len(claim_set.claims)}
    for number, claim in enumerate(claim_set.claims):
        key = claim_set.model_copy(update={"claims": (claim,)}).model_dump_json()
        if key not in known:
            known[key] = checker.check(claim), checker.conventions.possible
        result, _ = known[key]
        words = reader.words if reader else ()
        functions = reader.functions if reader else ()
        yield {
            "claim": number,
            **({"line": lines[number]} if number in lines else {}),
            "name": claim.name,
            "statement": claim.statement,
            **judged(result, words, functions),
        }


def _check_toml(text: str, trust: bool) -> Iterator[Part]:
    """A set's verdicts, then the text with each wrong claim repaired, one by one."""
    claim_set = from_toml(text)
    for part in _check_set(claim_set, trust, {}):
        yield part
        repair = part.get("repair")
        if isinstance(repair, dict) and isinstance(part["claim"], int):
            number, formula = part["claim"], str(repair["formula"])
            if taken := toml_with(text, claim_set, number, formula):
                yield {"fixes": number, "text": taken}


def toml_with(text: str, claim_set: ClaimSet, number: int, formula: str) -> str:
    """A set's text with another formula in one claim; nothing where it would not say just that."""
    claims = list(claim_set.claims)
    key = next((each for each in FORMULAS if getattr(claims[number], each)), "")
    if not key:
        return ""
    document = tomlkit.parse(text)
    plain = not set("'\n") & set(formula)
    document["claims"][number][key] = tomlkit.string(formula, literal=plain)
    written = tomlkit.dumps(document)
    claims[number] = claims[number].model_copy(update={key: formula})
    wanted = claim_set.model_copy(update={"claims": tuple(claims)})
    return written if from_toml(written) == wanted else ""


def judged(result: Result, words: Collection[str] = (), functions: Collection[str] = ()) -> Part:
    """A verdict with all that is shown of it."""
    written = drawn_or_why(result.formula, words, functions)
    verdict = result.verdict
    part: Part = {
        "formula": result.formula,
        **written,
        "verdict": str(verdict),
        "tone": "right" if verdict.holds else "wrong" if verdict.is_wrong else "open",
        "why": first_line_of(result.why),
        "evidence": result.evidence.to_dict(),
        "reading": list(result.reading),
        "steps": [step.to_dict() for step in result.steps],
    }
    if result.repair:
        repaired = drawn_or_why(result.repair.formula, words, functions)
        before, after = marked(written.get("math", ""), repaired.get("math", ""))
        part["math"] = before or part.get("math", "")
        part["repair"] = {
            **result.repair.to_dict(),
            "formula": _as_author(result.repair.formula, result.formula),
            "changes": in_signs(result.repair.changes),
            "math": after,
        }
    return part


def first_line_of(text: str) -> str:
    """Without the caret that a terminal shows under a formula."""
    return text.partition("\n")[0]


def _as_author(repaired: str, written: str) -> str:
    """With the author's sign of the transpose."""
    for sign in ("^T", "^{T}", r"^{\top}"):
        if sign in written and r"^\top" not in written:
            return repaired.replace(r"^\top", sign)
    return repaired


def _check_document(text: str, suffix: str) -> Iterator[Part]:
    with tempfile.TemporaryDirectory() as folder:  # empty: there is nothing to include in it
        path = Path(folder).resolve() / f"text{suffix}"
        document = read_document(path, {path: text})
        seed = new_seed()
        check = DocumentCheck(outline(document), seed, known)
        statements = check.outline.statements
        yield {"claims": sum(each.role is Role.CLAIM for each in statements)}
        findings: list[Finding] = []
        for number in range(len(statements)):
            finding = check.finding(number)
            findings.append(finding)
            if part := _found(check, finding):
                yield {"claim": number, **part}
        for position, note in check.notes:
            yield {"note": note, "line": position.line - 1}
        # A repair as an edit of the author's own text, one by one: it is read again before.
        for number, finding in enumerate(findings):
            if finding.wrong and finding.result and finding.result.repair:
                others = [replace(each, result=None) for each in findings]
                others[number] = finding
                fixed = fix(Checked(document, others, [], seed), known)
                if fixed.texts:
                    yield {"fixes": number, "text": next(iter(fixed.texts.values()))}


def _found(check: DocumentCheck, finding: Finding) -> Part | None:
    """A statement of a document: where it stands, drawn, and the verdict if it is a claim."""
    statement = finding.statement
    if statement.role in (Role.SKIPPED, Role.MENTION):
        return None
    names, functions = check.definitions.words, check.definitions.functions
    shown = drawn_or_why(statement.text, names, functions)
    position = {"line": finding.position.line - 1, "role": str(statement.role)}
    if finding.result is None:
        return {**position, "formula": statement.text, **shown}
    inferred = {"inferred": finding.shapes} if finding.shapes else {}
    return {**position, **judged(replace(finding.result, formula=statement.text), names, functions),
            **inferred}  # fmt: skip


def examples() -> Iterator[list[Part]]:
    """The book, chapter by chapter: claims that can be shown as formulas, and their sets."""
    yield [
        {
            "name": name,
            "title": part.title,
            "claims": [
                {"name": claim.name, "statement": claim.statement, **_as_formulas(part, claim)}
                for claim in part.claims
            ],
        }
        for name in book.CHAPTERS
        for part in [book.chapter(name)]
    ]


def _as_formulas(part: ClaimSet, claim: Claim) -> Part:
    """A claim with what it rests on, as the fields of the page; else as TOML."""
    said = claim.model_dump(exclude_defaults=True, exclude={"name", "source", "statement", "ours"})
    if set(said) == {"claim"} and not part.steps and not part.sizes:
        return {
            "kind": "formulas",
            "symbols": "\n".join(f"{name}: {shape}" for name, shape in part.symbols.items()),
            "equations": "\n".join(part.equations),
            "claims": claim.claim,
        }
    alone = part.model_copy(update={"claims": (claim,)})
    values = alone.model_dump(mode="json", exclude_defaults=True)
    return {"kind": "claims", "text": tomlkit.dumps(values)}
