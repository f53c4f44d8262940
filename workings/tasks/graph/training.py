"""What the problems of the graph task share in training: its metrics, and which weights decay."""

from torch import nn

from workings.errors import WorkingsError
from workings.tasks.graph.config import GraphTrain
from workings.tasks.task import ParameterGroup

FEW = 300  # validation examples, below which the loss and not the accuracy decides

METRICS = (
    *("loss", "accuracy", "balanced_accuracy", "calibration_error", "nodes", "graphs"),
    *("roc_auc", "average_precision", "edges", "mrr", "hits_1", "hits_3", "hits_10"),
)


def decay_groups(
    model: nn.Module, first: list[nn.Parameter] | None, train: GraphTrain
) -> list[ParameterGroup]:
    """The optimizer's groups: all weights decay, or those of the first layer alone.

    first: those of the first layer; None where it is not known.
    """
    learned = [weight for weight in model.parameters() if weight.requires_grad]
    if train.decay_on == "all" or not train.weight_decay:
        return [{"params": learned}]
    if first is None:
        raise WorkingsError(
            "train.decay_on: which layer of your own model is the first is not known; set it "
            "to all, or train.weight_decay = 0"
        )
    chosen = {id(weight) for weight in first}
    rest = [weight for weight in learned if id(weight) not in chosen]
    return [{"params": first}, {"params": rest, "weight_decay": 0.0}]
