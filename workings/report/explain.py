"""What stands beside a study's table: words for its columns, and all that repeats its figures."""

import json
from collections.abc import Iterator
from typing import TypedDict

from workings.report.table import P_VALUE, columns, number, words
from workings.run.config import Values
from workings.run.records import Result
from workings.study.choice import choose
from workings.study.statistics import FEWEST_SEEDS
from workings.study.summary import RowSummary, StudySummary

WORDS = {
    "perplexity": "among how many equally likely words (or characters) the model hesitates, on "
    "average, before each one",
    "loss": "the mean of minus the logarithm of the probability given to what was right",
    "bits_per_char": "how many bits a character takes with the model's probabilities",
    "accuracy": "the share that was given the right class",
    "balanced_accuracy": "the mean, over the classes, of the share that was found",
    "character_error_rate": "edits that the transcripts need, for each character that was said",
    "word_error_rate": "edits that the transcripts need, for each word that was said",
    "calibration_error": "how far the model's confidence is from how often it is right",
}


def explanations(study: StudySummary) -> list[str]:
    """A line for each thing in the table that a newcomer would ask about."""
    heads, metric = columns(study), study.file.metric
    way = "lower" if study.lower_is_better else "higher"
    said = [f"{words(metric).capitalize()}: {way} is better."]
    names = (full.rpartition(".")[2] for full in (metric, *study.file.also))
    known = WORDS | variants(study)
    said += [f"{words(n).capitalize()}: {known[n]}." for n in dict.fromkeys(names) if n in known]
    if any(len(row.values(metric)) > 1 for row in study.rows):
        said.append("±: the standard deviation over the seeds.")
    if "verdict" in heads:
        within = f"{study.file.tolerance:.1%}".replace(".0%", "%")
        said.append(
            f"Verdict: the measured figure agrees with the published one when it is within "
            f"{within} of it; else it is better or worse."
        )
        sources = list(dict.fromkeys(row.source for row in study.rows if row.source))
        if sources:
            said.append(f"Published in: {'; '.join(sources)}.")
    choice = choose(study)
    if choice and choice.by_validation:
        said.append(
            f"Best by validation: the row with the best mean of {words(choice.metric)}; the test "
            "split chooses nothing."
        )
    if P_VALUE in heads:
        said.append(
            "p: how often seeds alone would set a row so far from the best one, were the two "
            "equally good (Student's paired t-test over the seeds that both have); below 0.05 "
            f"counts as more than chance. It is not given for fewer than {FEWEST_SEEDS} seeds, nor "
            "where the difference is the same with every seed."
        )
    return said


def variants(study: StudySummary) -> dict[str, str]:
    """How a task says that it measured: a name like cosine stands for several things."""
    said: dict[str, str] = {}
    for result in _results(study):
        details = result.get("details")
        told = details.get("variants") if isinstance(details, dict) else None
        if isinstance(told, dict):
            said |= {str(name): str(words) for name, words in told.items()}
    return said


def simpler(study: StudySummary) -> str:
    """Simpler methods on the same data, where the runs have measured them."""
    figures: dict[str, str] = {}
    for result in _results(study):
        baselines = result.get("baselines") or {}
        for name, metrics in baselines.items() if isinstance(baselines, dict) else ():
            value = metrics.get(study.file.metric) if isinstance(metrics, dict) else None
            if isinstance(value, (int, float)):
                figures.setdefault(str(name), number(value))
    return ", ".join(f"{name} {value}" for name, value in figures.items())


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
