"""What stands beside a study's table: words for its columns, and all that repeats its figures."""

import json
import statistics
from collections.abc import Iterator
from typing import TypedDict

from workings.report.table import group_name, number, rests_on, shown
from workings.run.config import Values
from workings.run.folder.records import Result
from workings.study import blocks
from workings.study.choice import rankings
from workings.study.compare import compare
from workings.study.metric_names import VARIANTS, parts, words
from workings.study.row_examples import CONSECUTIVE, OWN_EXAMPLES
from workings.study.statistics import Comparison
from workings.study.summary import RowSummary, StudySummary

WORDS = {
    "perplexity": "among how many equally likely words (or characters) the model hesitates, on "
    "average, before each one",
    "loss": "the mean of minus the logarithm of the probability given to what was right",
    "roc_auc": "how often an edge is scored above a pair that is none; of classes, how often an "
    "example of a class is scored above one of the others, the mean over the classes",
    "perplexity_per_word": "how uncertain the model is of a word, as white space divides the text: "
    "the perplexities of its tokens multiplied",
    "bits_per_char": "how many bits a character takes with the model's probabilities",
    "bits_per_byte": "how many bits a byte of the text takes with the model's probabilities: by it "
    "models of characters and of words are compared; not given where words were read as <unk>",
    "accuracy": "the share that was given the right class (shifted: of images moved by so many "
    "pixels, the mean over left, right, up and down)",
    "balanced_accuracy": "the mean, over the classes, of the share that was found",
    "character_error_rate": "edits that the transcripts need, for each character that was said",
    "word_error_rate": "edits that the transcripts need, for each word that was said",
    "calibration_error": "how far the model's confidence is from how often it is right",
}


def explanations(study: StudySummary) -> list[str]:
    """A line for each thing in the table that a newcomer would ask about."""
    metric, shown_metrics = study.file.metric, shown(study)
    way = "lower" if study.lower_is_better else "higher"
    said = [f"{words(metric).capitalize()}: {way} is better."]
    names = dict.fromkeys(parts(full).name for full in shown_metrics)
    known = WORDS | variants(study)
    said += [f"{words(n).capitalize()}: {known[n]}." for n in names if n in known]
    if any(len(row.values(metric)) > 1 for row in study.rows):
        said.append("±: the standard deviation over the seeds.")
    return said + _published(study) + _groups(study) + _best(study) + _tests(study)


def _published(study: StudySummary) -> list[str]:
    """How measured figures are set beside published ones, and where those are from."""
    if not any(row.published for row in study.rows):
        return []
    within = f"{study.file.tolerance:.1%}".replace(".0%", "%")
    said = [
        f"Verdict: a measured figure agrees with the published one when it is within {within} of "
        "it; else it is better or worse, or undecided where its interval covers the published one. "
        "Where there is no interval, the verdict is that of so many runs, and others may differ. "
        "Numbers of epochs agree when they are equal."
    ]
    published = {metric for row in study.rows for metric in row.published}
    used = sorted({parts(metric).variant for metric in published} - {""})
    said += [f"Published as {variant}: {VARIANTS.get(variant, variant)}." for variant in used]
    sources = list(dict.fromkeys(row.source for row in study.rows if row.source))
    return said + ([f"Published in: {'; '.join(sources)}."] if sources else [])


def _groups(study: StudySummary) -> list[str]:
    ranked = rankings(study)
    if len(ranked) < 2:
        return []
    said = [
        "Group: rows of one group were tested on the same examples, in the same unit and way; only "
        "those are ranked."
    ]
    return said + [
        f"Group {group_name(group)}: {_about(ranking.rows)}."
        for group, ranking in enumerate(ranked)
    ]


def _about(rows: list[RowSummary]) -> str:
    """What data the rows of a group are of."""
    results = (run.result for row in rows for run in row.runs if run.result)
    data = (result.get("data") for result in results)
    told = dict.fromkeys(str(each["about"]) for each in data if each)
    return "; ".join(told) or ", ".join(row.name for row in rows)


def _best(study: StudySummary) -> list[str]:
    chosen = [ranking for ranking in rankings(study) if ranking.chosen]
    if not chosen or not chosen[0].by_validation:
        return []
    return [
        f"Best by validation: the best mean of {words(chosen[0].metric)}: the row that counts. "
        f"Best on test: the best mean of {words(study.file.metric)}; it was not used to choose. A "
        "tie is shared."
    ]


def _tests(study: StudySummary) -> list[str]:
    """What the intervals and p-values are, what they rest on, and why some are missing."""
    compared = compare(study)
    over = {each.over for each in compared.values()} - {""}
    said = [f"95% interval: {INTERVALS[each]}." for each in sorted(over)]
    tests = [test for each in compared.values() for test in (each.examples, each.seeds) if test]
    given = [test for test in tests if test.p_value is not None]
    kept = (each for result in _results(study) for each in result.get("examples", {}).values())
    if over | {test.over for test in given} >= {"examples"} and any(
        each["unit"] in CONSECUTIVE for each in kept
    ):
        said.append(
            "In blocks: examples that follow each other, as the lines of a text do, are alike, so "
            f"that the sums of {blocks.FEWEST} to {blocks.MOST} blocks of neighbours are taken, "
            "not single ones."
        )
    if any(test.over == "examples" for test in given):
        said.append(
            f"Against the best, over examples ({_used(given, 'examples')}): the difference from "
            "the best row on the same test examples, given these trained models (the mean over "
            "the seeds where there are several). p: how often so large a difference would come "
            "from the choice of examples, were the models equally good."
        )
    if any(test.over == "seeds" for test in given):
        said.append(
            f"Against the best, over seeds ({_used(given, 'seeds')}): the difference over the "
            "seeds that both rows have. p: how often so large a difference would come from the "
            "seeds, were the rows equally good on these test examples."
        )
    if given:
        said.append(
            "Each p is corrected by Holm's method, over examples for all rows of its column, over "
            "seeds for all pairs of rows (the trainings that chose the best are those that are "
            "compared); below 0.05 counts as more than chance."
        )
    if any(test.why_not == OWN_EXAMPLES for test in tests):
        said.append(
            "Each seed has a split of its own here, so that seeds stand for other test examples "
            "too. Such splits share examples; intervals and p over seeds, where they are given, "
            "allow for it (Nadeau and Bengio, 2003)."
        )
    missing = {test.over: test.why_not for test in tests if test.why_not}
    return said + [f"Not given over {over}: {why_not}." for over, why_not in missing.items()]


