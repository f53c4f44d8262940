"""Random claims, right and wrong, by which the checker is measured."""

from workings.bench.claims.identities import Identity, identities
from workings.bench.claims.networks import Gradient, Network, gradients
from workings.bench.claims.run import Tally, checked, run

__all__ = ["Gradient", "Identity", "Network", "Tally", "checked", "gradients", "identities", "run"]
