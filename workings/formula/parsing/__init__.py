"""Text to tree: tokens, then recursive descent over the levels of the grammar."""
