"""What torch hands to the forward and backward passes of a hand-written `autograd.Function`."""

from typing import Protocol

from torch import Tensor


class FunctionContext(Protocol):
    """Carries from forward to backward what the gradient needs.

    Tensors go through `save_for_backward`, so that autograd can watch over them; what is no tensor
    is an attribute, which the subclass of each function names with its type.
    """

    @property
    def saved_tensors(self) -> tuple[Tensor, ...]:
        """What `save_for_backward` was given, in its order; None where it was given None."""

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        """Keep these tensors, called once."""

    def mark_dirty(self, *tensors: Tensor) -> None:
        """Say that forward has changed these inputs in place."""
