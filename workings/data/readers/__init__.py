"""Readers that are safe with strangers' files: nothing runs, sizes are checked first."""

from workings.data.readers import (
    audio,
    idx,
    npz,
    pickles,
    pictures,
    pixeltable,
    tar_archive,
    unpack,
)

__all__ = ["audio", "idx", "npz", "pickles", "pictures", "pixeltable", "tar_archive", "unpack"]
