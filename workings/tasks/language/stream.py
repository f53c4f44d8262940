"""The loss of every token of a text, read as one stream from its first token to its last.

The state goes on from window to window, so how long a window is changes nothing but the memory.
What costs time is the output layer: of 10,000 types, two thirds of an evaluation are its matrix
product, which no other way of reading saves. So a stream is read once where it is asked for twice,
as it is at the end of a run: for each line's loss, and for the test metrics.
"""

# B streams, T window, N tokens of a stream, V vocabulary

import hashlib
from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from workings.errors import WorkingsError
from workings.nn.language import LanguageModel
from workings.tasks.task import Carry, Tick
from workings.tree import map_tensors


class Stream:
    """Reads texts with a model; remembers the losses of the last one."""

    def __init__(self, window: int, to_tensor: Callable[[np.ndarray], Tensor]) -> None:
        """window: tokens read at a time."""
        self.window, self.to_tensor = window, to_tensor
        self.last: tuple[str, np.ndarray] = "", np.zeros(0)

    def losses(self, model: nn.Module, ids: np.ndarray, streams: int, tick: Tick) -> np.ndarray:
        """Of each token but the first, given all before it; of several streams, one by one.

        The last call's losses are kept: asked for again, they are not computed a second time.

        streams: parts of equal length, each read from a zero state; what is over is left out.
        """
        key = _digest(model, ids, streams)
        if key != self.last[0]:
            self.last = key, self.read(model, ids, streams, tick)
        return self.last[1]

    @torch.no_grad()
    def read(self, model: nn.Module, ids: np.ndarray, streams: int, tick: Tick) -> np.ndarray:
        """The same losses, computed anew even where the last call had the same model and text."""
        row = (len(ids) - 1) // streams
        if row < 1:
            raise WorkingsError(
                f"there is no text to read: {max(0, len(ids) - 1)} tokens for {streams} stream(s); "
                "give more text, or a larger share of it"
            )
        was_training = model.training
        model.eval()
        x_BN, y_BN = (ids[i : i + streams * row].reshape(streams, row) for i in (0, 1))
        T, carry, parts = max(1, self.window // streams), None, []
        for start in range(0, row, T):
            x_BT, y_BT = (self.to_tensor(ids_BN[:, start : start + T]) for ids_BN in (x_BN, y_BN))
            losses_BT, carry = token_losses(model, x_BT, y_BT, carry)
            parts.append(losses_BT.cpu())
            tick(min(start + T, row) * streams)
        model.train(was_training)
        return torch.cat(parts, 1).flatten().numpy()


def token_losses(
    model: nn.Module, x_BT: Tensor, y_BT: Tensor, carry: Carry
) -> tuple[Tensor, Carry]:
    """The cross-entropy of every target, and what is carried to the next window."""
    if isinstance(model, LanguageModel):
        losses_BT, state = model.losses(x_BT, y_BT, carry)
    else:
        logits_BTV, state = model(x_BT, carry)
        losses_BT = F.cross_entropy(logits_BTV.float().transpose(1, 2), y_BT, reduction="none")
    return losses_BT, map_tensors(Tensor.detach, state)


def _digest(model: nn.Module, ids: np.ndarray, streams: int) -> str:
    """Of all that the losses depend on: the model, its weights, the precision, the text."""
    rounded = [torch.is_autocast_enabled(device) for device in ("cpu", "cuda", "mps")]
    made = hashlib.sha256(f"{id(model)} {rounded} {streams} {ids.dtype} ".encode())
    made.update(np.ascontiguousarray(ids).data)
    for name, tensor in model.state_dict().items():
        made.update(name.encode())
        made.update(tensor.detach().cpu().contiguous().flatten().view(torch.uint8).numpy())
    return made.hexdigest()
