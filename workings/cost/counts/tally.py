"""What a module has and does at given sizes: its parameters, and one pass forward and back.

The meta device knows shapes and no values, so a large module costs nothing to count. There
torch.nn.LSTM and scaled_dot_product_attention come apart into their products, which the CPU's own
kernels hide.
"""

import copy
import random
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.parameter import is_lazy

from workings.cost.counts.one_pass import Counting, needs_values
from workings.cost.counts.samples import Refused
from workings.cost.quantities import Counts
from workings.errors import WorkingsError, first_line
from workings.formula.polynomial import Sizes


class Example(NamedTuple):
    """A module, what its forward is called with, and whether the input needs a gradient.

    It does in the middle of a network; images and features at its start do not.
    """

    module: nn.Module
    inputs: tuple[object, ...] | dict[str, object] | None
    """in order, or by the names of forward's arguments"""
    input_grad: bool = True


Maker = Callable[[Sizes], Example]

LARGEST_REAL = 10_000_000  # parameters of a module that is counted on real tensors


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
    is_random: bool = False
    """it drew random numbers, or had some for its inputs: another pass may do other work"""


def tally(make: Maker, sizes: Sizes) -> Tally:
    """What a module of these sizes has and does.

    Backward is from the first output. Memory is every tensor saved for it, by its whole storage
    and once, without parameters and buffers.
    """
    try:
        return _tally(make, sizes, "meta")
    except (WorkingsError, Refused):
        raise
    except (Exception, SystemExit) as error:  # what a user's module may raise
        if needs_values(error):
            return _tally_real(make, sizes, error)
        raise refusal(error) from error


def _tally_real(make: Maker, sizes: Sizes, unreal: BaseException) -> Tally:
    try:
        module = built(make, sizes)
        if sum(p.numel() for p in module.parameters() if not is_lazy(p)) > LARGEST_REAL:
            raise refusal(unreal)
        return _tally(make, sizes, "cpu")
    except (WorkingsError, Refused):
        raise
    except (Exception, SystemExit) as error:
        raise refusal(error) from error


def built(make: Maker, sizes: Sizes) -> nn.Module:
    """The module alone, without values unless it, or its input, cannot be made so."""
    try:
        with torch.device("meta"):
            return make(sizes).module
    except Exception as error:  # what a user's module may raise
        if not needs_values(error):
            raise
    return make(sizes).module


def refusal(error: BaseException) -> Refused:
    """What a user's module raised, as a refusal of the sizes."""
    return Refused(f"{type(error).__name__}: {first_line(error)}")


def _tally(make: Maker, sizes: Sizes, device: str) -> Tally:
    with torch.device(device), _with_gradients(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module, inputs, input_grad = make(sizes)
        if device == "meta" and any(not p.is_meta for p in module.parameters()):
            module = copy.deepcopy(module).to("meta")  # one with values, built beforehand
        by_name = inputs if isinstance(inputs, dict) else {}
        in_order = () if inputs is None or by_name else tuple(inputs)
        given = tuple(leaf(value, input_grad, device) for value in in_order)
        named = {name: leaf(value, input_grad, device) for name, value in by_name.items()}
        _settle(module, inputs is not None, given, named)
        result = Tally(parameters(module), real=device != "meta")
        if inputs is not None:
            counting = Counting(module, result.real)
            before = _random_state()
            with _plain_kernels() if result.real else nullcontext():
                result.counts |= counting.run(given, named)
            result.is_random = result.real or _random_state() != before
            result.uncounted, result.calls = counting.uncounted, counting.calls
    return result


@contextmanager
def _with_gradients() -> Iterator[None]:
    """Also where the caller, or a module before, has switched them off."""
    with torch.inference_mode(False), torch.enable_grad():
        yield


def _random_state() -> tuple[object, ...]:
    """Of the generators that a forward may draw from; a draw on the meta device changes none."""
    kind, keys, *rest = np.random.get_state(legacy=True)
    return (
        random.getstate(),
        (kind, np.asarray(keys).tobytes(), *rest),
        torch.get_rng_state().numpy().tobytes(),
    )


@contextmanager
def _plain_kernels() -> Iterator[None]:
    """The CPU's own kernels of whole layers hide their products."""
    with torch.backends.mkldnn.flags(enabled=False), sdpa_kernel(SDPBackend.MATH):
        yield


def _settle(
    module: nn.Module, has_inputs: bool, inputs: tuple[object, ...], named: dict[str, object]
) -> None:
    """Give lazy parameters the shapes that a first call gives them."""
    if any(is_lazy(each) for each in [*module.parameters(), *module.buffers()]):
        if not has_inputs:
            raise WorkingsError("has lazy parameters, whose shapes follow from an input; give one")
        with torch.no_grad():
            module(*inputs, **named)


def parameters(module: nn.Module) -> Counts:
    """The number of parameters, by module; a shared one counts once."""
    counts: Counter[tuple[str, str]] = Counter()
    for name, parameter in module.named_parameters():
        counts["params", name.rpartition(".")[0]] += parameter.numel()
    return dict(counts)


def leaf(value: object, input_grad: bool, device: str) -> object:
    """An input, or the tensors of a list or dict, where the backward pass ends."""
    if isinstance(value, dict):
        return {key: leaf(each, input_grad, device) for key, each in value.items()}
    if type(value) is list:
        return [leaf(each, input_grad, device) for each in value]
    if type(value) is tuple:
        return tuple(leaf(each, input_grad, device) for each in value)
    if not isinstance(value, Tensor) or value.layout != torch.strided:
        return value
    value = value.detach().to(device)
    return value.requires_grad_(input_grad and value.is_floating_point())
