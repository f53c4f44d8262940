"""Pickles written by hand, as Python 2 wrote Planetoid's files."""

import struct

import numpy as np


def string(content: bytes) -> bytes:
    return b"T" + struct.pack("<i", len(content)) + content


def number(value: int) -> bytes:
    return b"J" + struct.pack("<i", value)


def array(value: np.ndarray) -> bytes:
    """As Python 2 pickled an array."""
    kind = string(value.dtype.str[1:].encode())
    shape = b"(" + b"".join(number(n) for n in value.shape) + b"t"
    return (
        b"cnumpy.core.multiarray\n_reconstruct\n"
        + b"cnumpy\nndarray\n" + number(0) + b"\x85" + string(b"b") + b"\x87R"
        + b"(" + number(1) + shape
        + b"cnumpy\ndtype\n" + kind + number(0) + number(1) + b"\x87R"
        + b"(" + number(3) + string(b"<") + b"NNN" + number(-1) + number(-1) + number(0) + b"tb"
        + b"\x89" + string(value.tobytes()) + b"tb"
    )  # fmt: skip


def matrix(table: np.ndarray) -> bytes:
    """As Python 2 pickled a scipy.sparse.csr_matrix."""
    row, column = np.nonzero(table)
    starts = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=len(table)))])
    parts = {
        "indptr": array(starts.astype("<i4")),
        "indices": array(column.astype("<i4")),
        "data": array(table[row, column].astype("<f4")),
        "_shape": number(table.shape[0]) + number(table.shape[1]) + b"\x86",
    }
    state = b"".join(string(name.encode()) + value for name, value in parts.items())
    return b"cscipy.sparse.csr\ncsr_matrix\n)\x81}(" + state + b"ub"


def lists(graph: dict[int, list[int]]) -> bytes:
    items = b"".join(
        number(i) + b"](" + b"".join(map(number, near)) + b"e" for i, near in graph.items()
    )
    return b"ccollections\ndefaultdict\nc__builtin__\nlist\n\x85R(" + items + b"u"


def whole(body: bytes) -> bytes:
    return b"\x80\x02" + body + b"."
