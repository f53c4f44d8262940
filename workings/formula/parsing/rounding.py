r"""⌊x⌋ and ⌈x⌉: \lfloor x \rfloor and \lceil x \rceil, the nearest whole number below and above."""

from workings.formula import nodes as f
from workings.formula.parsing.grammar import Grammar

_ROUNDED = {"⌊": ("⌋", "floor"), "⌈": ("⌉", "ceil")}
ROUNDING = frozenset(_ROUNDED)


def rounded(parser: Grammar) -> f.Node:
    """What stands between two brackets that round."""
    opening = parser.take()
    closing, name = _ROUNDED[opening.kind]
    bars, parser.open_bars = parser.open_bars, 0
    node = parser.sum()
    parser.expect(closing, f"a closing {closing}")
    parser.open_bars = bars
    return f.Call(name, (node,), position=opening.position)
