"""What a module does, operation by operation: one pass forward and back on the meta device.

The meta device knows shapes and no values, so a large module costs nothing to count. There
torch.nn.LSTM and scaled_dot_product_attention come apart into their products, which the CPU's own
kernels hide.
"""

import copy
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode

from workings.cost.operations import UnknownOperation, Work, base_name, work
from workings.cost.recover import Refused
from workings.errors import WorkingsError
from workings.formula.polynomial import Sizes


class Example(NamedTuple):
    """A module, what its forward is called with, and whether the input needs a gradient.

    It does in the middle of a network; images and features at its start do not.
    """

    module: nn.Module
    inputs: tuple[Any, ...] | None
    input_grad: bool = True


Maker = Callable[[Sizes], Example]

QUANTITIES = {
    "params": "parameters",
    "forward": "multiply-adds",
    "backward": "multiply-adds",
    "elementwise": "operations, forward",
    "elementwise_backward": "operations, backward",
    "moved": "elements copied, forward",
    "memory": "bytes kept for the backward pass",
}

OPERATIONS = "operations"  # all of the forward pass: multiply-adds, elementwise and moved
BACKWARD = ("backward", "elementwise_backward")
RUNNING = (*(q for q in QUANTITIES if q != "params"), OPERATIONS)
LARGEST_REAL = 10_000_000  # parameters of a module that is counted on real tensors

Counts = dict[tuple[str, str], int]  # by (quantity, path of the module)


@dataclass
class Tally:
    """What a module has and does, by quantity and by the module that does it."""

    counts: Counts
    uncounted: dict[str, str] = field(default_factory=dict)
    """why a quantity is not among them"""
    calls: int = 0
    """operations that were run: what counting itself took"""
    real: bool = False
    """counted with real tensors, since what the module does depends on their values"""


def tally(make: Maker, sizes: Sizes) -> Tally:
    """What a module of these sizes has and does.

    Backward is from the first output. Memory is every tensor saved for it, by its whole storage
    and once, without parameters and buffers.
    """
    try:
        return _tally(make, sizes, "meta")
    except (WorkingsError, Refused):
        raise
    except Exception as error:  # what a user's module may raise
        if "meta" in str(error).lower():  # .item(), nonzero: there are no values on that device
            return _tally_real(make, sizes, error)
        raise _refusal(error) from error


def _tally_real(make: Maker, sizes: Sizes, unreal: Exception) -> Tally:
    try:
        if sum(_tally(make, sizes, "meta", run=False).counts.values()) > LARGEST_REAL:
            raise _refusal(unreal)
        return _tally(make, sizes, "cpu")
    except (WorkingsError, Refused):
        raise
    except Exception as error:
        raise _refusal(error) from error


def _refusal(error: Exception) -> Refused:
    line = str(error).strip().partition("\n")[0]
    return Refused(f"{type(error).__name__}: {line}")


def _tally(make: Maker, sizes: Sizes, device: str, run: bool = True) -> Tally:
    with torch.device(device), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module, inputs, input_grad = make(sizes)
        result = Tally(parameters(module), real=device != "meta")
        if device == "meta" and any(not p.is_meta for p in module.parameters()):
            module = copy.deepcopy(module).to("meta")  # one with values, built beforehand
        if inputs is not None and run:
            counting = _Counting(module, result.real)
            given = tuple(_leaf(value, input_grad, device) for value in inputs)
            result.counts |= counting.run(given)
            result.uncounted, result.calls = counting.uncounted, counting.calls
    return result


def parameters(module: nn.Module) -> Counts:
    """The number of parameters, by module; a shared one counts once."""
    counts: Counter[tuple[str, str]] = Counter()
    for name, parameter in module.named_parameters():
        counts["params", name.rpartition(".")[0]] += parameter.numel()
    return dict(counts)


def _leaf(value: Any, input_grad: bool, device: str) -> Any:
    if not isinstance(value, Tensor) or value.layout != torch.strided:
        return value
    value = value.detach().to(device)
    return value.requires_grad_(input_grad and value.is_floating_point())


