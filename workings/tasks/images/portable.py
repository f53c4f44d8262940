"""An image classifier as a stand-alone module, pixels in and log-probabilities out."""

# B batch, C channels, H height, W width

import torch
from torch import Tensor, nn

from workings.json_files import conform
from workings.nn.conv import CNN, ResNet
from workings.nn.conv.cnn import Convolution
from workings.nn.layer_list import layers_of
from workings.nn.standalone import conv
from workings.schema import Config
from workings.tasks.images.preprocessing import Preprocessing
from workings.tasks.portable import Case, Part, Portable, cannot_leave

HOW = """\
channels, height, width = config["model"]["shape"]
pixels = torch.zeros(1, channels, height, width)  # of a picture of that size, from 0 to 255
probability = model(pixels).exp()[0]
print(config["classes"][int(probability.argmax())], float(probability.max()))
"""
MEANING = {
    "pixels": "the channels of pictures of that size, from 0 to 255; normalising is inside",
    "log_probability": "of each class, in the order of config.json; exp gives the probability",
}


@torch.no_grad()
def portable(
    model: nn.Module, section: Config | None, form: Preprocessing, pixels_BCHW: Tensor
) -> Portable:
    """The network with its normalisation before it; pixels: pictures that it is verified on."""
    kind = str(getattr(section, "kind", ""))
    given: dict[str, object] = {
        "kind": kind,
        "shape": list(form.shape),
        "classes": len(form.names),
    }
    given |= {"mean": list(form.mean), "deviation": list(form.deviation)}
    if isinstance(model, CNN):
        given |= _cnn(model)
    elif isinstance(model, ResNet) and section is not None:
        given |= section.model_dump(mode="json")
    else:
        raise cannot_leave(kind)
    config = conform(given, conv.Config)
    module = conv.Model(config).eval()
    module.network.load_state_dict(model.state_dict())
    model.eval()
    expected = model(form.normalised(pixels_BCHW)).log_softmax(1)
    sizes = ("batch", *form.shape)
    cases: list[Case] = [((pixels_BCHW,), (expected,)), ((pixels_BCHW[:1],), (expected[:1],))]
    part = Part("model", module, {"pixels": sizes}, ("log_probability",), cases, MEANING)
    return Portable([part], module, "conv", config, {"classes": list(form.names)}, HOW)


def _cnn(model: CNN) -> dict[str, object]:
    layers = layers_of(Convolution, model.convolutions)
    linear = layers_of(nn.Linear, [*model.dense, model.output])
    return {
        "channels": [layer.conv.out_channels for layer in layers],
        "kernel": layers[0].kernel,
        "padding": [layer.padding for layer in layers],
        "pool": [layer.pool for layer in layers],
        "batch_norm": layers[0].norm is not None,
        "flat": linear[0].in_features,
        "dense": [layer.out_features for layer in linear[:-1]],
    }
