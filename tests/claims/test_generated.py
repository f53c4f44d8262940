"""No false verdict on random networks, smooth and kinked, right and wrong."""

from tests.claims.generated import run


def test_no_verdict_on_a_random_network_is_false() -> None:
    tally = run(220, seed=1)
    assert not tally.wrong, "\n".join(tally.wrong)
    assert len(tally.undecided) <= 2, "\n".join(tally.undecided)
    right = sum(n for (truth, _), n in tally.verdicts.items() if truth)
    assert 60 <= right <= 160
