"""Load the trained model of this folder: `model, config = load()`. Needs torch alone."""

import json
import math
from pathlib import Path

import torch
from model import Model  # type: ignore[import-not-found]  # the file beside this one
from torch import Tensor, nn

HERE = Path(__file__).parent
TYPES = {"F32": torch.float32, "F64": torch.float64, "I64": torch.int64, "BF16": torch.bfloat16}


def load(folder: Path | str = HERE) -> tuple[nn.Module, dict[str, object]]:
    """The model with its weights, ready for use, and its config."""
    config = json.loads((Path(folder) / "config.json").read_text(encoding="utf-8"))
    model: nn.Module = Model(config["model"])
    model.load_state_dict(tensors(Path(folder) / "weights.safetensors"))
    return model.eval().requires_grad_(False), config


def tensors(path: Path) -> dict[str, Tensor]:
    """What a safetensors file holds: a header's length, the header as JSON, then the numbers."""
    content = bytearray(path.read_bytes())
    start = 8 + int.from_bytes(content[:8], "little")
    tensors = {}
    for name, about in json.loads(content[8:start]).items():
        if name != "__metadata__":
            where = {"count": math.prod(about["shape"]), "offset": start + about["data_offsets"][0]}
            flat = torch.frombuffer(content, dtype=TYPES[about["dtype"]], **where)
            tensors[name] = flat.view(about["shape"])
    return tensors
