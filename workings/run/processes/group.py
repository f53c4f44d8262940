"""What the processes that train one model tell each other; and the one that trains alone.

Every process has the whole model and takes its part of every batch. After the backward pass each
tells the others, in one message, what its part was; then their gradients are added up, in shared
memory or by a second message, so that all make the same step.
PyTorch's DistributedDataParallel does that too, but averages processes as if their parts were of
one size, and sees only losses that come out of `forward`; ours come out of `Task.loss`.
"""

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import torch
import torch.distributed as dist
from torch import Tensor, nn

from workings.errors import Interrupted, WorkingsError
from workings.run.processes import shared_memory
from workings.run.processes.shared_memory import SharedMean

Value = TypeVar("Value")


@dataclass(frozen=True)
class Step:
    """A step as one process has computed it, or as all of them have together."""

    loss: float
    """the mean over its terms"""
    terms: int
    units: int
    signal: int = 0
    """that asks the run to stop"""
    due: bool = False
    """whether a checkpoint is"""


class Alone:
    """One process: it has nobody to ask."""

    rank = 0
    size = 1

    def combine(self, own: Step, weights: Sequence[Tensor]) -> Step:
        """The step of the whole batch; its gradient in place of that of this process's part."""
        return own

    def agree(self, *values: int) -> list[int]:
        """Of each value the largest that any process has."""
        return list(values)

    def from_first(self, compute: Callable[[], Value]) -> Value:
        """What the first process computes, for all; it must be what JSON can hold."""
        return compute()

    def gather(self, pack: Callable[[], bytes]) -> list[bytes]:
        """What every process but the first one packs, in their order."""
        return []

    def check(self) -> None:
        """Raise where another process is known to have ended."""


