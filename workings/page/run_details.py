"""What the page shows of chosen runs: their curves, their settings, their figures and samples."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from workings import json_files, toml_files
from workings.errors import WorkingsError
from workings.files import read_file
from workings.json_files import Json
from workings.run.folder import listing
from workings.run.folder.result_file import read_result

MOST_RUNS = 200  # in one chart
MOST_POINTS = 600  # of a curve
MOST_ROWS, LONGEST, DEEPEST = 20, 2_000, 8  # of a table: rows, letters of a text, tables in tables
BESIDES = ("step", "epoch", "split", "seconds")
FILES = ("run.json", "config.toml", "metrics.jsonl", "steps.jsonl", "result.json", "failure.json")
Series = dict[str, object]


def require_own_files(folder: Path) -> None:
    """Refuse a run folder in which a link leads elsewhere."""
    for name in FILES:
        if (folder / name).is_symlink():
            raise WorkingsError(f"{folder / name}: is a symbolic link, which a run never holds")


def curves(folder: Path) -> Series:
    """A run's evaluations by split, and its training loss by step, as columns."""
    require_own_files(folder)
    lines = _lines(folder / "metrics.jsonl")
    splits = dict.fromkeys(str(line.get("split")) for line in lines)
    series = {split: [line for line in lines if line.get("split") == split] for split in splits}
    columns = {split: _columns(of_split) for split, of_split in series.items()}
    steps = _lines(folder / "steps.jsonl")
    return {"splits": columns, "steps": _columns(steps) if steps else None}


def _lines(path: Path) -> list[dict[str, Json]]:
    """A file of JSON lines; one that is damaged, or not yet whole, is left out."""
    try:
        content = read_file(path)
    except OSError:
        return []
    lines = []
    for text in content.splitlines():
        try:
            value = json_files.parse(text)
        except json_files.WrongJson:
            continue
        if isinstance(value, dict):
            lines.append(value)
    return lines


def _columns(lines: Sequence[Mapping[str, object]]) -> Series:
    every = max(1, -(-len(lines) // MOST_POINTS))
    kept = list(lines[::every])
    if lines and kept[-1] is not lines[-1]:
        kept.append(lines[-1])
    names = dict.fromkeys(name for line in kept for name in line if name != "split")
    return {
        name: [_number(line.get(name)) for line in kept]
        for name in names
        if name in BESIDES or any(isinstance(line.get(name), int | float) for line in kept)
    }


def _number(value: object) -> float | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def settings(folder: Path) -> dict[str, object]:
    """`section.key`: value of a run's config."""
    require_own_files(folder)
    try:
        values = toml_files.parse(read_file(folder / "config.toml").decode())
    except (OSError, ValueError) as error:
        raise WorkingsError(f"{folder / 'config.toml'}: cannot be read ({error})") from None
    return by_section(values)


def by_section(values: Mapping[str, object]) -> dict[str, object]:
    """`section.key`: value of what a config's file says."""
    flat: dict[str, object] = {}
    for key, value in values.items():
        if isinstance(value, dict):
            flat |= {f"{key}.{name}": each for name, each in value.items()}
        else:
            flat[key] = value
    return flat


def details(folder: Path) -> dict[str, object]:
    """All of one run but its curves."""
    require_own_files(folder)
    details: dict[str, object] = {"settings": settings(folder), "state": listing.state(folder)}
    details["failure"] = listing.failure(folder)
    try:
        result: Mapping[str, object] = read_result(folder / "result.json")
    except FileNotFoundError:
        return details
    kept = ("metrics", "baselines", "details", "questions", "parameters", "seconds", "best_epoch",
            "epochs", "steps", "data", "environment", "variants")  # fmt: skip
    shown = {key: result[key] for key in kept if key in result}
    if "details" in shown:
        shown["details"] = shortened(shown["details"])
    return details | {"result": shown}


def shortened(value: object, depth: int = 0) -> object:
    """The beginning of a run's tables, as far as the page shows them; a confusion matrix whole."""
    if depth > DEEPEST and isinstance(value, dict | list):
        return "…"
    if isinstance(value, dict):
        whole = "names" in value and "counts" in value
        return value if whole else {key: shortened(v, depth + 1) for key, v in value.items()}
    if isinstance(value, list):
        return [shortened(each, depth + 1) for each in value[:MOST_ROWS]]
    return f"{value[:LONGEST]}…" if isinstance(value, str) and len(value) > LONGEST else value
