"""Sizes, counts, seconds and tables as text: aligned, short, with units."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

_PREFIXES = ((10**15, "P"), (10**12, "T"), (10**9, "G"), (10**6, "M"), (10**3, "k"))


def sizes_text(sizes: Mapping[str, int]) -> str:
    """`n = 512, d = 64`."""
    return ", ".join(f"{symbol} = {value:,}" for symbol, value in sizes.items())


def residue_text(unit: int, residue: int) -> str:
    """`odd`, `1 more than a multiple of 32`."""
    return "odd" if (unit, residue) == (2, 1) else f"{residue} more than a multiple of {unit}"


def count_text(value: Fraction | int | None, unit: str = "") -> str:
    """`224,892`, from ten million on `3.70 G`; bytes always with their unit, `1.31 MB`."""
    if value is None:
        return "–"
    number = int(value) if Fraction(value).denominator == 1 else float(value)
    if abs(number) < (1000 if unit else 10**7):
        return f"{number:,}" + (f" {unit}" if unit else "")
    size, prefix = next((s, p) for s, p in _PREFIXES if abs(number) >= s)
    return f"{number / size:.3g} {prefix}{unit}" if number < 10**18 else f"{number:.3g} {unit}"


def seconds_text(value: float | None) -> str:
    """`1.2 ms`."""
    if value is None:
        return "–"
    for scale, unit in ((1, "s"), (1e3, "ms"), (1e6, "µs")):
        if value * scale >= 1 or unit == "µs":
            return f"{value * scale:.3g} {unit}"
    return f"{value:.3g} s"


def aligned(rows: Sequence[Sequence[str]], right: int | None = None, indent: str = "") -> str:
    """Rows of cells in columns; those from `right` on are set to the right."""
    if not rows:
        return ""
    right = len(rows[0]) if right is None else right
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = [
        "  ".join(
            c.rjust(w) if i >= right else c.ljust(w)
            for i, (c, w) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]
    return "\n".join((indent + line).rstrip() for line in lines)
