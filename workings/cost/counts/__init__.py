"""Counts: a module at given sizes, run once with every operation seen and its work counted."""
