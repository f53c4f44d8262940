"""What a study measured, in a sentence or two for somebody who has not seen a table yet."""

import statistics

from workings.report.table import Line, lines, number, over_seeds, p_words, rests_on, span
from workings.study.choice import Ranking, rankings
from workings.study.compare import Compared, compare
from workings.study.metric_names import words
from workings.study.statistics import LEVEL, Comparison
from workings.study.summary import RowSummary, StudySummary

COVERED = "the measured interval covers what was published"


def answer(study: StudySummary) -> str:
    """Name the best row, by how much and on what ground; how the published figures compare."""
    said = [_rows(study) if study.rows else "", _parts(study), _claims(study)]
    return " ".join(part for part in said if part) or "There is nothing in this study yet."


def _rows(study: StudySummary) -> str:
    ranked = rankings(study)
    if not ranked:
        return "No row has a finished run yet: there is nothing to compare."
    said = []
    if len(ranked) > 1:
        said.append(
            f"The rows are of {len(ranked)} groups that are not ranked together: their test "
            "examples, their units or the ways they were measured differ."
        )
    for ranking in ranked:
        if len(ranking.rows) == 1:
            said += [_only(study, ranking.rows[0])] if len(ranked) == 1 else []
        elif len(ranking.chosen) == 1:
            said.append(_best(study, ranking))
        else:
            said.append(_tie(study, ranking))
    said += [_published(study), _missing(study)]
    return " ".join(part for part in said if part)


def _best(study: StudySummary, ranking: Ranking) -> str:
    """The chosen row beside the best of the others by the deciding metric."""
    metric, lower, chosen = study.file.metric, study.lower_is_better, ranking.chosen[0]
    others = [row for row in ranking.rows if row is not chosen]
    means = {row.name: statistics.fmean(row.values(metric).values()) for row in ranking.rows}
    second = (min if lower else max)(others, key=lambda row: means[row.name])
    mean, next_mean = means[chosen.name], means[second.name]
    compared = compare(study)
    figure = f"{number(mean)}{_within(compared[chosen.name])}"
    most = "lowest" if lower else "highest"
    said = f"{named(chosen)} has the {most} {words(metric)}, {figure}: "
    if ranking.by_validation:
        said = f"Validation chooses {named(chosen)}, with a {words(metric)} of {figure}: "
    if mean == next_mean:
        return f"{said}that of {named(second)} is the same."
    next_one = f"{'the next, ' if len(others) > 1 else ''}{named(second)}"
    share = f" ({abs(next_mean - mean) / abs(next_mean):.1%})" if next_mean else ""
    apart = f"{number(abs(next_mean - mean))}{share} {'below' if mean < next_mean else 'above'}"
    if (mean < next_mean) == lower:
        said += f"{apart} {next_one}."
    else:
        said += f"{apart} {named(second)}, which is better on the test data but was not chosen."
    return f"{said} {chance(compared[second.name])}"


def _within(compared: Compared) -> str:
    if compared.interval is None:
        return ""
    return f" (95%: {span(compared.interval)}, over {compared.rests_on})"


def chance(compared: Compared) -> str:
    """Whether the difference from the best row is more than chance: over seeds, over examples."""
    by_seeds, by_examples = compared.seeds, compared.examples
    assert by_seeds is not None  # of a row that is compared with the best
    assert by_examples is not None
    said = []
    if by_seeds.p_value is not None:
        said.append(f"Over {rests_on(by_seeds)} that {_judged(by_seeds)}.")
    if by_examples.p_value is not None:
        models = "these two trained models" if by_examples.seeds == 1 else "these trained models"
        said.append(
            f"On the same {rests_on(by_examples)} the difference between {models} "
            f"{_judged(by_examples)}."
        )
    if by_seeds.p_value is None:
        seeds = "one seed" if by_seeds.count == 1 else f"{by_seeds.count} seeds"
        if by_seeds.count >= 3:
            said.append(f"No p-value is given over {seeds}: {by_seeds.why_not}.")
        else:
            said.append(f"Whether other seeds would show it, {seeds} cannot tell.")
    if by_examples.p_value is None and by_examples.count:
        said.append(f"Over {rests_on(by_examples)} no p-value is given: {by_examples.why_not}.")
    return " ".join(said)


def _judged(test: Comparison) -> str:
    p_value = test.p_value if test.corrected is None else test.corrected
    assert p_value is not None
    judged = "is more than chance" if p_value < LEVEL else "may be chance"
    corrected = "" if p_value == test.p_value else " with Holm's correction"
    return f"{judged} ({test.test}, {p_words(test)}{corrected})"


