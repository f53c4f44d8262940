"""What every chart shares: its colours, and its rendering to a file's bytes."""

import io
from typing import Any, Literal, cast

# Okabe and Ito's colours, told apart with any kind of colour blindness, without the faint yellow.
PALETTE = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000"]
FORMATS = (".svg", ".png", ".pdf", ".html", ".json")


def render(chart: Any, suffix: str) -> bytes:
    """The chart as a file of this kind; .html is interactive and needs no network."""
    if suffix not in FORMATS:
        shown = suffix or "a file without a suffix"
        raise ValueError(f"no chart can be written as {shown}; there is: {', '.join(FORMATS)}")
    if suffix == ".html":
        return str(chart.to_html(inline=True)).encode()
    if suffix == ".json":
        return chart.to_json().encode()
    file = io.BytesIO() if suffix in (".png", ".pdf") else io.StringIO()
    kind = cast(Literal["png", "svg", "pdf"], suffix[1:])
    chart.save(file, format=kind, scale_factor=2 if suffix == ".png" else 1)
    content = file.getvalue()
    return content if isinstance(content, bytes) else content.encode()
