"""What a study measured, in a sentence or two for somebody who has not seen a table yet."""

from workings.report.table import compare, lines, number, over_seeds, words
from workings.study.choice import Choice, choose, choosing_metric, leaders
from workings.study.statistics import FEWEST_SEEDS
from workings.study.summary import RowSummary, StudySummary

LEVEL = 0.05  # a p-value below it counts as more than chance


def answer(study: StudySummary) -> str:
    """Name the best row, by how much and with what p-value; how the published figures compare."""
    said = [_rows(study) if study.rows else "", _parts(study), _claims(study)]
    return " ".join(part for part in said if part) or "There is nothing in this study yet."


def _rows(study: StudySummary) -> str:
    measured = [row for row in study.rows if over_seeds(row, study.file.metric)]
    if not measured:
        return "No row has a finished run yet: there is nothing to compare."
    choice = choose(study)
    if choice:
        said = [_best(study, choice, [row for row in measured if row is not choice.row])]
    elif len(measured) == 1:
        said = [_only(study, measured[0])]
    else:
        said = [_tie(study)]
    said += [_published(study), _missing(study)]
    return " ".join(part for part in said if part)


def _best(study: StudySummary, choice: Choice, others: list[RowSummary]) -> str:
    """The chosen row beside the best of the others by the deciding metric."""
    metric, lower = study.file.metric, study.lower_is_better
    means = {row.name: figure.mean for row in others if (figure := over_seeds(row, metric))}
    second = (min if lower else max)(others, key=lambda row: means[row.name])
    top = over_seeds(choice.row, metric)
    assert top is not None  # only measured rows are chosen from
    mean, next_mean = top.mean, means[second.name]
    most = "lowest" if lower else "highest"
    said = f"{named(choice.row)} has the {most} {words(metric)}, {number(mean)}: "
    if choice.by_validation:
        said = f"Validation chooses {named(choice.row)}, with a {words(metric)} of {number(mean)}: "
    if mean == next_mean:
        return f"{said}that of {named(second)} is the same."
    next_one = f"{'the next, ' if len(others) > 1 else ''}{named(second)}"
    share = f" ({abs(next_mean - mean) / abs(next_mean):.1%})" if next_mean else ""
    apart = f"{number(abs(next_mean - mean))}{share} {'below' if mean < next_mean else 'above'}"
    if (mean < next_mean) == lower:
        said += f"{apart} {next_one}."
    else:
        said += f"{apart} {named(second)}, which is better on the test data but was not chosen."
    return f"{said} {_p_value(choice.row, second, metric)}"


def _tie(study: StudySummary) -> str:
    metric = choosing_metric(study)
    first = leaders(study)
    if not first:
        return f"No row is called the best: not every one has a {words(metric)} to choose by."
    figure = over_seeds(first[0], metric)
    assert figure is not None  # the leaders have it
    names = f"{', '.join(map(named, first[:-1]))} and {named(first[-1])}"
    most = "lowest" if study.lower_is_better else "highest"
    return f"{names} share the {most} {words(metric)}, {number(figure.mean)}."


def named(row: RowSummary) -> str:
    """A row's name in a sentence: on one line, in quotes, not endless."""
    name = " ".join(row.name.split())
    return f"“{name if len(name) <= 80 else name[:79] + '…'}”"


def _p_value(best: RowSummary, second: RowSummary, metric: str) -> str:
    test = compare(best, second, metric)
    if test.seeds < 2:
        return "With one seed each, it is not known whether that is more than chance."
    if test.seeds < FEWEST_SEEDS:
        return f"No p-value is given for {test.seeds} seeds: it may be chance."
    if test.p_value is None:
        return f"No p-value is given over {test.seeds} seeds: {test.why_not}."
    shown = "p < 0.001" if test.p_value < 0.001 else f"p = {test.p_value:.3f}"
    if test.p_value < LEVEL:
        return f"Over {test.seeds} seeds that is more than chance ({shown})."
    return f"Over {test.seeds} seeds that may be chance ({shown})."


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
    held = sum(claim.verdict.holds for claim in study.claims)
    repaired = sum(bool(claim.repair) for claim in study.claims)
    more = f"; {repaired} of the others come with a repair" if repaired else ""
    return f"Of {len(study.claims)} statements checked, {held} hold{more}."
