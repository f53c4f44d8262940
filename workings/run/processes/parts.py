"""What only one of several processes has, in a checkpoint: its carried and its random state."""

import json

import safetensors.torch
import torch
from torch import Tensor

from workings.json_files import WrongJson, parse
from workings.run.folder.stored_state import unflatten_stored
from workings.run.machine.random_state import random_state
from workings.tasks.task import Carry
from workings.tree import flatten, map_tensors

REST = "carry.json"  # of the carried state, what is no tensor


def pack(carry: Carry, device: torch.device) -> bytes:
    """This process's part, to be sent to the first one."""
    tensors = random_state(device)
    # Cloned: a state may hold one tensor twice, which safetensors refuses.
    rest = flatten(map_tensors(Tensor.clone, carry), "carry", tensors)
    tensors[REST] = torch.frombuffer(bytearray(json.dumps(rest).encode()), dtype=torch.uint8)
    return safetensors.torch.save({name: tensor.cpu() for name, tensor in tensors.items()})


def named(parts: list[bytes]) -> dict[str, Tensor]:
    """The parts of the processes after the first one as tensors of a checkpoint."""
    return {
        _prefix(rank) + name: tensor
        for rank, part in enumerate(parts, 1)
        for name, tensor in safetensors.torch.load(part).items()
    }


def part(tensors: dict[str, Tensor], rank: int) -> tuple[object, dict[str, Tensor]]:
    """The carried state of a process after the first one, and its other tensors."""
    prefix = _prefix(rank)
    own = {name.removeprefix(prefix): t for name, t in tensors.items() if name.startswith(prefix)}
    if REST not in own or own[REST].dtype != torch.uint8:
        raise WrongJson(f"{prefix}{REST}: is missing")
    return unflatten_stored(parse(bytes(own[REST].numpy())), own, f"{prefix}carry"), own


def _prefix(rank: int) -> str:
    return f"process.{rank}."
