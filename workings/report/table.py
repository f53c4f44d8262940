"""The table of a study: measured beside published figures, the best rows, each row against them."""

from dataclasses import dataclass, field

from workings.study.compare import Compared, compare, intervals
from workings.study.metric_names import COUNTS, OF_A_RUN, lower_is_better, words
from workings.study.statistics import Comparison, Interval, mean_deviation, verdict
from workings.study.summary import RowSummary, StudySummary

BEST = "best"
GROUP = "group"
INTERVAL = "95% interval, over {}"
OVER_EXAMPLES = "against the best, over examples"
OVER_SEEDS = "against the best, over seeds"
LARGEST = 1e9  # that is written out: the perplexity of a model that diverged can be anything
EPOCH_HEADS = {"best_epoch": "best epoch", "epochs": "epochs"}


@dataclass(frozen=True)
class Figure:
    """A metric over the seeds of a row."""

    mean: float
    deviation: float | None
    runs: int
    without: int = 0  # finished runs that have no finite one

    def __str__(self) -> str:
        spread = "" if self.deviation is None else f" ± {_like(self.deviation, self.mean)}"
        of = f" ({self.runs} of {self.runs + self.without} seeds)" if self.without else ""
        return f"{number(self.mean)}{spread}{of}"


@dataclass(frozen=True)
class Published:
    """A published figure beside the measured one."""

    value: float
    difference: float | None = None  # measured less published; None: not compared
    # agrees, better, worse, undecided; differs, of a count; empty where not compared
    verdict: str = ""
    no_interval: str = ""  # the runs that the verdict rests on, where they have none: `one run`

    @property
    def words(self) -> str:
        """The verdict, and what it rests on where that is less than an interval."""
        return f"{self.verdict} ({self.no_interval})" if self.no_interval else self.verdict


@dataclass(frozen=True)
class Line:
    """One row of the table."""

    name: str
    figures: dict[str, Figure]  # by metric, the deciding one among them
    beside: dict[str, Published]  # by metric
    compared: Compared  # with the others: its group, whether it is best, intervals and tests
    parameters: int | None
    seconds: float | None
    state: str  # finished, or what is missing
    errors: list[str] = field(default_factory=list)


def lines(study: StudySummary) -> list[Line]:
    """Return a line for every row, in the study's order."""
    compared, table = compare(study), []
    for row in study.rows:
        names = dict.fromkeys([*shown(study), *OF_A_RUN])
        figures = {name: figure for name in names if (figure := over_seeds(row, name))}
        beside = {
            metric: judge(study, row.name, metric, figures.get(metric), published)
            for metric, published in row.published.items()
        }
        table.append(
            Line(
                name=row.name,
                figures={n: f for n, f in figures.items() if n not in ("parameters", "seconds")},
                beside=beside,
                compared=compared.get(row.name, Compared(0, [])),
                parameters=int(figures["parameters"].mean) if "parameters" in figures else None,
                seconds=figures["seconds"].mean if "seconds" in figures else None,
                state=state(row),
                errors=list(dict.fromkeys(run.error for run in row.runs if run.error)),
            )
        )
    return table


def shown(study: StudySummary) -> list[str]:
    """The metrics that have columns: those that the study names, and all that was published."""
    published = [metric for row in study.rows for metric in row.published]
    names = dict.fromkeys([study.file.metric, *study.file.also, *published])
    return [name for name in names if name not in OF_A_RUN]


def judge(
    study: StudySummary, row: str, metric: str, measured: Figure | None, value: float
) -> Published:
    """Set a row's measured figure beside a published one of the same metric and variant."""
    if measured is None or measured.without:
        return Published(value)
    difference = measured.mean - value
    if metric in (*COUNTS, "parameters"):
        return Published(value, difference, "differs" if difference else "agrees")
    lower = study.lower_is_better if metric == study.file.metric else lower_is_better(metric)
    interval = _interval(study, row, metric)
    word = verdict(measured.mean, value, lower, study.file.tolerance, interval)
    runs = "one run" if measured.runs == 1 else f"{measured.runs} runs"
    return Published(value, difference, word, "" if interval else runs)


def _interval(study: StudySummary, row: str, metric: str) -> Interval | None:
    """The 95% interval of a row's figure, which the table shows beside it."""
    if metric != study.file.metric:
        return intervals(study, metric).get(row)
    compared = compare(study).get(row)
    return compared.interval if compared else None


def over_seeds(row: RowSummary, metric: str) -> Figure | None:
    """Return the row's figure over its finished runs, None where none of them has it."""
    values = list(row.values(metric).values())
    without = len(row.without(metric))
    return Figure(*mean_deviation(values), len(values), without) if values else None


def state(row: RowSummary) -> str:
    """Say `finished`, or how many of its runs are in another state."""
    states = [run.state for run in row.runs]
    missing = {s: states.count(s) for s in dict.fromkeys(states) if s != "finished"}
    if not missing:
        return "finished"
    if len(states) == 1:
        return states[0]
    return ", ".join(f"{count} of {len(states)} {name}" for name, count in missing.items())


def columns(study: StudySummary) -> list[str]:
    """Return the table's heads; a column that no row fills is left out."""
    return list(cells_by_head(study))


def cells(study: StudySummary) -> list[list[str]]:
    """Return the table's body as text, in the order of the columns."""
    return [list(row) for row in zip(*cells_by_head(study).values(), strict=True)]


