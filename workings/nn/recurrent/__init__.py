"""Recurrent layers, and the language model around them."""
