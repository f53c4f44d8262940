"""What the language task can count on in our own language models."""

# B batch, T time, N rows (batch × time), D hidden, V vocabulary

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Generic, TypeVar

from torch import Tensor, nn

from workings.nn.loss import linear_cross_entropy, linear_losses, sampled_cross_entropy

StateT = TypeVar("StateT")  # what a model carries from one window of a text to the next


class LanguageModel(nn.Module, ABC, Generic[StateT]):
    """Called with tokens x_BT and a state or None, gives logits B×T×V and the state after.

    That is all the task needs of a user's own class; ours are faster through the two below.

    softmax_sampled: train with this many types drawn at random in the softmax, 0: with all of
    them; softmax_kept: the most frequent types, which are always in a sampled softmax.
    """

    output: nn.Linear

    def __init__(self, softmax_sampled: int = 0, softmax_kept: int = 1000) -> None:
        super().__init__()
        self.softmax_sampled, self.softmax_kept = softmax_sampled, softmax_kept

    @abstractmethod
    def loss(self, x_BT: Tensor, y_BT: Tensor, state: StateT | None) -> tuple[Tensor, StateT]:
        """Mean cross-entropy of the targets y, in nats a token, and the state after the window."""

    @abstractmethod
    def losses(self, x_BT: Tensor, y_BT: Tensor, state: StateT | None) -> tuple[Tensor, StateT]:
        """The cross-entropy of every target, B×T, and the state after; for evaluation."""

    @abstractmethod
    def stepper(self, tokens: int) -> Callable[[Tensor], Tensor]:
        """For generating about that many tokens: ids B in, logits B×V of the next token out."""

    def cross_entropies(self, h_ND: Tensor, y_N: Tensor) -> Tensor:
        """Of every row, with the whole softmax and without a gradient."""
        return linear_losses(h_ND, self.output.weight, self.output.bias, y_N)

    def cross_entropy(self, h_ND: Tensor, y_N: Tensor) -> Tensor:
        """Of the output layer on h; its softmax is sampled in training only, if it is at all."""
        weight_VD, bias_V = self.output.weight, self.output.bias
        if self.training and self.softmax_sampled:
            sizes = self.softmax_kept, self.softmax_sampled
            return sampled_cross_entropy(h_ND, weight_VD, bias_V, y_N, *sizes)
        return linear_cross_entropy(h_ND, weight_VD, bias_V, y_N)
