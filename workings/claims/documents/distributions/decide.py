r"""The verdict on identities of distributions: \log p(x) = \mathbb{E}_{q(z)}[\dots] + KL.

Nothing is said of what the distributions are, so that what holds for random ones over finitely
many values is said to hold; what does not may rest on what they are, and is not called wrong.
"""

import re
from collections.abc import Mapping, Sequence

import torch

from workings.claims.documents.distributions.parts import Formula, NotOfDistributions
from workings.claims.documents.distributions.read import Reader
from workings.claims.documents.distributions.world import World
from workings.claims.documents.outline.probabilities import as_written
from workings.claims.documents.outline.sides import Side
from workings.claims.evidence import Evidence
from workings.claims.result import Result
from workings.claims.verdict import Verdict
from workings.errors import WorkingsError
from workings.formula import nodes as f

FINITE = "for distributions over finitely many values, an integral being a sum"
DRAWS = 4
DRAWS_OF_BOUNDS = 42
CELLS = (1.0, 1e-4, 1e4)
EXACT, ROUGH = 1e-9, 1e-6  # relative, without and with differences for derivatives
_SPEAKS_OF = re.compile(
    r"\\mathbb\s*\{?\s*E|\\(?:mathrm|operatorname|text)\s*\{\s*(?:E|Var|Cov|D_\{KL\}|KL)\s*\}"
    r"|\\int(?![A-Za-z])|∫|KL|(?<![A-Za-z\\])E\s*[_\[]|(?<![A-Za-z])Var|(?<![A-Za-z])Cov"
    r"|(?<![A-Za-z\\])[pqP]\s*(?:_\s*(?:\{[^{}]*\}|\\?[A-Za-z]+)\s*)?\("
)
_BOUNDS = {r"\le": -1, r"\leq": -1, r"\leqslant": -1, "<=": -1, "≤": -1,
           r"\ge": 1, r"\geq": 1, r"\geqslant": 1, ">=": 1, "≥": 1}  # fmt: skip


def held(
    sides: Sequence[Side], defined: Mapping[str, str], running: frozenset[str]
) -> Result | None:
    """That a chain holds for all distributions; None where that is not so, or not known.

    defined: the right sides of the document's definitions, by name.
    running: the letters that its sums run over.
    """
    texts = [as_written(side.text.text) for side in sides]
    relations = [side.relation for side in sides[1:]]
    if not any(_SPEAKS_OF.search(text) for text in texts) or len(set(texts)) < len(texts):
        return None
    if not all(each == "=" or each in _BOUNDS for each in relations):
        return None
    reader = Reader({name: as_written(text) for name, text in defined.items()}, running)
    try:
        formulas = [reader.formula(text) for text in texts]
        if not any(side.densities() or side.moments() for side in formulas):
            return None
        right = _agree(formulas, relations)
    except (WorkingsError, RuntimeError, RecursionError):
        return None
    evidence = Evidence(draws=DRAWS, restricted=FINITE)
    return Result(Verdict.HOLDS, evidence) if right else None


def _agree(formulas: Sequence[Formula], relations: Sequence[str]) -> bool:
    """Whether every relation holds at all draws, and not since all is 0."""
    slopes = any(_has_slope(side) for side in formulas)
    bounded = any(each in _BOUNDS for each in relations)
    if bounded and any(_rests_on_a_number(side) for side in formulas):
        return False
    moves = False
    for seed in range(DRAWS_OF_BOUNDS if bounded else DRAWS):
        # An equation is of sums, as of integrals. A bound must hold for densities above 1 too.
        world = World(formulas, seed, cell=CELLS[seed % len(CELLS)] if bounded else 1.0)
        values = [world.value(side) for side in formulas]
        if not all(bool(torch.isfinite(each).all()) for each in values):
            raise NotOfDistributions("no finite value")
        scale = max(float(each.abs().max()) for each in values)
        allowed = (ROUGH if slopes else EXACT) * max(1.0, scale)
        moves = moves or any(float(each.abs().max()) > ROUGH for each in values)
        for relation, before, after in zip(relations, values, values[1:], strict=False):
            apart = before - after
            sign = _BOUNDS.get(relation, 0)
            worst = -(sign * apart).min() if sign else apart.abs().max()
            if float(worst) > allowed:
                return False
    return moves


def _rests_on_a_number(formula: Formula) -> bool:
    """Whether a side of a bound has a number that draws may never come up to: KL ≤ 20."""
    numbers = [abs(node.value) for node in formula.node.walk() if isinstance(node, f.Number)]
    alone = isinstance(formula.node, f.Number | f.Negative) and not formula.parts
    return any(each > (0 if alone else 1) for each in numbers)


def _has_slope(formula: Formula) -> bool:
    inside = (getattr(part, "body", None) for part in formula.parts.values())
    own = any(isinstance(node, f.Derivative) for node in formula.node.walk())
    return own or any(_has_slope(each) for each in inside if isinstance(each, Formula))
