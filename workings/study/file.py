"""A study file: a base config, its rows and its grid of rows, seeds, and the published figures."""

import itertools
import json
import math
from importlib import resources
from pathlib import Path

from pydantic import Field, PositiveFloat, model_validator

from workings.errors import WorkingsError, nearest
from workings.names import check_name
from workings.run.config import Values, read
from workings.schema import Config, NonNegative, build

MOST_SEEDS = 1_000
MOST_ROWS = 10_000  # of a study: a larger space is searched, not gone through


class Row(Config):
    """One variant."""

    name: str = ""
    """as the tables show it; made of `set` where it is not given"""
    set: Values = {}  # noqa: RUF012 - pydantic copies it
    """what differs from the base: `train.lr = 0.1`"""
    base: str = ""
    """another base than the study's, for this row"""
    published: dict[str, float] = {}  # noqa: RUF012
    """figures by metric: `test.perplexity = 138.38`; the lowest or highest of all epochs, or that
    of the last one, is `train.perplexity@lowest`; one measured in a way of its own, shown and
    not compared, `test.perplexity@other`; how long it trained, `epochs` and `best_epoch`"""
    source: str = ""
    """where they were published; the study's source where it is not given"""


class StudyFile(Config):
    """Runs side by side."""

    title: str
    """what the report is called"""
    question: str = ""
    """what the study is to find out"""
    base: str = ""
    """a shipped config, or a path to one; the rows vary it"""
    measure: str = ""
    """instead of training: the name of a measurement, taken with the rows' settings"""
    parts: list[str] = []  # noqa: RUF012
    """other studies, run one after the other and reported together"""
    book: bool = False
    """check the book of claims too, and report its verdicts"""
    set: Values = {}  # noqa: RUF012
    """settings of every row"""
    seeds: list[int] = Field(default=[1], min_length=1)
    """each row is run once with each"""
    metric: str = ""
    """the one that decides: `test.perplexity`"""
    lower_is_better: bool | None = None
    """which way the metric goes, where it is one of your own; the others know it by themselves"""
    also: list[str] = []  # noqa: RUF012
    """other metrics for the table"""
    plot: list[str] = []  # noqa: RUF012
    """metrics by epoch, as curves: `valid.perplexity`; of `gap.accuracy`, train less valid"""
    prompts: list[str] = []  # noqa: RUF012
    """of language models: what the texts in the report begin with; every row goes on from the same
    ones with the same seed"""
    temperature: PositiveFloat = 1.0
    """at which those texts are sampled"""
    published_texts: dict[str, str] = {}  # noqa: RUF012
    """by prompt, what the source's model made of it: shown beside ours"""
    tolerance: NonNegative = 0.02
    """how far from a published figure still agrees with it, as a share of it"""
    source: str = ""
    """where the published figures are from"""
    notes: str = ""
    """what a reader of the table must know"""
    row: list[Row] = []  # noqa: RUF012
    """the variants, in order"""
    grid: dict[str, list[object]] = {}  # noqa: RUF012
    """instead of rows: every combination of these values"""
    search: Values = {}  # noqa: RUF012
    """the space that --search looks through: lists of values, or { low, high, log, step }; the
    grid where it is not given"""

    @model_validator(mode="after")
    def _is_whole(self) -> "StudyFile":
        if self.parts or self.book:
            if self.row or self.grid or self.base or self.measure:
                raise ValueError("a study of parts has no rows of its own")
            return self
        if not (self.row or self.grid or self.search):
            raise ValueError("has no rows: give [[row]], [grid] or [search]")
        if bool(self.base) == bool(self.measure) and not all(row.base for row in self.row):
            raise ValueError("give `base`, a config to vary, or `measure`, a measurement")
        if len(self.seeds) > MOST_SEEDS:
            raise ValueError(f"has {len(self.seeds):,} seeds; at most {MOST_SEEDS:,}")
        if len(set(self.seeds)) < len(self.seeds) or min(self.seeds) < 0:
            raise ValueError(f"seeds must be different numbers from 0 (got {self.seeds})")
        rows = len(self.row) + math.prod(map(len, self.grid.values())) * bool(self.grid)
        if rows > MOST_ROWS:
            raise ValueError(
                f"has {rows:,} rows; at most {MOST_ROWS:,}: give fewer values, or look through "
                "them with [search] and --search"
            )
        if not self.metric:
            raise ValueError("give `metric`, the figure that decides, as in test.perplexity")
        return self

    def rows(self) -> list[Row]:
        """Return the rows in order, each with its own name; those of the grid come last."""
        combinations = itertools.product(*self.grid.values()) if self.grid else ()
        gridded = [Row(set=dict(zip(self.grid, values, strict=True))) for values in combinations]
        named = [
            row if row.name else row.model_copy(update={"name": label(row.set)})
            for row in (*self.row, *gridded)
        ]
        seen: set[str] = set()
        for row in named:
            check_name("row", row.name)
            if row.name in seen:
                raise WorkingsError(f"row {row.name!r}: two rows have this name; rename one")
            seen.add(row.name)
        return named


def label(settings: Values) -> str:
    """Name settings that nobody named: `lr 0.1, pool max`."""
    parts = (f"{key.rpartition('.')[2]} {_plain(value)}" for key, value in settings.items())
    return ", ".join(parts) or "base"


def _plain(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    return value if isinstance(value, str) else json.dumps(value)


def shipped() -> dict[str, Path]:
    """Return the paths of the studies that come with the package, by name."""
    folder = Path(str(resources.files("workings") / "studies"))
    return {path.stem: path for path in sorted(folder.glob("*.toml"))}


def load(what: str) -> tuple[str, StudyFile]:
    """Read a shipped study or a path; return its name and its contents."""
    known = shipped()
    if "/" not in what and not what.endswith(".toml"):
        if what not in known:
            raise WorkingsError(
                f"no study {what!r}{nearest(what, known)}; there is: {', '.join(known)}; "
                "a study file is given as a path: ./NAME.toml"
            )
        return what, _build(known[what])
    check_name("study file", what)
    return Path(what).stem, _build(Path(what))


def _build(path: Path) -> StudyFile:
    file = build(StudyFile, read(path), "")
    check_name("title", file.title)
    file.rows()  # names are checked at once
    return file
