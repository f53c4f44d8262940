"""The products of a recurrence, each of which waits for the one before: how small ones are made.

Several threads wait for each other longer than they compute, and calling oneDNN takes longer than
it gains. What a layer computes for a whole window at once is not among them.
"""

import contextlib
from collections.abc import Iterator

import torch
from torch import Tensor

from workings.nn.matmul import SMALL, by_torch
from workings.nn.threads import on_one_thread

ALONE = 2**23  # multiply-adds of a step's product that one thread makes sooner than two; measured


@contextlib.contextmanager
def small_steps(multiply_adds: int) -> Iterator[None]:
    """Make steps, whose products are each of so many multiply-adds, in the way that is fastest."""
    with on_one_thread(multiply_adds < ALONE), by_torch(multiply_adds < SMALL):
        yield


def backward_on_one_thread(h: Tensor, multiply_adds: int) -> None:
    """Let the backward pass of torch's own LSTM, which gave h, take one thread for small steps."""
    threads, node = torch.get_num_threads(), h.grad_fn
    if threads == 1 or multiply_adds >= ALONE or node is None:
        return
    if node.name() == "ToCopyBackward0":  # under autocast
        node = node.next_functions[0][0]
    if node is not None and node.name() == "MkldnnRnnLayerBackward0":
        node.register_prehook(lambda _: torch.set_num_threads(1))
        node.register_hook(lambda *_: torch.set_num_threads(threads))
