"""Architectures: one a file, tensors only."""
