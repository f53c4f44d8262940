"""Repairing a wrong formula: the nearest right one, verified at draws that the search had not seen.

`edits` are formulas one slip of the pen away; `recombine` all products of the same factors; `pool`
what may be added; `search` tries them, nearest first; where none is right, `derive` works out the
gradient and `entry_forms` the entries; `changes` says what was changed; `equality` verifies.
"""

from workings.claims.repair.equality import repair_equality

__all__ = ["repair_equality"]
