"""The parts of a batch make it up: every row once, none much smaller than another."""

import pytest

from workings.tasks.shard import Shard


@pytest.mark.parametrize("of", [1, 2, 3, 7])
@pytest.mark.parametrize("rows", [1, 2, 6, 7, 20])
def test_every_row_is_taken_once(rows: int, of: int) -> None:
    taken = []
    for rank in range(of):
        shard = Shard(rank, of)
        part = shard.take(list(range(rows)))
        assert shard.idle == (rank >= rows)
        assert len(part) in (max(1, rows // of), rows // of + 1)
        taken += [] if shard.idle else part
    assert taken == list(range(rows))
