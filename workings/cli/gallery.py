"""`workings check --gallery`: the checker on equations of public notes, and docs/gallery.md."""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from workings.cli.shared import show

if TYPE_CHECKING:
    from workings.claims.gallery import Checked, Source

_HEAD = """# Gallery: equations of public notes, checked

Made by `workings check --gallery --page docs/gallery.md`. Formulas of public course notes and
books, as they stand, with the declarations that their text gives. Whether each is right was
decided by reading it in its place, before the checker saw it; how every wrong one is right was also
computed without this package. The data are in
`workings/claims/gallery`.
"""
WIDTH = 110  # of an example in a table, in characters


def check_gallery(page: Path | None, as_json: bool) -> int:
    """Check every statement; 1 if a verdict is not what reading found, else 0."""
    from workings.claims.gallery import check_entry, entries

    checked = [check_entry(entry) for entry in entries()]
    if page is not None:
        from workings.files import write_file

        write_file(page, gallery_page(checked).encode())
    if as_json:
        show.print_json([_row(each) for each in checked])
    else:
        for each in checked:
            if each.decided and not each.agrees:
                print(f"✗ {_verdict(each)}, found {_expected(each)}: {each.entry.place}")
                print(f"    {each.entry.statement.claim}")
        print(_counts(checked))
    return int(any(each.decided and not each.agrees for each in checked))


def gallery_page(checked: Sequence["Checked"]) -> str:
    """The page: counts, sources, what is wrong in them and how it is right, what was not read."""
    wrong = [each for each in checked if each.entry.statement.expected == "wrong"]
    false = [each for each in checked if each.decided and not each.agrees]
    verbatim = sum(each.entry.statement.verbatim for each in checked)
    parts = [_HEAD, f"**{_counts(checked)}** {verbatim} stand in their source word for word.", ""]
    parts += _sources(checked)
    if false:
        parts += ["", "## Verdicts that are not what reading found", ""]
        for each in false:
            parts += [f"- {_place(each)}: {_verdict(each)}, but it is {_expected(each)}: "]
            parts += [f"  `{each.entry.statement.claim}`"]
    purpose = sum(each.entry.statement.deliberate for each in wrong)
    parts += ["", f"## Wrong in the sources ({len(wrong)}, of which {purpose} on purpose)"]
    for each in wrong:
        parts += _wrong(each)
    parts += _not_read([each for each in checked if not each.decided])
    return "\n".join(parts) + "\n"


def _counts(checked: Sequence["Checked"]) -> str:
    decided = [each for each in checked if each.decided]
    agreed = sum(each.agrees for each in decided)
    return (
        f"{len(checked)} statements: {len(decided)} decided ({len(decided) / len(checked):.0%}), "
        f"{agreed} of them as reading found, {len(decided) - agreed} not; "
        f"{len(checked) - len(decided)} not read."
    )


def _sources(checked: Sequence["Checked"]) -> list[str]:
    lines = [
        "| source | licence | statements | decided | not read | wrong in the source |",
        "|---|---|---|---|---|---|",
    ]
    by_source: dict[str, list[Checked]] = defaultdict(list)
    for each in checked:
        by_source[each.entry.source.repository].append(each)
    for members in by_source.values():
        source: Source = members[0].entry.source
        decided = sum(each.decided for each in members)
        wrong = sum(each.entry.statement.expected == "wrong" for each in members)
        link = f"https://github.com/{source.repository}/tree/{source.commit}"
        lines.append(
            f"| {source.title}, [{source.repository}]({link}) | {source.licence} | {len(members)} "
            f"| {decided} | {len(members) - decided} | {wrong} |"
        )
    return lines


def _wrong(each: "Checked") -> list[str]:
    statement = each.entry.statement
    purpose = " (shown as wrong by its author)" if statement.deliberate else ""
    lines = ["", f"{_place(each)}{purpose}: {statement.note}.", "", *_display(statement.claim)]
    lines += ["", "Right:", "", *_display(statement.right), ""]
    lines.append(f"The checker: {_verdict(each)}.")
    if each.result is not None and each.result.repair is not None:
        lines += ["Its repair:", "", *_display(each.result.repair.formula)]
    return lines


def _not_read(unread: Sequence["Checked"]) -> list[str]:
    kinds = Counter(_kind(each.reason) for each in unread)
    lines = ["", f"## Not read ({len(unread)})", "", "| reason | statements | one of them |"]
    lines.append("|---|---|---|")
    for kind, count in kinds.most_common():
        example = next(each for each in unread if _kind(each.reason) == kind)
        formula = example.entry.statement.claim
        formula = formula if len(formula) <= WIDTH else formula[: WIDTH - 1] + "…"
        lines.append("| {} | {} | `{}` |".format(kind, count, formula.replace("|", "\\|")))
    return lines


def _kind(reason: str) -> str:
    """A reason without the names that it is about, so that those of one kind are counted together.

    >>> _kind("A_{:,i} is not declared (did you mean A?)")
    '… is not declared'
    """
    text = re.sub(r" ?\(.*|;.*", "", reason.partition("\n")[0].rpartition("': ")[2])
    text = re.sub(r"'[^']*'|`[^`]*`|\S*[\\_{}^|]\S*|\b[B-HJ-Zb-z]\b", "…", text)
    text = re.sub(r"…(?:[ ,:]*…)+", "…", text).strip(" :")
    return text.replace("|", "\\|") or "no reason was given"


def _place(each: "Checked") -> str:
    entry = each.entry
    file = entry.passage.file.replace(" ", "%20")
    line = f"#L{entry.statement.line}" if entry.statement.line else ""
    blob = f"https://github.com/{entry.source.repository}/blob/{entry.source.commit}/{file}{line}"
    return f"[{entry.place}]({blob})"


def _display(formula: str) -> list[str]:
    return ["$$", formula, "$$"]


def _verdict(each: "Checked") -> str:
    return str(each.result.verdict) if each.result is not None else "not read"


def _expected(each: "Checked") -> str:
    return each.entry.statement.expected


def _row(each: "Checked") -> dict[str, object]:
    statement = each.entry.statement
    return {
        "place": each.entry.place,
        "commit": each.entry.source.commit,
        "claim": statement.claim,
        "expected": statement.expected,
        "verdict": _verdict(each),
        "agrees": each.agrees,
        "reason": each.reason,
        "right": statement.right,
        "repair": each.result.repair.formula if each.result and each.result.repair else None,
    }
