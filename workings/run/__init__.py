"""Runs: one training of one task, from one config, in one folder."""
