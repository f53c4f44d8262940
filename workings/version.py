"""The version of the package, in a file that everything may import."""

__version__ = "0.1.0"
