"""Claims about a live module: whether it computes a formula, forward and backward."""
