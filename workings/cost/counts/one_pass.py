"""One pass of a module forward and back, in which every operation is seen and its work counted."""

import dataclasses
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager

import torch
from torch import Tensor, nn
from torch._ops import OpOverload
from torch.autograd.function import BackwardCFunction
from torch.utils._python_dispatch import TorchDispatchMode

from workings.cost.counts import trilinear
from workings.cost.counts.meta_results import NeedsValues, is_sparse, meta_result
from workings.cost.counts.operations import base_name, spoils, work
from workings.cost.counts.products import Argument, Arguments, Work
from workings.cost.quantities import BACKWARD, FORWARD, Counts
from workings.errors import first_line

# PyTorch's own kernels for all devices, which are made of other operations; its decompositions in
# Python have other parts, or there are none.
OWN_KERNEL = {
    "_trilinear": torch._C.DispatchKey.CompositeExplicitAutogradNonFunctional,
    "affine_grid_generator": torch._C.DispatchKey.CompositeExplicitAutograd,
}


class Counting(TorchDispatchMode):
    """Sees every operation below autograd, and knows whose it is.

    Forward, by the stack of modules that are running. Backward, by the number that autograd gives
    to each of its nodes in the order in which it makes them: a module's are those of its run.
    """

    def __init__(self, module: nn.Module, real: bool) -> None:
        super().__init__()
        self.module, self.real = module, real
        self.is_backward = False
        self.stack: list[tuple[str, int]] = []
        self.owner: dict[int, str] = {}
        self.path = ""  # of the last backward node with an owner
        self.counts: Counter[tuple[str, str]] = Counter()
        self.uncounted: dict[str, str] = {}
        self.calls = 0
        self.times = 1  # that an operation stands for
        self.lacking = ""  # the first operation that needed values
        held = [*module.parameters(), *module.buffers()]
        self.storages = {key: storage for t in held for key, storage in _storages(t)}

    def run(self, inputs: tuple[object, ...], named: Mapping[str, object] | None = None) -> Counts:
        """The counts of a pass forward and back, without those that an unknown operation spoils."""
        self.module.zero_grad()  # adding to gradients that are there already is work
        with self._watched(), self:
            outputs = self._forward(inputs, named or {})
            if self.lacking:  # and the module caught it, to go on in another way
                raise NeedsValues(f"the meta device has no values: {self.lacking}")
            self._keep_attributes(outputs)
            self.is_backward = True
            self._backward(outputs)
        return {key: count for key, count in self.counts.items() if key[0] not in self.uncounted}

    def _forward(self, inputs: tuple[object, ...], named: Mapping[str, object]) -> object:
        try:
            with torch.autograd.graph.saved_tensors_hooks(self._save, lambda tensor: tensor):
                return self.module(*inputs, **named)
        except RuntimeError as error:
            if "saved tensor hooks" not in str(error):
                raise
        self.counts.clear()
        self.stack.clear()
        self.uncounted["memory"] = "torch.func, which the module uses, does not show what is kept"
        return self.module(*inputs, **named)

    def _backward(self, outputs: object) -> None:
        """From the first output; where that cannot be done, the forward pass is counted still."""
        first = first_output(outputs)
        if first is None:
            return
        try:
            torch.autograd.backward(first, torch.ones_like(first))
        except Exception as error:  # what a user's own backward may raise
            if needs_values(error) and not self.real:
                raise
            reason = f"the backward pass fails: {type(error).__name__}: {first_line(error)}"
            self.uncounted |= dict.fromkeys(BACKWARD, reason)

    @contextmanager
    def _watched(self) -> Iterator[None]:
        with ExitStack() as hooks:
            for path, module in self.module.named_modules():
                if isinstance(module, torch.jit.ScriptModule):
                    continue  # takes no hooks: its work is that of the module around it
                hooks.enter_context(module.register_forward_pre_hook(self._enter(path)))
                hooks.enter_context(module.register_forward_hook(self._leave))
            yield

    def _enter(self, path: str) -> Callable[..., None]:
        def enter(module: nn.Module, args: object) -> None:
            self.stack.append((path, torch._C._autograd._get_sequence_nr()))

        return enter

    def _leave(self, module: nn.Module, args: object, output: object) -> None:
        path, start = self.stack.pop()
        for number in range(start, torch._C._autograd._get_sequence_nr()):
            self.owner.setdefault(number, path)  # an inner module has been here before

    def _save(self, tensor: Tensor) -> Tensor:
        for key, storage in _storages(tensor):
            if key not in self.storages:
                self.storages[key] = storage  # kept, so that its key is not given to another
                self.counts["memory", self._running] += storage.nbytes()
        return tensor

    def _keep_attributes(self, outputs: object) -> None:
        """What the user's own functions keep for their backward pass as attributes."""
        first = first_output(outputs)
        waiting = [] if first is None else [first.grad_fn]
        visited = set()
        while waiting:
            node = waiting.pop()
            if node is None or node in visited:
                continue
            visited.add(node)
            waiting += [following for following, _ in node.next_functions]
            if isinstance(node, BackwardCFunction):
                self.stack.append((self.owner.get(node._sequence_nr(), ""), 0))
                for value in vars(node).values():
                    for tensor in _tensors(value):
                        self._save(tensor)
                self.stack.pop()

    def _watch_savers(self) -> None:
        """Where others save what the backward pass needs, as checkpoints do, we do not see it."""
        if not self.is_backward and "memory" not in self.uncounted:
            hooks = torch._C._autograd._top_saved_tensors_default_hooks(True)
            if hooks is not None and hooks[0] != self._save:
                self.uncounted["memory"] = (
                    f"{self._running or type(self.module).__name__} itself decides what is kept, "
                    "as a checkpoint does"
                )

    @property
    def _running(self) -> str:
        """The path of the module whose work this is."""
        if not self.is_backward:
            return self.stack[-1][0] if self.stack else ""
        # Adding up a parameter's gradients has no number: it goes to the node before.
        node = torch._C._current_autograd_node()
        if node is not None:
            self.path = self.owner.get(node._sequence_nr(), self.path)
        return self.path

    def __torch_dispatch__(
        self,
        func: OpOverload,
        types: object,
        args: Arguments = (),
        kwargs: Mapping[str, Argument] | None = None,
    ) -> Argument:
        kwargs = kwargs or {}
        self.calls += 1
        self._watch_savers()
        out = self._result(func, args, kwargs)
        done = work(func, args, out)
        if done is not None:
            self._add(done)
            return out
        if base_name(func) == "_trilinear":
            self._add_slices(func, args)
            return out
        parts = self._inparts(func, args, kwargs)
        if parts is not NotImplemented:
            return parts
        self._is_unknown(func)
        return out

    def _result(
        self, func: OpOverload, args: Arguments, kwargs: Mapping[str, Argument]
    ) -> Argument:
        """What the operation gives; where values matter, no result may be made up."""
        if self.real:
            return func(*args, **kwargs)
        try:
            return meta_result(func, args, kwargs)
        except Exception as error:  # what PyTorch raises where it has no values
            if needs_values(error):
                self.lacking = self.lacking or f"{func}: {first_line(error)}"
            raise

    def _inparts(
        self, func: OpOverload, args: Arguments, kwargs: Mapping[str, Argument]
    ) -> Argument:
        """By the operations that PyTorch says this one is made of."""
        if any(is_sparse(a) for a in args):
            return NotImplemented
        with self:
            if base_name(func) in OWN_KERNEL:
                return func._op_dk(OWN_KERNEL[base_name(func)], *args, **kwargs)
            parts = torch._decomp.decomposition_table.get(func, func.decompose)
            return parts(*args, **kwargs)

    def _add_slices(self, func: OpOverload, args: Arguments) -> None:
        """A product of three tensors is as many times the work of its first slice."""
        first, slices = trilinear.one_slice(args)
        before = self.times
        self.times *= slices
        self._inparts(func, first, {})
        self.times = before

    def _is_unknown(self, func: OpOverload) -> None:
        """Nothing is said about what this operation would add to; the rest is counted."""
        reason = (
            f"{func} in {self._running or type(self.module).__name__}: how much work it does is "
            f"not known; say it by workings.cost.counts.operations.PASSES[{base_name(func)!r}] = 1 "
            "(passes over the elements of its first argument)"
        )
        for quantity in spoils(func, BACKWARD if self.is_backward else FORWARD):
            self.uncounted.setdefault(quantity, reason)

    def _add(self, done: Work) -> None:
        path, times = self._running, self.times
        if self.is_backward:
            self.counts["backward", path] += times * done.products
            self.counts["elementwise_backward", path] += times * done.elementwise
        else:
            self.counts["forward", path] += times * done.products
            self.counts["elementwise", path] += times * done.elementwise
            self.counts["moved", path] += times * done.moved


