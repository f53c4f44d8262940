"""A claim, its verdict, and why."""

import html
from collections.abc import Sequence
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
    formula: str = ""
    """as it was written"""
    seconds: float = 0.0

    def to_dict(self) -> dict[str, Any]:
        left_out = {"seconds"} if self.steps else {"seconds", "steps"}
        return {key: value for key, value in vars(self).items() if key not in left_out}

    @property
    def holds(self) -> bool:
        return self.verdict.startswith("holds and") or self.verdict == "holds"

    @property
    def why(self) -> str:
        """The evidence in a line."""
        return explain(self)

    def __str__(self) -> str:
        lines = [f"{self.verdict}: {self.name}", *([f"  {self.why}"] if self.why else [])]
        if self.repair:
            lines.append(f"  repaired: {self.repair['formula']}")
            lines.append(f"  changed: {self.repair['changes']}")
        return "\n".join(lines)


@dataclass(frozen=True)
class Report(Sequence[Result]):
    """The verdicts on a set of claims, in their order."""

    results: list[Result]

    def __getitem__(self, at: Any) -> Any:
        return self.results[at]

    def __len__(self) -> int:
        return len(self.results)

    @property
    def holds(self) -> bool:
        return all(result.holds for result in self.results)

    def __str__(self) -> str:
        return "\n".join(map(str, self.results))

    def _repr_html_(self) -> str:
        def cell(text: str) -> str:
            return f"<td style='text-align:left'>{html.escape(text)}</td>"

        rows = "".join(
            "<tr>"
            + cell(each.name)
            + cell(each.verdict)
            + cell(each.why)
            + cell(each.repair["formula"] if each.repair else "")
            + "</tr>"
            for each in self.results
        )
        head = "".join(f"<th>{name}</th>" for name in ("claim", "verdict", "evidence", "repair"))
        return f"<table><tr>{head}</tr>{rows}</table>"


def explain(result: Result) -> str:
    """The evidence of a verdict as one line of text."""
    e = result.evidence
    parts = []
    if "why" in e:
        parts.append(str(e["why"]))
    if "departs_at_step" in e:
        later = "; the last step holds again" if e["last_step"] == "holds" else ""
        parts.append(f"step {e['departs_at_step']} departs{later}")
    if "wrong_where" in e:
        parts.append(f"wrong where {e['wrong_where']}")
    if result.verdict == "wrong shape":
        parts.append(f"claimed {e['claimed_shape']}, right {e['right_shape']}")
    elif not result.holds and "largest_relative_error" in e:
        at = f" at entry ({', '.join(map(str, e['worst_entry']))})" if e["worst_entry"] else ""
        values = f": claimed {e['claimed']:.4g}, right {e['right']:.4g}"
        parts.append(f"largest relative error {e['largest_relative_error']:.2g}{at}{values}")
    elif "largest_relative_error" in e:
        parts.append(f"relative error {e['largest_relative_error']:.0e}")
    if "factor" in e:
        parts.append(f"the factor is {e['factor']}")
    if "counterexample" in e:
        pairs = ", ".join(f"{key} {_short(value)}" for key, value in e["counterexample"].items())
        parts.append(f"counterexample: {pairs}")
    if "proof" in e:
        parts.append(f"{e['proof']} in {e['draws']} draws")
    for key, word in (("fails_at", "fails at"), ("holds_beyond_at", "holds also at")):
        if e.get(key):
            parts.append(f"{word} {', '.join(e[key])}")
    if "parameter" in e and result.holds:
        parts.append(f"{e['parameter']} is {e['right_shape']}")
    if "convention" in e:
        parts.append(e["convention"])
    if e.get("sizes") and (not result.holds or "parameter" in e):
        parts.append("(" + ", ".join(f"{name}={size}" for name, size in e["sizes"].items()) + ")")
    return "; ".join(parts).replace("; (", " (")


def _short(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
