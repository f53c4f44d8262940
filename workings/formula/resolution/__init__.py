"""What the names of a tree stand for: symbols, indices, functions, shapes."""
