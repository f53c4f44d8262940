"""Which rows of a study can be ranked: those measured alike, on the same test examples.

Rows differ in what they were tested on (other data, another split), in the unit (words or
characters: a perplexity is of its own unit and vocabulary), or in how a figure was measured.
"""

from workings.run.config import Values
from workings.study.metric_names import parts
from workings.study.summary import RowSummary, RunSummary, StudySummary
from workings.tasks import TASKS

Key = tuple[object, ...]


def groups(study: StudySummary) -> list[list[RowSummary]]:
    """The measured rows, those that can be ranked together in one list."""
    metric = study.file.metric
    measured = [row for row in study.rows if row.values(metric)]
    keys = {row.name: _keys(row, metric, _by_examples(measured, metric)) for row in measured}
    made: list[list[RowSummary]] = []
    for row in measured:
        for group in made:
            if all(_alike(keys[row.name], keys[other.name]) for other in group):
                group.append(row)
                break
        else:
            made.append([row])
    return made


def _alike(keys: dict[int, Key], other: dict[int, Key]) -> bool:
    """Whether two rows have the same key with every seed that both have."""
    both = keys.keys() & other.keys()
    if both:
        return all(keys[seed] == other[seed] for seed in both)
    return bool(set(keys.values()) & set(other.values()))


def _keys(row: RowSummary, metric: str, by_examples: bool) -> dict[int, Key]:
    seeds = row.values(metric)
    return {run.seed: key(run, metric, by_examples) for run in row.runs if run.seed in seeds}


def _by_examples(rows: list[RowSummary], metric: str) -> bool:
    """Whether every run says which examples it was tested on; those of older versions do not."""
    runs = [run for row in rows for run in row.runs if run.value(metric) is not None]
    return all(examples_digest(run, metric) for run in runs)


def examples_digest(run: RunSummary, metric: str) -> str:
    """The SHA-256 of the examples of a metric's split; empty where the run does not say it."""
    split = parts(metric).split
    records = run.result.get("examples", {}) if run.result else {}
    if split in records:
        return records[split]["sha256"]
    examples = run.examples(split)  # made later, of a run of an older version
    return examples.sha256 if examples else ""


def test_share(row: RowSummary, metric: str) -> float | None:
    """Test examples / training examples where each seed has a split of its own, else 0.

    None where the runs, of an older version, do not say how many they trained on.
    """
    runs = [run for run in row.runs if run.value(metric) is not None]
    if len({examples_digest(run, metric) for run in runs} - {""}) < 2:
        return 0.0
    shares = []
    for run in runs:
        assert run.result is not None  # it has a figure
        tested = run.result.get("examples", {}).get(parts(metric).split)
        data = run.result.get("data")
        if not tested or not data:
            return None
        of_edges = tested["unit"] in ("pair", "edge")  # older results counted nodes
        trained = data.get("trained") or (0 if of_edges else data.get("units"))
        if not trained:
            return None
        shares.append(tested["count"] / trained)
    return max(shares)


def key(run: RunSummary, metric: str, by_examples: bool) -> Key:
    """Equal for two runs whose figures mean the same thing."""
    result = run.result
    variant = (result.get("variants") or {}).get(parts(metric).split) if result else None
    if by_examples:
        return variant, examples_digest(run, metric)
    data = result.get("data") if result else None
    return variant, data["sha256"] if data else "", _reading(run.config)


def _reading(config: Values) -> str:
    """How the data was read, as the config has it: all of [data] but where it is."""
    task = TASKS.get(str(config.get("task")))
    where = {f"data.{name}" for name in task.LOCATION} if task else set()
    how = {k: v for k, v in config.items() if k.startswith("data.") and k not in where}
    return repr(sorted((key, str(value)) for key, value in how.items()))
