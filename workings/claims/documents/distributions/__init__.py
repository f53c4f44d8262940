"""Identities of distributions: expectations, integrals and divergences, as finite sums."""
