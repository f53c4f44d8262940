"""Graph networks, and the sparse matrices they work on."""
