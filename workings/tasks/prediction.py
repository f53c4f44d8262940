"""A prediction as every task gives it: the same keys, whatever was asked about.

`input`: the file, the node or the pair; `prediction`: the class, or the text; `probability` of it
under the model. Where there are any: `label`, what it is known to be; `probabilities` of every
class; `note`, what was done to the input, or why there is no prediction.
"""

import math

from workings.errors import WorkingsError


def classified(name: str, probabilities: dict[str, float], **more: object) -> dict[str, object]:
    """The prediction of a classifier: its likeliest class."""
    likeliest = max(probabilities, key=probabilities.__getitem__)
    if not math.isfinite(sum(probabilities.values())):
        raise WorkingsError(
            f"{name}: the model gives no finite number for it: its weights, or what it was given, "
            "are too large"
        )
    row: dict[str, object] = {"input": name, "prediction": likeliest}
    return row | {"probability": probabilities[likeliest], **more, "probabilities": probabilities}
