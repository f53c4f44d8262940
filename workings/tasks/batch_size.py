"""A batch for the number of examples there are, where the config leaves it open."""

FEWEST_STEPS = 20  # of an epoch, below which a default batch is made smaller
SMALLEST = 4


def fitting_batch(batch: int, examples: int) -> int:
    """The batch, halved until an epoch has some steps."""
    while batch > SMALLEST and examples < FEWEST_STEPS * batch:
        batch //= 2
    return batch
