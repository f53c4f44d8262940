"""No false verdict on random networks, smooth and kinked, right and wrong."""

from tests.claims.generated import Generated, checked, run
from tests.claims.networks import latex, mutants


def test_no_verdict_on_a_random_network_is_false() -> None:
    tally = run(220, seed=1)
    assert not tally.wrong, "\n".join(tally.wrong)
    assert len(tally.undecided) <= 2, "\n".join(tally.undecided)
    right = sum(n for (truth, _), n in tally.verdicts.items() if truth)
    assert 60 <= right <= 160


def test_a_flat_side_of_a_kink_is_sought_where_the_rest_does_not_vanish() -> None:
    """A hinge left out of a gradient shows only where tanh is not saturated as well."""
    network = Generated(False, ("tanh", "softplus"), "hinge", bias=False, decay=False)
    gradients = dict(network.gradients())
    for seed in range(21_000, 21_012):
        assert checked(network, "x", gradients["x"], seed, repair=False).holds
        for tree in (each for _, each in mutants(gradients["x"]) if "relu" not in latex(each)):
            assert not checked(network, "x", tree, seed, repair=False).holds
