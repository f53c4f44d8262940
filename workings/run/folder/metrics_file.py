"""metrics.jsonl, one line an evaluation: appended, read, and cut back where a run is resumed."""

import json
import math
from collections.abc import Callable
from pathlib import Path

from workings.errors import WorkingsError
from workings.files import append_file, read_file, write_file
from workings.json_files import WrongJson, conform, parse
from workings.run.folder.records import MetricsLine

NAME, DAMAGED = "metrics.jsonl", "metrics.damaged.jsonl"


class MetricsFile:
    """The evaluations of the run in a folder."""

    def __init__(self, folder: Path, name: str = NAME) -> None:
        """name: of another file of the same kind."""
        self.path = folder / name

    def append(self, lines: list[MetricsLine]) -> None:
        """Add evaluations, and see them to the disk."""
        if lines:
            append_file(self.path, b"".join(map(written, lines)))

    def read(self) -> list[MetricsLine]:
        """Every evaluation so far; a line that cannot be read is left out."""
        return [line for _, line in self._lines() if line is not None]

    def keep(self, epoch: int, count: int, warn: Callable[[str], None]) -> None:
        """Forget the lines written after the checkpoint that is resumed from.

        epoch: the last one that the checkpoint knows of. count: how many lines there were then.
        Where one of those is damaged, it is set aside and the others stay.
        """
        lines = self._lines()
        kept = [line for _, line in lines if line is not None and _epoch(line) <= epoch]
        damaged = [content for content, line in lines if line is None]
        lost = count - len(kept)
        if lost > 0 and damaged:
            aside = self.path.with_name(DAMAGED)
            append_file(aside, b"".join(content + b"\n" for content in damaged))
            warn(
                f"{self.path}: {lost} of its {count} lines cannot be read; they are set aside in "
                f"{aside.name}, and the others are kept"
            )
        elif lost > 0:
            warn(f"{self.path}: {lost} of its {count} lines are gone; the others are kept")
        write_file(self.path, b"".join(map(written, kept)))

    def _lines(self) -> list[tuple[bytes, MetricsLine | None]]:
        """Each line as it stands, and what it says, or None where that is damaged."""
        try:
            content = read_file(self.path)
        except FileNotFoundError:
            return []
        except OSError as error:
            raise WorkingsError(f"{self.path}: cannot be read ({error.strerror})") from None
        return [(line, _parsed(line)) for line in content.split(b"\n") if line]


def _parsed(line: bytes) -> MetricsLine | None:
    try:
        return conform(parse(line), MetricsLine)
    except WrongJson:
        return None  # changed by another hand, or a killed process did not finish it


def written(line: MetricsLine) -> bytes:
    """A line as the file has it."""
    return (json.dumps({key: _finite(value) for key, value in line.items()}) + "\n").encode()


def _finite(value: int | float | str | None) -> int | float | str | None:
    """JSON has no NaN and no infinity: they are null there."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _epoch(line: MetricsLine) -> float:
    epoch = line.get("epoch")
    return epoch if isinstance(epoch, int) else 0