INTERVALS = {
    "seeds": "of the mean over seeds, by Student's t (other seeds, the same examples); those of "
    "other metrics stand in square brackets",
    "examples": "over the examples, given these trained models (other examples of the kind); those "
    "of other metrics stand in square brackets",
}


def _used(tests: list[Comparison], over: str) -> str:
    chosen = [test for test in tests if test.over == over]
    return "; ".join(dict.fromkeys(f"{test.test}, {rests_on(test)}" for test in chosen))


def variants(study: StudySummary) -> dict[str, str]:
    """How a task says that it measured: a name like cosine stands for several things."""
    said: dict[str, str] = {}
    for result in _results(study):
        details = result.get("details")
        told = details.get("variants") if isinstance(details, dict) else None
        if isinstance(told, dict):
            said |= {str(name): str(words) for name, words in told.items()}
    return said


def simpler(study: StudySummary) -> list[str]:
    """Simpler methods on the same data, where the runs have measured them: a line for each data."""
    ranked = rankings(study)
    said = []
    for group, ranking in enumerate(ranked):
        figures: dict[str, list[float]] = {}
        for result in (run.result for row in ranking.rows for run in row.runs if run.result):
            baselines = result.get("baselines") or {}
            for name, metrics in baselines.items() if isinstance(baselines, dict) else ():
                value = metrics.get(study.file.metric) if isinstance(metrics, dict) else None
                if isinstance(value, (int, float)):
                    figures.setdefault(str(name), []).append(value)
        if figures:
            told = (f"{name} {_mean(values)}" for name, values in figures.items())
            of = f" of group {group_name(group)}" if len(ranked) > 1 else ""
            said.append(f"Simpler methods on the same data{of}: {', '.join(told)}.")
    return said


def _mean(values: list[float]) -> str:
    """The mean over the runs; where their data is split by seed, with the range."""
    low, high = number(min(values)), number(max(values))
    return low if low == high else f"{number(statistics.fmean(values))} ({low} to {high})"


def _results(study: StudySummary) -> Iterator[Result]:
    return (run.result for row in study.rows for run in row.runs if run.result)


class Differences(TypedDict):
    """What sets the rows of a study apart, as the page shows it."""

    rows: list[str]
    differ: list[list[str]]  # a setting, and its value in every row
    same: list[str]  # settings that all rows share
    seeds: list[list[str]]  # a row, and its seeds


def differences(study: StudySummary) -> Differences:
    """The settings in which rows differ, those that all share, and where the configs are."""
    configs = {row.name: config for row in study.rows if (config := config_of(row))}
    keys = dict.fromkeys(key for config in configs.values() for key in config if key != "seed")
    differ, same = [], []
    for key in keys:
        values = [plain(config[key]) if key in config else "" for config in configs.values()]
        if len(set(values)) > 1:
            differ.append([key, *values])
        else:
            same.append(f"{key} = {values[0]}")
    return {
        "rows": list(configs),
        "differ": differ,
        "same": same,
        "seeds": [[row.name, ", ".join(str(run.seed) for run in row.runs)] for row in study.rows],
    }


def config_of(row: RowSummary) -> Values:
    """Of any of its runs: they differ in the seed only."""
    return next((run.config for run in row.runs if run.config), row.settings)


def plain(value: object) -> str:
    """A setting's value as JSON writes it."""
    try:
        return json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError):
        return str(value)


class Environments(TypedDict):
    """The machines and the data of a study, as the page shows them."""

    machine: list[list[str]]  # a field, and its values
    data: list[dict[str, object]]  # about, sha256, and the rows that use it


def environment(study: StudySummary) -> Environments:
    """Machine and versions, data and checksums; what differs between runs is listed."""
    machine: dict[str, dict[str, None]] = {}
    data: dict[tuple[str, str], dict[str, None]] = {}
    for row in study.rows:
        for result in (run.result for run in row.runs if run.result):
            recorded = result.get("environment")
            for key, value in recorded.items() if isinstance(recorded, dict) else ():
                if key != "command":
                    machine.setdefault(str(key), {})[str(value)] = None
            about = result.get("data")
            if isinstance(about, dict):
                known = (str(about.get("about", "")), str(about.get("sha256", "")))
                data.setdefault(known, {})[row.name] = None
    return {
        "machine": [[key, "; ".join(values)] for key, values in machine.items()],
        "data": [
            {"about": about, "sha256": digest, "rows": list(rows)}
            for (about, digest), rows in data.items()
        ],
    }
