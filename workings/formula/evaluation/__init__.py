"""The value of a tree whose names are resolved: float64 tensors, by a walk over it."""
