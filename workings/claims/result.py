"""A claim, its verdict, and why."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Result:
    """A claim, its verdict, and why."""

    name: str
    source: str
    statement: str
    verdict: str
    evidence: dict[str, Any] = field(default_factory=dict)
    repair: dict[str, Any] | None = None
    steps: list[dict[str, str]] = field(default_factory=list)
    seconds: float = 0.0

    def to_dict(self) -> dict[str, Any]:
        shown = {key: value for key, value in vars(self).items() if key != "seconds"}
        return shown if self.steps else {k: v for k, v in shown.items() if k != "steps"}
