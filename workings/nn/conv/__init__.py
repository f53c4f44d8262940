"""Convolutional networks: `cnn`, convolutions that halve an image, then dense layers."""

from workings.nn.conv.cnn import CNN, Convolution, Pool

__all__ = ["CNN", "Convolution", "Pool"]
