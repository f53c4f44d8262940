"""What a verdict rests on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields

from workings.claims.verdict import Verdict

Value = float | str | Sequence[str]


@dataclass(frozen=True)
class Evidence:
    """What was computed, at which sizes; what does not apply keeps its default."""

    why: str = ""
    """in words, where no number says it"""
    draws: int = 0
    """at how many random draws the two sides were compared"""
    sizes: Mapping[str, int] = field(default_factory=dict)
    """of the draw that the shapes and values below are from"""
    claimed_shape: str = ""
    right_shape: str = ""
    largest_relative_error: float | None = None
    worst_entry: tuple[int, ...] | None = None
    """counted from 1; () for a number"""
    claimed: float | None = None
    """the worst entry of what is claimed"""
    right: float | None = None
    factor: str = ""
    """what is claimed divided by what is right, where that is a constant"""
    departs_at_step: int | None = None
    """the first step of a chain that is not right"""
    last_step: Verdict | None = None
    """of a chain that departs: the verdict on its end"""
    except_where: str = ""
    """the sizes of 1 at which it fails, though it holds at all others"""
    restricted: str = ""
    """draws that were left out: where an inverse does not exist, or for want of time"""
    never_taken: tuple[str, ...] = ()
    """branches of kinks that no draw has taken, so that nothing is known of them"""
    wrong_where: str = ""
    """the value of a one-hot symbol at which it fails"""
    counterexample: Mapping[str, Value] = field(default_factory=dict)
    proof: str = ""
    """what an inequality that holds rests on"""
    fails_at: tuple[str, ...] = ()
    holds_beyond_at: tuple[str, ...] = ()
    values_tried: int = 0
    counted: str = ""
    """the exact count of a live module"""
    unfit: bool = False
    """two shapes of what is claimed do not fit together"""
    is_jacobian: bool = False
    """what is right is the derivative of a vector or matrix"""
    parameter: str = ""
    convention: str = ""
    """by which convention it was decided, where several are in use"""
    pairs_of_sentences: int = 0
    vanishes: bool = False
    """both sides are 0 at every draw"""

    def to_dict(self) -> dict[str, object]:
        """What applies, as JSON has it."""
        given = {each.name: getattr(self, each.name) for each in fields(self)}
        said = {name: value for name, value in given.items() if value not in (None, "", 0, (), {})}
        for name in ("worst_entry", "claimed", "right", "largest_relative_error"):
            if given[name] is not None:
                said[name] = given[name]
        return {name: _plain(value) for name, value in said.items()}

    def explain(self, verdict: Verdict) -> str:
        """The evidence of a verdict as one line of text."""
        parts = [
            self.why,
            self._steps(),
            f"wrong where {self.wrong_where}" * bool(self.wrong_where),
        ]
        if verdict is Verdict.WRONG_SHAPE:
            parts.append(f"claimed {self.claimed_shape}, right {self.right_shape}")
        else:
            parts.append(self._error(verdict.holds))
        if self.factor:
            parts.append(f"the factor is {self.factor}")
        if self.counterexample:
            values = (f"{key} {_short(value)}" for key, value in self.counterexample.items())
            parts.append(f"counterexample: {', '.join(values)}")
        if self.proof:
            parts.append(f"{self.proof} in {self.draws} draws")
        if self.fails_at:
            parts.append(f"fails at {', '.join(self.fails_at)}")
        if self.holds_beyond_at:
            parts.append(f"holds also at {', '.join(self.holds_beyond_at)}")
        if self.parameter and verdict.holds:
            parts.append(f"{self.parameter} is {self.right_shape}")
        parts.append(self.restricted)
        if self.never_taken:
            parts.append(f"never drawn: {', '.join(self.never_taken)}")
        if self.except_where:
            parts.append(f"but not where {self.except_where}")
        parts.append(self.convention)
        line = "; ".join(part for part in parts if part)
        if self.sizes and (not verdict.holds or self.parameter):
            sizes = ", ".join(f"{name}={size}" for name, size in self.sizes.items())
            line = f"{line} ({sizes})".lstrip()
        return line

    def _steps(self) -> str:
        if self.departs_at_step is None:
            return ""
        later = "; the last step holds again" if self.last_step is Verdict.HOLDS else ""
        return f"step {self.departs_at_step} departs{later}"

    def _error(self, holds: bool) -> str:
        if self.largest_relative_error is None or (not holds and not self.largest_relative_error):
            return ""  # nothing to say, or too small for a float
        if holds:
            return f"relative error {self.largest_relative_error:.0e}"
        entry = f" at entry ({', '.join(map(str, self.worst_entry))})" if self.worst_entry else ""
        values = [f"{word} {each:.4g}" for word, each in self._both() if each is not None]
        shown = f": {', '.join(values)}" if values else ""
        return f"largest relative error {self.largest_relative_error:.2g}{entry}{shown}"

    def _both(self) -> tuple[tuple[str, float | None], ...]:
        return ("claimed", self.claimed), ("right", self.right)


def _plain(value: object) -> object:
    if isinstance(value, Verdict):
        return str(value)
    if isinstance(value, Mapping):
        return {name: _plain(each) for name, each in value.items()}
    return list(value) if isinstance(value, tuple) else value


def _short(value: Value) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
