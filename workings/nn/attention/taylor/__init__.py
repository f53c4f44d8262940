"""Attention by the Taylor series of the exponential: linear in the length."""
