"""Architectures: `torch.nn.Module`s with plain arguments, usable in any training loop.

One family a folder, one architecture a file, its plain reference first:

- `recurrent/`: simple RNN, LSTM, GRU, and the language model around them
- `attention/`: softmax and Taylor attention, and the language model around them
- `conv/`: convolutional networks for images
- `graph/`: graph convolution, attention, isomorphism, gated graphs, and a control without any
- `speech/`: speech to characters
- `summary/`: functions and texts to a few words, along a graph of their tokens

`loss`, `dropout`, `language`, `matmul`, `precision` and `threads` are what they share.
"""

from workings.nn.attention import Attention, AttentionLanguageModel, TaylorAttention
from workings.nn.conv import CNN
from workings.nn.dropout import Dropout
from workings.nn.graph import GAT, GCN, GGNN, GIN, MLP, EdgeList, GraphAttention, GraphConvolution
from workings.nn.language import LanguageModel
from workings.nn.recurrent import GRU, LSTM, RNN, RecurrentLanguageModel
from workings.nn.speech import SpeechModel
from workings.nn.summary import SummaryModel

__all__ = [
    "CNN",
    "GAT",
    "GCN",
    "GGNN",
    "GIN",
    "GRU",
    "LSTM",
    "MLP",
    "RNN",
    "Attention",
    "AttentionLanguageModel",
    "Dropout",
    "EdgeList",
    "GraphAttention",
    "GraphConvolution",
    "LanguageModel",
    "RecurrentLanguageModel",
    "SpeechModel",
    "SummaryModel",
    "TaylorAttention",
]
