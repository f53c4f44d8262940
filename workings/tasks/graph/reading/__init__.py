"""Graphs from files of any known format, by name, and from other libraries."""
