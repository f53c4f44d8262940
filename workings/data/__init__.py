"""Data: reading, splitting and encoding it; named sets and where they come from."""