def needs_values(error: BaseException) -> bool:
    """Whether it was raised since the meta device has no values: by .item(), nonzero."""
    return isinstance(error, NeedsValues) or "meta" in str(error).lower()


def _storages(tensor: Tensor) -> Iterator[tuple[int, torch.UntypedStorage]]:
    parts = [tensor]
    if tensor.layout == torch.sparse_coo:
        parts = [tensor._values(), tensor._indices()]
    elif tensor.layout != torch.strided:
        parts = [tensor.values(), tensor.crow_indices(), tensor.col_indices()]
    for part in parts:
        storage = part.untyped_storage()
        yield storage._cdata, storage


def _tensors(value: object) -> Iterator[Tensor]:
    """A tensor, or those in a list, a tuple or a dict."""
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, (list, tuple, dict)):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _tensors(each)


def first_output(value: object, depth: int = 8) -> Tensor | None:
    """The first tensor with a gradient among what forward gave: where backward starts."""
    if isinstance(value, Tensor):
        return value if value.requires_grad else None
    inner = (first_output(part, depth - 1) for part in parts(value) if depth)
    return next((first for first in inner if first is not None), None)


def parts(value: object) -> Iterable[object]:
    """What a mapping, a sequence, a dataclass or another object with attributes consists of."""
    if isinstance(value, Mapping):
        return value.values()
    if isinstance(value, (list, tuple)):
        return value
    if dataclasses.is_dataclass(value):
        return [getattr(value, each.name) for each in dataclasses.fields(value)]
    is_plain = isinstance(value, (nn.Module, type)) or not hasattr(value, "__dict__")
    return [] if is_plain else vars(value).values()
