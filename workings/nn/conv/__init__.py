"""Convolutional networks: `cnn`, with dense layers, and `resnet`, with global pooling."""

from workings.nn.conv.cnn import CNN, Convolution, Pool
from workings.nn.conv.resnet import ResidualBlock, ResNet

__all__ = ["CNN", "Convolution", "Pool", "ResNet", "ResidualBlock"]
