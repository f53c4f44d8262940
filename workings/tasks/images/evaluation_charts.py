"""Charts of a trained image classifier, from what it makes of the test images."""

# N images, K classes

from collections.abc import Sequence
from typing import TYPE_CHECKING

from torch import Tensor, nn

from workings.tasks import classification
from workings.tasks.images.dataset import Images

if TYPE_CHECKING:
    from workings.tasks.abilities import Chart

MISTAKES = 18  # shown as pictures


def charts(
    model: nn.Module, test: Images, logits_NK: Tensor, names: Sequence[str]
) -> "dict[str, Chart]":
    """By name: confusion, calibration, mistakes if any, the first convolution's filters."""
    from workings.charts import images as draw

    tables = classification.details(logits_NK, test.labels, names)
    drawn: dict[str, Chart] = {
        "confusion": draw.confusion(**tables["confusion"]),
        "calibration": draw.reliability(tables["calibration"]["rows"]),
    }
    p_NK = logits_NK.softmax(1)
    surest = classification.surest_mistakes(p_NK, test.labels)[:MISTAKES].tolist()
    if surest:
        drawn["mistakes"] = draw.mistakes(
            [
                {
                    "pixels": test.pixels[at].numpy(),
                    "true": names[int(test.labels[at])],
                    "predicted": names[int(p_NK[at].argmax())],
                    "confidence": p_NK[at].max().item(),
                }
                for at in surest
            ]
        )
    first = next((layer for layer in model.modules() if isinstance(layer, nn.Conv2d)), None)
    if first is not None:
        drawn["filters"] = draw.filters(first.weight.detach().cpu().numpy())
    return drawn
