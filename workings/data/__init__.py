"""Data: the named sets, finding and fetching them, and readers safe with strangers' files."""

from workings.data.named import SOURCES
from workings.data.set_description import Source, Splits
from workings.data.sources import cache, checksum, download, find, source, splits, verify

__all__ = [
    "SOURCES",
    "Source",
    "Splits",
    "cache",
    "checksum",
    "download",
    "find",
    "source",
    "splits",
    "verify",
]
