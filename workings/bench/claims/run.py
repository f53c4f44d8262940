"""Thousands of random claims, right and wrong: how many verdicts are false."""

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from workings.bench.claims.identities import Identity, identities
from workings.bench.claims.networks import Gradient, gradients
from workings.bench.claims.trees import Tree, mutants
from workings.claims.evidence import Evidence
from workings.claims.kinds.equality_claims import AS_ROW
from workings.claims.kinds.formula_claims import check_formula
from workings.claims.result import Result
from workings.claims.sets import Claim, ClaimSet
from workings.claims.system.declare import Reader
from workings.claims.verdict import Verdict
from workings.errors import WorkingsError

DRAWS = 24
MORE_DRAWS = 800  # where the verdict and the first draws disagree
SHARE_WRONG = 0.55


@dataclass
class Tally:
    """What a run has found."""

    verdicts: Counter[tuple[bool, str]] = field(default_factory=Counter)
    """by whether the claim is right, and the verdict"""
    false: list[str] = field(default_factory=list)
    """the false verdicts, each with all it takes to see it again"""
    unknown: int = 0
    """claims of which torch's own values do not tell whether they are right: there are none"""
    undecided: list[str] = field(default_factory=list)
    not_repaired: list[str] = field(default_factory=list)
    repaired: int = 0

    @property
    def wrong(self) -> int:
        """How many of the claims are wrong."""
        return sum(count for (is_right, _), count in self.verdicts.items() if not is_right)


def run(
    count: int, seed: int = 0, repair: bool = False, report: Callable[[int], None] | None = None
) -> Tally:
    """Check this many random claims, about half of them right, against torch's autograd."""
    rng = random.Random(seed)
    tally = Tally()
    for number in range(count):
        statement = gradients(rng) if rng.random() < 0.5 else identities(rng)
        tree = statement.right
        if rng.random() < SHARE_WRONG:
            tree = rng.choice([each for _, each in mutants(tree)])
        _count(tally, number, statement, tree, 1 + 1009 * seed + number, repair)
        if report is not None:
            report(number + 1)
    return tally


def _count(
    tally: Tally, number: int, statement: Gradient | Identity, tree: Tree, seed: int, repair: bool
) -> None:
    result = checked(statement, tree, seed, repair)
    as_row = result.evidence.convention == AS_ROW
    is_right = statement.is_right(tree, DRAWS, as_row)
    if is_right and result.verdict.is_wrong:
        is_right = statement.is_right(tree, MORE_DRAWS, as_row)
    if is_right is None:
        tally.unknown += 1
        return
    tally.verdicts[is_right, str(result.verdict)] += 1
    line = f"{number}: {result.verdict}, {result.formula}, {result.why}, seed {seed}"
    if not result.verdict.is_given:
        tally.undecided.append(line)
    elif result.verdict is not Verdict.TRIVIAL and is_right != result.verdict.holds:
        tally.false.append(line)
    if repair and not is_right and result.verdict.is_wrong:
        tally.repaired += bool(result.repair)
        tally.not_repaired += [] if result.repair else [line]


def checked(statement: Gradient | Identity, tree: Tree, seed: int, repair: bool) -> Result:
    """The checker's verdict on what is claimed to be right."""
    claim = Claim(claim=statement.claim(tree))
    reader = Reader(ClaimSet(symbols=statement.symbols(), equations=statement.equations))
    try:
        return check_formula(reader, reader.system(), claim, seed, repair=repair)
    except WorkingsError as error:
        return Result(Verdict.NOT_READ, Evidence(why=str(error)), formula=claim.claim)
