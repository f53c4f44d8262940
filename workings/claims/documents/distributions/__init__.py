"""Identities of distributions: expectations, integrals and divergences, over finitely many values."""
