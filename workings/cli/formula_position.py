"""Where in its file a formula that cannot be read stands: file, line and column."""

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path

from workings.errors import WorkingsError, first_line


@contextlib.contextmanager
def located(name: str) -> Iterator[None]:
    """Begin the error of a formula with its file, line and column, where the file is known.

    The lines under it, the formula with a caret, are for a terminal only.
    """
    try:
        yield
    except WorkingsError as error:
        where = position(name, error)
        message = str(error) if sys.stderr.isatty() else first_line(error)
        raise WorkingsError(f"{where}: {message}" if where else message) from error


def position(name: str, error: BaseException | None) -> str:
    """`file:line:column` of what is wrong in a formula; nothing where that is not known."""
    from workings.formula.errors import FormulaError

    while error is not None and not isinstance(error, FormulaError):
        error = error.__cause__ or error.__context__
    if error is None or not Path(name).is_file():
        return ""
    text = Path(name).read_text(encoding="utf-8-sig", errors="replace")
    for written in (lambda part: part, lambda part: part.replace("\\", "\\\\")):  # as TOML may
        start = text.find(written(error.text))
        if error.text and start >= 0:
            before = text[: start + len(written(error.text[: error.position]))]
            return f"{name}:{before.count(chr(10)) + 1}:{len(before) - before.rfind(chr(10))}"
    return name
