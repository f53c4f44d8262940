"""Work in parts: every thing once, on every thread, and torch's own threads as they were."""

import contextlib
import multiprocessing
import threading
from collections.abc import Iterator

import pytest
import torch

from workings.nn.attention.taylor.layer import taylor_attention
from workings.nn.threads import each_part, on_one_thread


@pytest.fixture(params=[1, 2, 3])
def threads(request: pytest.FixtureRequest) -> Iterator[int]:
    before = torch.get_num_threads()
    torch.set_num_threads(request.param)
    yield request.param
    torch.set_num_threads(before)


@pytest.mark.parametrize(("count", "step"), [(1, 1), (1, 9), (7, 2), (8, 100)])
def test_every_thing_is_done_once_at_most_so_many_at_a_time(
    count: int, step: int, threads: int
) -> None:
    done = torch.zeros(count)
    sizes = []

    def work(part: slice) -> None:
        done[part] += 1
        sizes.append(len(done[part]))

    each_part(work, count, step)
    assert (done == 1).all()
    assert max(sizes) <= step
    assert len(sizes) >= min(count, threads)
    assert torch.get_num_threads() == threads


def test_parts_run_side_by_side_each_on_one_thread_without_gradients() -> None:
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    together = threading.Barrier(2, timeout=20)
    seen = []

    def work(part: slice) -> None:
        together.wait()  # would break if one part waited for the other to end
        seen.append((torch.get_num_threads(), torch.is_grad_enabled()))

    each_part(work, 2, 2)
    assert seen == [(1, False)] * 2
    assert torch.get_num_threads() == 2
    torch.set_num_threads(before)


def test_an_error_in_a_part_is_raised(threads: int) -> None:
    def work(part: slice) -> None:
        if part.start:
            raise ValueError("of a part")

    with pytest.raises(ValueError, match="of a part"):
        each_part(work, 4, 1)


def _attend() -> torch.Tensor:
    torch.manual_seed(1)
    q, k, v = torch.randn(3, 5, 200, 4, dtype=torch.double)
    return taylor_attention(q, k, v, causal=True, method="features")


def test_the_number_of_threads_does_not_change_the_result(threads: int) -> None:
    found = _attend()
    torch.set_num_threads(1)
    torch.testing.assert_close(found, _attend())


def _attend_in_a_fork(pipe: "multiprocessing.connection.Connection") -> None:
    pipe.send(_attend().sum().item())


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_process_forked_off_has_threads_of_its_own(threads: int) -> None:
    expected = _attend().sum().item()
    context = multiprocessing.get_context("fork")
    mine, theirs = context.Pipe()
    process = context.Process(target=_attend_in_a_fork, args=(theirs,), daemon=True)
    process.start()
    try:
        assert mine.poll(30)
        assert mine.recv() == pytest.approx(expected)
    finally:
        process.kill()
        process.join()


@pytest.mark.parametrize("small", [True, False])
def test_small_operations_take_one_thread(small: bool, threads: int) -> None:
    with contextlib.suppress(ZeroDivisionError), on_one_thread(small):
        assert torch.get_num_threads() == (1 if small else threads)
        raise ZeroDivisionError
    assert torch.get_num_threads() == threads
