"""What the language task can count on in our own language models."""

# B batch, T time, V vocabulary

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

from torch import Tensor, nn


class LanguageModel(nn.Module, ABC):
    """Called with tokens x_BT and a state or None, gives logits B×T×V and the state after.

    That is all the task needs of a user's own class; ours are faster through the two below.
    """

    @abstractmethod
    def loss(self, x_BT: Tensor, y_BT: Tensor, state: Any) -> tuple[Tensor, Any]:
        """Mean cross-entropy of the targets y, in nats a token, and the state after the window."""

    @abstractmethod
    def stepper(self, tokens: int) -> Callable[[Tensor], Tensor]:
        """For generating about that many tokens: ids B in, logits B×V of the next token out."""
