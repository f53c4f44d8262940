"""The class of a picture that was dropped or drawn, and which of its pixels decided."""

import base64
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from workings.errors import WorkingsError
from workings.nn.conv.cnn import CNN
from workings.page.trying.opened import run_at
from workings.run.run import Run
from workings.tasks.images import files as image_files
from workings.tasks.images.task import ImageTask

EXAMPLES = 12
NEAREST = 5


def _task(run: Run) -> ImageTask:
    if not isinstance(run.task, ImageTask):
        raise WorkingsError(f"{run.folder.path}: is no image classifier")
    return run.task


def first(run: Run) -> dict[str, object]:
    """The classes, the size, and some test images where the data is at hand."""
    task = _task(run)
    about: dict[str, object] = {"classes": list(task.form.names), "shape": list(task.form.shape)}
    try:
        test = task.set.splits["test"]
    except WorkingsError as error:
        return about | {"examples": [], "without": str(error), "dark": True}
    chosen = np.linspace(0, len(test) - 1, min(EXAMPLES, len(test))).astype(int)
    shown = [
        {
            "number": int(n),
            "image": _image(test.pixels[n]),
            "class": task.form.names[test.labels[n]],
        }
        for n in chosen
    ]
    return about | {"examples": shown, "dark": float(test.pixels[:50].float().median()) < 128}


def _image(pixels_CHW: Tensor) -> str:
    """Bytes as red, green, blue, opaque, for a canvas."""
    channels, height, width = pixels_CHW.shape
    rgb = pixels_CHW.expand(3, height, width) if channels == 1 else pixels_CHW[:3]
    opaque = torch.full((1, height, width), 255, dtype=torch.uint8)
    return base64.b64encode(torch.cat([rgb, opaque]).permute(1, 2, 0).numpy().tobytes()).decode()


def example(path: str, trust: bool, number: int) -> Iterator[dict[str, object]]:
    """What the model makes of a test image."""
    run = run_at(path, trust)
    test = _task(run).set.splits["test"]
    if not 0 <= number < len(test):
        raise WorkingsError(f"{number}: there are {len(test)} test images")
    names = _task(run).form.names
    yield {**_seen(run, test.pixels[number]), "is": names[int(test.labels[number])]}


def picture(path: str, trust: bool, file: str) -> Iterator[dict[str, object]]:
    """What the model makes of a picture in a file."""
    run = run_at(path, trust)
    channels, *size = _task(run).form.shape
    problems = image_files.unreadable([Path(file)])
    if problems:
        why = next(iter(problems.values())).replace(f"{file}: ", "")
        raise WorkingsError(f"the picture: {why}")
    pixels = image_files.from_pictures([Path(file)], channels, (size[0], size[1]))
    yield _seen(run, torch.from_numpy(pixels)[0])


def _seen(run: Run, pixels_CHW: Tensor) -> dict[str, object]:
    task, model = _task(run), run.model
    x_NCHW = task.form.normalised(pixels_CHW[None]).requires_grad_()
    with torch.enable_grad():
        logits_NK = model.logits(x_NCHW) if isinstance(model, CNN) else model(x_NCHW)
        p_K = logits_NK.float().softmax(1)[0]
        (gradient,) = torch.autograd.grad(logits_NK[0, int(p_K.argmax())], x_NCHW)
    looked_HW = gradient[0].abs().amax(0)
    looked_HW = looked_HW / looked_HW.max().clamp_min(1e-12)
    probabilities = dict(zip(task.form.names, p_K.tolist(), strict=True))
    return {
        "image": _image(pixels_CHW),
        "probabilities": probabilities,
        "looked": [[round(value, 3) for value in row] for row in looked_HW.tolist()],
        "nearest": _nearest(task, pixels_CHW),
    }


def _nearest(task: ImageTask, pixels_CHW: Tensor) -> list[dict[str, object]]:
    """The training images that differ least, pixel by pixel; none where the data is not at hand."""
    try:
        train = task.set.splits["train"]
    except WorkingsError:
        return []
    flat = train.pixels.flatten(1)
    distance = torch.cat(
        [(part.float() - pixels_CHW.flatten().float()).square().sum(1) for part in flat.split(4096)]
    )
    best = distance.topk(min(NEAREST, len(distance)), largest=False).indices.tolist()
    return [
        {"image": _image(train.pixels[n]), "class": task.form.names[int(train.labels[n])]}
        for n in best
    ]
