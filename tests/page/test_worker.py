"""Whose turn it is at a process: the newest of a window, or one after another, so many at most."""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from workings.errors import WorkingsError
from workings.page.check_api import MOST_WINDOWS, CheckApi
from workings.page.worker import MOST_WAITING, Stopped, Worker


def test_so_many_requests_wait_for_a_process_and_no_more() -> None:
    worker = Worker()
    worker.waiting.update(range(MOST_WAITING))
    with pytest.raises(WorkingsError, match="wait for this already"):
        next(worker.ask("nobody:asks", 1.0))
    assert not worker.turn.locked()


def test_an_older_request_of_a_window_leaves_as_soon_as_a_newer_one_has_come() -> None:
    worker = Worker(newest_wins=True)
    worker.turn.acquire()  # a request is being worked on
    with ThreadPoolExecutor() as pool:
        older = pool.submit(next, worker.ask("nobody:asks", 1.0))
        while not worker.waiting:
            time.sleep(0.001)
        worker.latest += 1
        with pytest.raises(Stopped):
            older.result(60)
    assert not worker.waiting


def test_a_window_that_gave_way_says_so_and_starts_no_process() -> None:
    checks = CheckApi(Worker(), trust=False)
    workers = [checks.of_window(str(number)) for number in range(MOST_WINDOWS)]
    workers[0].turn.acquire()  # it works: an idle one gives way first
    checks.of_window("one more")
    assert (workers[0].retired, workers[1].retired) == (False, True)
    with pytest.raises(WorkingsError, match="gave way"):
        next(workers[1].ask("nobody:asks", 1.0))
    assert workers[1].process is None
    assert not workers[1].turn.locked()