def cells_by_head(study: StudySummary) -> dict[str, list[str]]:
    """Every column of the table that says something, from top to bottom."""
    table, metric = lines(study), study.file.metric
    made = {"row": [line.name for line in table]}
    if len({line.compared.group for line in table}) > 1:
        made[GROUP] = [group_name(line.compared.group) if line.figures else "" for line in table]
    made[words(metric)] = [text(line.figures.get(metric)) for line in table]
    over = next((line.compared.over for line in table if line.compared.over), "")
    optional = {INTERVAL.format(over): [span(line.compared.interval) for line in table]}
    main = [line.beside.get(metric) for line in table]
    if any(main):
        made_published = {
            "published": [number(each.value) if each else "" for each in main],
            "difference": [_signed(each) for each in main],
            "verdict": [each.words if each else "" for each in main],
        }
    else:
        made_published = {}
    optional |= made_published
    optional[BEST] = [
        ", ".join(badge.removeprefix("best ") for badge in line.compared.badges) for line in table
    ]
    optional[OVER_EXAMPLES] = _compared([line.compared.examples for line in table])
    optional[OVER_SEEDS] = _compared([line.compared.seeds for line in table])
    for other in shown(study)[1:]:
        spans = intervals(study, other)
        optional[_head(study, other)] = [
            _beside(line, other, spans.get(line.name)) for line in table
        ]
    for count, head in EPOCH_HEADS.items():
        known = " (published)" if any(count in line.beside for line in table) else ""
        optional[head + known] = [_beside(line, count) for line in table]
    made |= {head: column for head, column in optional.items() if any(column)}
    counts = (line.parameters for line in table)
    made["parameters"] = ["" if count is None else f"{count:,}" for count in counts]
    made["time"] = [clock(line.seconds) for line in table]
    if any(line.state != "finished" for line in table):
        made["state"] = ["" if line.state == "finished" else line.state for line in table]
    return made


def group_name(group: int) -> str:
    """Groups of rows that are ranked apart go by letters."""
    return chr(ord("A") + group) if group < 26 else str(group + 1)


def _head(study: StudySummary, metric: str) -> str:
    """The head of another metric's column; its published figures follow in brackets."""
    known = any(metric in row.published for row in study.rows)
    return words(metric) + (" (published)" if known else "")


def _beside(line: Line, metric: str, interval: Interval | None = None) -> str:
    """A figure with its interval, and in brackets what was published of it, with the verdict."""
    figure, published = line.figures.get(metric), line.beside.get(metric)
    whole = metric in COUNTS
    measured = "" if figure is None else f"{figure.mean:.4g}" if whole else str(figure)
    measured += f" [{span(interval)}]" if interval else ""
    if published is None:
        return measured
    value = f"{published.value:.4g}" if whole else number(published.value)
    return f"{measured} ({f'{value} {published.words}'.strip()})".strip()


def _compared(tests: list[Comparison | None]) -> list[str]:
    """A column of tests; empty where not one of them could be made."""
    if all(test is None or test.p_value is None for test in tests):
        return ["" for _ in tests]
    return ["" if test is None else test_words(test) for test in tests]


def test_words(test: Comparison) -> str:
    """A difference from the best row with its interval and p-value, or that it is not given."""
    if test.p_value is None or test.difference is None:
        return f"not given ({rests_on(test)})" if test.count else "not given"
    difference = signed(test.difference, test.relative)
    reach = f" ({span(test.interval, test.relative)})" if test.interval else ""
    return f"{difference}{reach}, {p_words(test)}"


def rests_on(test: Comparison) -> str:
    """How many examples or seeds a test rests on."""
    return f"{test.count:,} {test.unit}{'' if test.count == 1 else 's'}"


def p_words(test: Comparison) -> str:
    """The p-value after Holm's correction."""
    p_value = test.p_value if test.corrected is None else test.corrected
    assert p_value is not None
    return "p < 0.001" if p_value < 0.001 else f"p = {p_value:.3f}"


def span(interval: Interval | None, share: bool = False) -> str:
    """An interval from its lower end to its upper one; as percentages where it is of shares."""
    if interval is None:
        return ""
    low, high = interval
    if share:
        return f"{100 * low:+.1f} to {100 * high:+.1f}%"
    larger = max(abs(low), abs(high))
    return f"{_like(low, larger)} to {_like(high, larger)}"


def signed(difference: float, share: bool = False) -> str:
    """A difference with its sign."""
    if share:
        return f"{100 * difference:+.1f}%"
    return _like(difference, difference, "+")


def decimals(value: float) -> int:
    """Return how many decimals a figure of this size is shown with."""
    return 4 if abs(value) < 2 else 2 if abs(value) < 1000 else 0


def number(value: float | None) -> str:
    """Write a figure with the decimals that suit its size."""
    return "" if value is None else _like(value, value)


def _like(value: float, size: float, sign: str = "") -> str:
    """A figure with the decimals of one of that size; very large ones by their power of ten."""
    if abs(size) >= LARGEST:
        return f"{value:{sign}.3g}"
    return f"{value:{sign},.{decimals(size)}f}"


def clock(seconds: float | None) -> str:
    """Write a time in seconds, minutes or hours."""
    if seconds is None:
        return ""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes = seconds / 60
    return f"{minutes:.1f} min" if minutes < 60 else f"{minutes / 60:.1f} h"


def text(figure: Figure | None) -> str:
    """Write a figure, or nothing where there is none."""
    return "" if figure is None else str(figure)


def _signed(published: Published | None) -> str:
    """With the digits of the figure it is a difference from."""
    if published is None or published.difference is None:
        return ""
    return _like(published.difference, published.value, "+")
