"""The state of torch's random generators, as a checkpoint keeps it."""

import numpy as np
import torch
from torch import Tensor

from workings.errors import first_line
from workings.json_files import WrongJson


def seed_process(seed: int, rank: int, step: int) -> None:
    """Draw other numbers than the other processes of a run, from this step on."""
    drawn = np.random.SeedSequence([seed, rank, step]).generate_state(1, np.uint64)
    torch.manual_seed(int(drawn[0]) >> 1)


def random_state(device: torch.device) -> dict[str, Tensor]:
    """The CPU's generator, and the device's own where it has one."""
    states = {"random.cpu": torch.get_rng_state()}
    if device.type == "cuda":
        states["random.cuda"] = torch.cuda.get_rng_state(device)
    if device.type == "mps":
        states["random.mps"] = torch.mps.get_rng_state()
    return states


def restore_random_state(tensors: dict[str, Tensor], device: torch.device) -> None:
    """Go on drawing where `random_state` was taken; WrongJson where that is no such state."""
    own, given = torch.get_rng_state(), tensors.get("random.cpu")
    if given is None or (given.dtype, given.shape) != (own.dtype, own.shape):
        raise WrongJson("random.cpu: is not a state of torch's random generator")
    try:
        torch.set_rng_state(given)
    except RuntimeError as error:  # the right size, and no state all the same
        raise WrongJson(f"random.cpu: {first_line(error)}") from error
    if device.type == "cuda" and "random.cuda" in tensors:
        torch.cuda.set_rng_state(tensors["random.cuda"], device)
    if device.type == "mps" and "random.mps" in tensors:
        torch.mps.set_rng_state(tensors["random.mps"])
