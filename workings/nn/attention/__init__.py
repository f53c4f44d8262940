"""Attention by softmax and by its Taylor series, and the language model around them."""
