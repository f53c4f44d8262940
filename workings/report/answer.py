"""What a study found, in a sentence or two for somebody who has not seen a table yet."""

from workings.report.table import best_row, chance, lines, number, over_seeds, words
from workings.study.summary import RowSummary, StudySummary

LEVEL = 0.05  # a p-value below it counts as more than chance


def answer(study: StudySummary) -> str:
    """The best row, by how much and whether that may be chance; how the published figures stand."""
    said = [_rows(study) if study.rows else "", _parts(study), _claims(study)]
    return " ".join(part for part in said if part) or "There is nothing in this study yet."


def _rows(study: StudySummary) -> str:
    measured = [row for row in study.rows if over_seeds(row, study.file.metric)]
    if not measured:
        return "No row has a finished run yet: there is nothing to compare."
    best = best_row(study)
    said = [_best(study, best, measured) if best else _only(study, measured[0])]
    said += [_published(study), _missing(study)]
    return " ".join(part for part in said if part)


def _best(study: StudySummary, best: RowSummary, measured: list[RowSummary]) -> str:
    metric = study.file.metric
    means = {row.name: figure.mean for row in measured if (figure := over_seeds(row, metric))}
    others = [row for row in measured if row is not best]
    pick = min if study.lower_is_better else max
    second = pick(others, key=lambda row: means[row.name])
    top, next_ = means[best.name], means[second.name]
    most = "lowest" if study.lower_is_better else "highest"
    if top == next_:
        both = f"{named(best)} and {named(second)}"
        return f"{both} share the {most} {words(metric)}, {number(top)}."
    apart = f"{number(abs(next_ - top))}{_share(top, next_)}"
    side = "below" if top < next_ else "above"
    return (
        f"{named(best)} has the {most} {words(metric)}, {number(top)}: {apart} {side} "
        f"{'the next, ' if len(others) > 1 else ''}{named(second)}. "
        f"{_chance(best, second, metric)}"
    )


def named(row: RowSummary) -> str:
    """A row's name in a sentence: on one line, in quotes, not endless."""
    name = " ".join(row.name.split())
    return f"“{name if len(name) <= 80 else name[:79] + '…'}”"


def _share(top: float, next_: float) -> str:
    return f" ({abs(next_ - top) / abs(next_):.1%})" if next_ else ""


def _chance(best: RowSummary, second: RowSummary, metric: str) -> str:
    p = chance(best, second, metric)
    if p is None:
        return "With one seed each, it is not known whether that is more than chance."
    seeds = len(best.values(metric).keys() & second.values(metric).keys())
    shown = "p < 0.001" if p < 0.001 else f"p = {p:.3f}"
    if p < LEVEL:
        return f"Over {seeds} seeds that is more than chance ({shown})."
    return f"Over {seeds} seeds that may be chance ({shown})."


def _only(study: StudySummary, row: RowSummary) -> str:
    return f"{named(row)} has a {words(study.file.metric)} of {over_seeds(row, study.file.metric)}."


def _published(study: StudySummary) -> str:
    verdicts = [line.verdict for line in lines(study) if line.verdict]
    within = f"{study.file.tolerance:.1%}".replace(".0%", "%")
    if not verdicts:
        return ""
    agree = verdicts.count("agrees")
    if len(verdicts) == 1:
        if agree:
            return f"The one published figure agrees within {within}."
        return f"The one published figure does not agree within {within}: measured {verdicts[0]}."
    rest = [f"{n} measured {word}" for word in ("better", "worse") if (n := verdicts.count(word))]
    others = f" ({', '.join(rest)})" if rest else ""
    total = len(verdicts)
    how_many = f"{agree} of {total}" if agree < total else "Both" if total == 2 else f"All {total}"
    return f"{how_many} published figures agree within {within}{others}."


def _missing(study: StudySummary) -> str:
    open_ = sum(line.state != "finished" for line in lines(study))
    if not open_:
        return ""
    rows = "1 row is" if open_ == 1 else f"{open_} rows are"
    return f"{rows} not finished: this may change."


def _parts(study: StudySummary) -> str:
    if not study.parts:
        return ""
    done = sum(part.finished for part in study.parts)
    studies = "1 study" if len(study.parts) == 1 else f"{len(study.parts)} studies"
    state = "finished" if done == len(study.parts) else f"{done} of them finished"
    return f"{studies}, {state}; each answers its own question below."


def _claims(study: StudySummary) -> str:
    if not study.claims:
        return ""
    held = sum(holds(str(claim.get("verdict", ""))) for claim in study.claims)
    repaired = sum(bool(claim.get("repair")) for claim in study.claims)
    more = f"; {repaired} of the others come with a repair" if repaired else ""
    return f"Of {len(study.claims)} statements checked, {held} hold{more}."


def holds(verdict: str) -> bool:
    """Whether a verdict on a claim says that it holds."""
    return verdict == "holds" or verdict.startswith("holds and")
