"""Readers of file formats that are safe with strangers' files."""
