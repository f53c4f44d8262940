"""What can be said of a claim."""

from enum import StrEnum


class Verdict(StrEnum):
    """The verdict on a claim; its value is the word that is printed and stored."""

    HOLDS = "holds"
    TRIVIAL = "trivial"
    """it only restates itself, so that nothing was checked"""
    TRANSPOSED = "holds transposed"
    FLIPPED = "holds with the sign flipped"
    SCALED = "holds up to a constant factor"
    WRONG_VALUE = "wrong value"
    WRONG_SHAPE = "wrong shape"
    UNDEFINED = "undefined"
    """what is claimed cannot be computed: shapes that do not fit, a logarithm of a negative"""
    NOT_READ = "not read"
    """the formula was not understood, so that nothing is said about it"""
    TIGHT = "holds and tight"
    LOOSE = "holds, not tight"
    SMALL = "too small"
    UNDECIDED = "undecided"
    """it was understood, but no draw could tell"""

    @property
    def holds(self) -> bool:
        """Whether the claim is right as it is written."""
        return self in (Verdict.HOLDS, Verdict.TIGHT, Verdict.LOOSE)

    @property
    def is_given(self) -> bool:
        """Whether anything is said about the claim."""
        return self not in (Verdict.NOT_READ, Verdict.UNDECIDED)

    @property
    def is_wrong(self) -> bool:
        """Whether the claim, as it is written, is not right."""
        return self.is_given and not self.holds and self is not Verdict.TRIVIAL

    @property
    def nearly(self) -> bool:
        """Whether it is right but for a transpose, a sign or a constant."""
        return self in (Verdict.TRANSPOSED, Verdict.FLIPPED, Verdict.SCALED)