def _tie(study: StudySummary, ranking: Ranking) -> str:
    if not ranking.chosen:
        metric = words(ranking.metric)
        if not all(row.values(ranking.metric) for row in ranking.rows):
            return f"No row is called the best: not every one has a {metric} to choose by."
        return f"No row is called the best: fewer than two have a {metric} of each of their seeds."
    figure = over_seeds(ranking.chosen[0], ranking.metric)
    assert figure is not None  # the chosen ones have it
    names = f"{', '.join(map(named, ranking.chosen[:-1]))} and {named(ranking.chosen[-1])}"
    most = "lowest" if study.lower_is_better else "highest"
    return f"{names} share the {most} {words(ranking.metric)}, {number(figure.mean)}."


def named(row: RowSummary) -> str:
    """A row's name in a sentence: on one line, in quotes, not endless."""
    name = " ".join(row.name.split())
    return f"“{name if len(name) <= 80 else name[:79] + '…'}”"


def _only(study: StudySummary, row: RowSummary) -> str:
    figure = over_seeds(row, study.file.metric)
    within = _within(compare(study)[row.name])
    return f"{named(row)} has a {words(study.file.metric)} of {figure}{within}."


def _published(study: StudySummary) -> str:
    """How many of all published figures agree, whichever metric they are of."""
    beside = [each for line in lines(study) for each in line.beside.values()]
    verdicts = [each.verdict for each in beside if each.verdict]
    within = f"{study.file.tolerance:.1%}".replace(".0%", "%")
    if not verdicts:
        return ""
    agree, total = verdicts.count("agrees"), len(verdicts)
    left = sum(not each.verdict for each in beside)
    open_ = f" {left} more {'is' if left == 1 else 'are'} not compared." if left else ""
    open_ += _without_interval([each.no_interval for each in beside if each.no_interval], total)
    if total == 1:
        if agree:
            return f"The one published figure agrees within {within}.{open_}"
        if verdicts == ["undecided"]:
            return f"Whether the one published figure differs is undecided: {COVERED}.{open_}"
        measured = f"measured {verdicts[0]}" if verdicts[0] != "differs" else "it differs"
        return f"The one published figure does not agree within {within}: {measured}.{open_}"
    rest = [f"{n} measured {word}" for word in ("better", "worse") if (n := verdicts.count(word))]
    rest += [f"{n} undecided: {COVERED}" for n in [verdicts.count("undecided")] if n]
    rest += [f"{n} {'differs' if n == 1 else 'differ'}" for n in [verdicts.count("differs")] if n]
    others = f" ({', '.join(rest)})" if rest else ""
    how_many = f"{agree} of {total}" if agree < total else "Both" if total == 2 else f"All {total}"
    return f"{how_many} published figures agree within {within}{others}.{open_}"


def _without_interval(runs: list[str], total: int) -> str:
    """That verdicts rest on so few runs that no interval says how far others may be from them."""
    if not runs:
        return ""
    rest_on = f"{runs[0] if len(set(runs)) == 1 else 'a few runs'}, without an interval"
    if len(runs) == total:
        return f" {'That rests' if total == 1 else 'These verdicts rest'} on {rest_on}."
    return f" {len(runs)} of these verdicts rest{'s' if len(runs) == 1 else ''} on {rest_on}."


def _missing(study: StudySummary) -> str:
    """Rows that say nothing yet, or never will: a model that diverged has no figure."""
    table, metric = lines(study), study.file.metric
    said = []
    if open_ := sum(line.state != "finished" for line in table):
        rows = "1 row is" if open_ == 1 else f"{open_} rows are"
        said.append(f"{rows} not finished: this may change.")
    without = [row for row, line in zip(study.rows, table, strict=True) if _is_empty(line, metric)]
    if without:
        names = ", ".join(map(named, without))
        said.append(f"{names}: finished without a finite {words(metric)}.")
    partly = [row for row in study.rows if row.values(metric) and row.without(metric)]
    if partly:
        names = ", ".join(map(named, partly))
        said.append(
            f"{names}: some seeds finished without a finite {words(metric)}; the mean of the "
            "others is not compared."
        )
    return " ".join(said)


def _is_empty(line: Line, metric: str) -> bool:
    return line.state == "finished" and metric not in line.figures


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
