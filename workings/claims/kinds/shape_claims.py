r"""Claims about the shape of an expression: W x \in \mathbb{R}^{n \times 1}."""

from torch import Tensor

from workings.claims.evidence import Evidence
from workings.claims.result import Outcome
from workings.claims.system.gradient import Point
from workings.claims.system.live import LiveClaim
from workings.claims.verdict import Verdict
from workings.errors import WorkingsError
from workings.formula import nodes as f
from workings.formula.errors import Undefined

DRAWS = 3


def check_shape(live: LiveClaim) -> Outcome:
    """Whether the left side has the claimed shape at every draw of sizes."""
    left, space = live.sides[0], live.sides[1]
    if not isinstance(space, f.Space) or len(space.sides) > 2:
        raise WorkingsError(f"{live.title}: \\mathbb{{R}}^{{ROWS \\times COLUMNS}} was expected")
    for seed in range(1, 1 + DRAWS):
        point = live.point(seed)
        try:
            value = point.gradient(left) if isinstance(left, f.Derivative) else point.value(left)
        except Undefined as error:
            return Outcome(Verdict.UNDEFINED, Evidence(why=str(error)))
        claimed, right = _claimed(point, space), _right(value, len(space.sides))
        if claimed != right:
            evidence = Evidence(
                claimed_shape="×".join(map(str, claimed)) or "a number",
                right_shape="×".join(map(str, right)) or "a number",
                sizes=dict(point.draw.sizes),
            )
            return Outcome(Verdict.WRONG_SHAPE, evidence)
    return Outcome(Verdict.HOLDS, Evidence(draws=DRAWS))


def _claimed(point: Point, space: f.Space) -> list[int]:
    return [point.scope.whole(side) for side in space.sides]


def _right(value: Tensor, sides: int) -> list[int]:
    """The shape in as many sides as were claimed, where it has so many."""
    if sides == 2 or (sides == 1 and value.ndim == 2 and 1 not in value.shape):
        return list(value.shape)
    return [] if sides == 0 and value.numel() == 1 else [value.numel()]
