"""What can go wrong with a formula: it is not read, or it has no value."""

import re

from workings.errors import WorkingsError


class FormulaError(WorkingsError):
    """An error at a position of a formula: the message, the line, and a caret under the position.

    `hint` says what to write instead.
    """

    def __init__(self, text: str, position: int, message: str, hint: str = "") -> None:
        start = max(0, position - 50)
        line = re.sub(r"\s", " ", text[start : position + 30])
        lead = "…" if start else ""
        tail = "…" if position + 30 < len(text) else ""
        shown = f"{message}; {hint}" if hint else message
        super().__init__(
            f"{shown}\n    {lead}{line}{tail}\n    {' ' * (len(lead) + position - start)}^"
        )
        self.text, self.position, self.message, self.hint = text, position, message, hint


class NotRead(FormulaError):
    """A formula that is not understood: that says nothing about whether it is right."""


class UnclearScope(NotRead):
    """A derivative of which it is not clear how far it reaches."""


class Undefined(Exception):
    """An operation on these shapes or values has no meaning; the text says which and why."""


class Uncomputed(Undefined):
    """What may well have a meaning, and is not computed here."""


class Singular(Undefined):
    """An inverse that does not exist at these values: of M^T M, say, where M has more columns."""


class Outside(Undefined):
    """An entry behind the last one, or before the first."""


class Unfit(Undefined):
    """Two shapes that do not fit together in a sum, a product or a quotient."""
