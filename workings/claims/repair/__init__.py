"""Repairing a wrong formula."""
