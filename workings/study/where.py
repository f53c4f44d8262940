"""Where studies are kept; without torch."""

import os
from pathlib import Path


def root(given: Path | None) -> Path:
    """Where studies are kept: --studies, WORKINGS_STUDIES, or ./studies."""
    return given or Path(os.environ.get("WORKINGS_STUDIES") or "studies")