class Group(Alone):
    """One of several processes, after `torch.distributed.init_process_group`."""

    def __init__(
        self, lost: Callable[[float], str] = lambda seconds: "", one_machine: bool = False
    ) -> None:
        """lost: which process has ended, or ends within some seconds; nothing if none does.

        one_machine: whether all of them are processes of this machine.
        """
        self.rank, self.size = dist.get_rank(), dist.get_world_size()
        self.lost, self.one_machine = lost, one_machine
        self.shared: SharedMean | None = None  # made with the first gradients

    def combine(self, own: Step, weights: Sequence[Tensor]) -> Step:
        flat = self._written(weights)
        # A loss that is no number must be one nowhere, also where its weight is 0.
        weighs = own.terms or not math.isfinite(own.loss)
        told = [own.loss * own.terms if weighs else 0.0, own.terms, own.units]
        told_P5 = self._told(torch.tensor([*told, own.signal, own.due], dtype=torch.float64))
        loss, terms, units = told_P5[:, :3].sum(0).tolist()
        signal, due = told_P5[:, 3:].amax(0).tolist()
        self._take(self._mean(flat, told_P5[:, 1].tolist()), weights)
        return Step(loss / terms, int(terms), int(units), int(signal), bool(due))

    def _written(self, weights: Sequence[Tensor]) -> Tensor:
        """This process's gradients one after the other, and which weights have one."""
        sizes = [weight.numel() for weight in weights]
        flat = self._own_numbers(sum(sizes) + len(weights), weights[0])
        *parts, has_gradient = flat.split([*sizes, len(weights)])
        for number, (weight, part) in enumerate(zip(weights, parts, strict=True)):
            has_gradient[number] = weight.grad is not None
            if weight.grad is None:
                part.zero_()
            else:
                part.view_as(weight).copy_(weight.grad)
        return flat

    def _take(self, flat: Tensor, weights: Sequence[Tensor]) -> None:
        """Give each weight its gradient; one without any in the whole batch keeps none."""
        sizes = [weight.numel() for weight in weights]
        *parts, has_gradient = flat.split([*sizes, len(weights)])
        for weight, part, has in zip(weights, parts, has_gradient.tolist(), strict=True):
            weight.grad = part.view_as(weight) if has else None

    def _own_numbers(self, count: int, like: Tensor) -> Tensor:
        """Where this process puts its part of a sum of so many numbers."""
        if self.one_machine and self.shared is None and like.device.type == "cpu":
            self.shared = self._share(count, like.dtype)
            self.one_machine = self.shared is not None  # where it cannot be had, ask no more
        if self.shared is not None:
            return self.shared.own()
        return torch.empty(count, device=like.device, dtype=like.dtype)

    def _share(self, count: int, dtype: torch.dtype) -> SharedMean | None:
        """The shared memory of all of them; none where one cannot have it."""
        bytes_each = count * torch.empty((), dtype=dtype).element_size()
        path = self.from_first(lambda: shared_memory.reserved(2 * self.size * bytes_each))
        try:
            shared = SharedMean(path, self.rank, self.size, count, dtype) if path else None
        except (OSError, RuntimeError):  # what torch raises of a file that it cannot open
            shared = None
        (someone_lacks_it,) = self.agree(int(shared is None))  # all have opened it, or tried to
        if path and self.rank == 0:
            shared_memory.closed(path)
        return None if someone_lacks_it else shared

    def _mean(self, flat: Tensor, terms: Sequence[float]) -> Tensor:
        """The mean over the processes, each weighted by its terms, once all have told theirs."""
        if self.shared is not None:
            return self.shared.mean(terms)
        flat.mul_(terms[self.rank] / sum(terms))
        self._reduce(flat, dist.ReduceOp.SUM)
        return flat

    def _told(self, own: Tensor) -> Tensor:
        """What every process tells, a row each. All have told when one knows."""
        rows = [torch.empty_like(own) for _ in range(self.size)]
        self._call(dist.all_gather, rows, own)
        return torch.stack(rows)

    def agree(self, *values: int) -> list[int]:
        largest = torch.tensor(values)
        self._reduce(largest, dist.ReduceOp.MAX)
        return largest.tolist()

    def from_first(self, compute: Callable[[], Value]) -> Value:
        if self.rank:
            answer = json.loads(self._broadcast(b""))
            if "interrupted" in answer:
                raise Interrupted(answer["interrupted"])
            return answer["value"]
        try:
            value = compute()
        except Interrupted as stopped:
            self._broadcast(json.dumps({"interrupted": stopped.signal}).encode())
            raise
        self._broadcast(json.dumps({"value": value}).encode())
        return value

    def gather(self, pack: Callable[[], bytes]) -> list[bytes]:
        content = pack()
        sizes = [torch.zeros(1, dtype=torch.long) for _ in range(self.size)]
        self._call(dist.all_gather, sizes, torch.tensor([len(content)]))
        most = int(max(sizes))
        padded = torch.frombuffer(bytearray(content.ljust(most, b"\0")), dtype=torch.uint8)
        padded_parts = [torch.empty_like(padded) for _ in range(self.size)]
        self._call(dist.all_gather, padded_parts, padded)
        cut = [bytes(p.numpy()[: int(n)]) for p, n in zip(padded_parts, sizes, strict=True)]
        return cut[1:]

    def copy_weights(self, model: nn.Module) -> None:
        """Give every process the first one's weights and buffers."""
        for tensor in (*model.parameters(), *model.buffers()):
            self._call(dist.broadcast, tensor.detach(), 0)

    def check(self) -> None:
        if lost := self.lost(0.0):
            raise WorkingsError(lost)

    def _broadcast(self, content: bytes) -> bytes:
        size = torch.tensor([len(content)])
        self._call(dist.broadcast, size, 0)
        message = torch.frombuffer(bytearray(content.ljust(int(size), b"\0")), dtype=torch.uint8)
        self._call(dist.broadcast, message, 0)
        return bytes(message.numpy())

    def _reduce(self, tensor: Tensor, operation: object) -> None:
        self._call(dist.all_reduce, tensor, operation)

    def _call(self, collective: Callable[..., object], *args: object) -> None:
        """A message between all of them; one line where another process is gone."""
        try:
            collective(*args)
        except RuntimeError as error:  # what gloo and nccl raise where a connection is closed
            lost = self.lost(5.0) or "another of the processes that train this run has ended"
            raise WorkingsError(lost) from error
