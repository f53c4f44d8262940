"""No false verdict on random networks and identities, smooth and kinked, right and wrong."""

from workings.bench.claims import Gradient, Network, checked, run
from workings.bench.claims.identities import Identity, Leaves, Ways, draw
from workings.bench.claims.trees import Misfit, latex, mutants


def test_no_verdict_on_a_random_claim_is_false() -> None:
    tally = run(80, seed=1)
    assert not tally.false, "\n".join(tally.false)
    assert len(tally.undecided) <= 4, "\n".join(tally.undecided)
    assert 20 <= 80 - tally.wrong <= 60


def test_a_flat_side_of_a_kink_is_sought_where_the_rest_does_not_vanish() -> None:
    """A hinge left out of a gradient shows only where tanh is not saturated as well."""
    network = Network(False, ("tanh", "softplus"), "hinge", bias=False, decay=False)
    gradient = Gradient(network, "x", dict(network.gradients())["x"])
    for seed in range(21_000, 21_004):
        assert checked(gradient, gradient.right, seed, repair=False).holds
        for tree in (each for _, each in mutants(gradient.right) if "relu" not in latex(each)):
            assert not checked(gradient, tree, seed, repair=False).holds


def test_what_has_no_value_at_any_draw_is_neither_right_nor_wrong() -> None:
    """That two sides are equal wherever both have a value says nothing where none has."""

    def singular(leaves: Leaves) -> Ways:
        raise Misfit("the inverse of a singular matrix")

    assert Identity("A^{-1}", "A", singular).is_right("A", draws=5) is None


def test_turns_and_reflections_of_every_size_are_drawn() -> None:
    drawn = [
        (sizes["n"], round(float(leaves["Q"].det()))) for leaves, sizes in map(draw, range(64))
    ]
    assert set(drawn) == {(n, sign) for n in (2, 3, 4, 5) for sign in (-1, 1)}
