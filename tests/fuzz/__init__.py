"""Fuzzers: inputs that are nearly right, and the proof that each works or is refused in a line."""