class _Counting(TorchDispatchMode):
    """Sees every operation below autograd, and knows whose it is.

    Forward, by the stack of modules that are running. Backward, by the number that autograd gives
    to each of its nodes in the order in which it makes them: a module's are those of its run.
    """

    def __init__(self, module: nn.Module, real: bool) -> None:
        super().__init__()
        self.module, self.real = module, real
        self.stack: list[tuple[str, int]] = []
        self.owner: dict[int, str] = {}
        self.path = ""  # of the last backward node with an owner
        self.counts: Counter[tuple[str, str]] = Counter()
        self.uncounted: dict[str, str] = {}
        self.calls = 0
        held = [*module.parameters(), *module.buffers()]
        self.storages = {key: storage for t in held for key, storage in _storages(t)}

    def run(self, inputs: tuple[Any, ...]) -> Counts:
        """The counts of a pass forward and back, without those that an unknown operation spoils.

        One in the backward pass leaves the forward pass; one in the forward pass leaves nothing.
        """
        self.module.zero_grad()  # adding to gradients that are there already is work
        with self._watched(), self:
            try:
                spoils = RUNNING
                with torch.autograd.graph.saved_tensors_hooks(self._save, lambda tensor: tensor):
                    outputs = self.module(*inputs)
                spoils = BACKWARD
                if (first := first_output(outputs)) is not None:
                    torch.autograd.backward(first, torch.empty_like(first))
            except UnknownOperation as error:
                self.uncounted = dict.fromkeys(spoils, str(error))
        return {key: count for key, count in self.counts.items() if key[0] not in self.uncounted}

    @contextmanager
    def _watched(self) -> Iterator[None]:
        with ExitStack() as hooks:
            for path, module in self.module.named_modules():
                hooks.enter_context(module.register_forward_pre_hook(self._enter(path)))
                hooks.enter_context(module.register_forward_hook(self._leave))
            yield

    def _enter(self, path: str) -> Callable[..., None]:
        def enter(module: nn.Module, args: Any) -> None:
            self.stack.append((path, torch._C._autograd._get_sequence_nr()))

        return enter

    def _leave(self, module: nn.Module, args: Any, output: Any) -> None:
        path, start = self.stack.pop()
        for number in range(start, torch._C._autograd._get_sequence_nr()):
            self.owner.setdefault(number, path)  # an inner module has been here before

    def _save(self, tensor: Tensor) -> Tensor:
        for key, storage in _storages(tensor):
            if key not in self.storages:
                self.storages[key] = storage  # kept, so that its key is not given to another
                self.counts["memory", self.stack[-1][0] if self.stack else ""] += storage.nbytes()
        return tensor

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        self.calls += 1
        if self.real:  # values matter: no result may be made up
            out = func(*args, **kwargs)
            done = work(func, args, out)
        elif any(_is_sparse(a) for a in args):
            out = _sparse(func, args, kwargs)
            done = None if out is None else work(func, args, out)
        else:
            out = _alike(func, args, kwargs)
            out = func(*args, **kwargs) if out is None else out
            done = work(func, args, out)
        if done is None:
            return self._in_parts(func, args, kwargs)
        self._add(done)
        return out

    def _in_parts(self, func: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """By the operations that PyTorch says this one is made of."""
        parts = torch._decomp.decomposition_table.get(func, func.decompose)
        if not any(_is_sparse(a) for a in args):
            with self:
                out = parts(*args, **kwargs)
            if out is not NotImplemented:
                return out
        where = self.stack[-1][0] if self.stack else self.path
        raise UnknownOperation(
            f"{func} in {where or type(self.module).__name__}: how much work it does is not "
            f"known; say it by workings.cost.operations.PASSES[{base_name(func)!r}] = 1 "
            "(passes over the elements of its first argument)"
        )

    def _add(self, done: Work) -> None:
        node = torch._C._current_autograd_node()
        if node is None:
            path = self.stack[-1][0] if self.stack else ""
            self.counts["forward", path] += done.products
            self.counts["elementwise", path] += done.elementwise
            self.counts["moved", path] += done.moved
        else:
            # Adding up a parameter's gradients has no number: it goes to the node before.
            self.path = self.owner.get(node._sequence_nr(), self.path)
            self.counts["backward", self.path] += done.products
            self.counts["elementwise_backward", self.path] += done.elementwise


# The most frequent operations of a recurrent layer: their meta kernels are slow Python.
ALIKE = {"add", "sub", "mul", "sigmoid", "tanh", "sigmoid_backward", "tanh_backward"}


def _alike(func: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Tensor | None:
    """The result of a pointwise operation on float tensors that are alike: one more of them."""
    name = base_name(func)
    if name not in ALIKE or kwargs or not all(isinstance(a, Tensor) for a in args):
        return None
    first = args[0]
    if any(t.shape != first.shape or t.dtype != first.dtype for t in args):
        return None
    if func.overloadpacket.__name__ != name:
        return first  # in place
    if not first.is_floating_point() or not all(_is_row_major(t) for t in args):
        return None
    return torch.empty_like(first, memory_format=torch.contiguous_format)


def _is_row_major(tensor: Tensor) -> bool:
    strides = tensor.stride()
    return 0 not in strides and sorted(strides, reverse=True) == list(strides)


def _sparse(func: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """The result of an operation on a sparse matrix, of which the meta device knows very few.

    It would give a transpose without entries, whose product then does no work.
    """
    name = base_name(func)
    matrices = [a for a in args if isinstance(a, Tensor)]
    if name in _SPARSE_PRODUCTS and "out" not in kwargs:
        left, right = matrices[-2:]
        return torch.empty(left.shape[0], right.shape[1], dtype=left.dtype, device="meta")
    if name == "t" and args[0].layout == torch.sparse_coo:
        indices, values = args[0]._indices(), args[0]._values()
        shape = args[0].shape[::-1]
        return torch.sparse_coo_tensor(indices, values, shape, check_invariants=False)
    if name in _SPARSE_VIEWS:
        return func(*args, **kwargs)
    return None


_SPARSE_PRODUCTS = ("mm", "addmm", "_sparse_mm", "_sparse_addmm")
_SPARSE_VIEWS = frozenset(
    {"t", "detach", "values", "crow_indices", "col_indices", "_values", "_indices"}
)


def _is_sparse(value: Any) -> bool:
    return isinstance(value, Tensor) and value.layout != torch.strided


def _storages(tensor: Tensor) -> Iterator[tuple[int, Any]]:
    parts = [tensor]
    if tensor.layout == torch.sparse_coo:
        parts = [tensor._values(), tensor._indices()]
    elif tensor.layout != torch.strided:
        parts = [tensor.values(), tensor.crow_indices(), tensor.col_indices()]
    for part in parts:
        storage = part.untyped_storage()
        yield storage._cdata, storage


def first_output(value: Any) -> Tensor | None:
    """The first tensor with a gradient among what forward gave: where backward starts."""
    if isinstance(value, Tensor):
        return value if value.requires_grad else None
    parts = value.values() if isinstance(value, Mapping) else value
    if not isinstance(value, (Mapping, list, tuple)):
        return None
    return next((first for part in parts if (first := first_output(part)) is not None), None)
