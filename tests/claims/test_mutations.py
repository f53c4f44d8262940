"""Right gradients of networks hold; every single mutation is caught, nine in ten are repaired."""

import random
from collections import Counter
from functools import cache

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from tests.claims.networks import NETWORKS, RIGHT, Network
from workings.bench.claims.trees import Tree, mutants
from workings.claims.kinds.formula_claims import check_formula
from workings.claims.result import Result
from workings.claims.sets import Claim, from_toml
from workings.claims.system.declare import Reader

KINDS = (
    "transpose added", "transpose removed", "elementwise for matrix", "matrix for elementwise",
    "factor dropped", "sign flipped",
)  # fmt: skip
BY_NAME = {network.name: network for network in NETWORKS}


@cache
def reader_of(name: str) -> tuple[Reader, object]:
    given = from_toml(BY_NAME[name].toml() + "\n[[claims]]\nclaim = '1 = 1'\n")
    reader = Reader(given)
    return reader, reader.system()


def checked(network: Network, statement: str) -> Result:
    reader, system = reader_of(network.name)
    return check_formula(reader, system, Claim(claim=statement))  # type: ignore[arg-type]


@cache
def wrong_ones() -> list[tuple[Network, str, str, Tree]]:
    """Every mutant that is not equal to the right formula after all."""
    return [
        (network, by, kind, tree)
        for network, by, right in RIGHT
        for kind, tree in mutants(right)
        if not network.is_right(by, tree)
    ]


@pytest.mark.parametrize(
    ("network", "by", "tree"), RIGHT, ids=[f"{network.name}-{by}" for network, by, _ in RIGHT]
)
def test_every_right_gradient_holds(network: Network, by: str, tree: Tree) -> None:
    assert network.is_right(by, tree)  # by the trees' own values, not the checker's
    result = checked(network, network.statement(by, tree))
    assert result.verdict == "holds", result.evidence


def test_every_kind_of_mutation_is_there_in_every_network() -> None:
    for network in NETWORKS:
        kinds = {kind for other, _, kind, _ in wrong_ones() if other is network}
        assert len(kinds) >= 4, network.name
    assert {kind for _, _, kind, _ in wrong_ones()} == set(KINDS)
    assert len(wrong_ones()) > 500


@given(st.data())
@settings(max_examples=25, deadline=None, derandomize=True)
def test_a_mutant_never_holds_and_its_repair_does(data: st.DataObject) -> None:
    network, by, right = data.draw(st.sampled_from(RIGHT))
    kind, tree = data.draw(st.sampled_from(list(mutants(right))))
    result = checked(network, network.statement(by, tree))
    if network.is_right(by, tree):
        assert result.verdict == "holds"
        return
    assert result.verdict != "holds", kind
    if result.repair:
        assert checked(network, result.repair.formula).verdict == "holds"


def test_nine_mutants_in_ten_are_repaired() -> None:
    """Of a sample in which every kind of mutation has the share that it has of all."""
    sample = random.Random(4).sample(wrong_ones(), 70)
    repaired: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for network, by, kind, tree in sample:
        result = checked(network, network.statement(by, tree))
        assert result.verdict != "holds"
        total[kind] += 1
        repaired[kind] += result.repair is not None
    assert repaired.total() / total.total() >= 0.9, (repaired, total)
    for kind in KINDS:
        if kind != "factor dropped":
            assert repaired[kind] / total[kind] >= 0.95, kind
