"""The language models by the names and fields of a config."""

from collections.abc import Callable
from functools import partial
from typing import Literal

from pydantic import Field, model_validator
from torch import nn

from workings.nn.attention import AttentionLanguageModel
from workings.nn.recurrent import GRU, LSTM, RNN, RecurrentLanguageModel
from workings.nn.recurrent.rnn import Activation
from workings.schema import Config, Count, Depth, NonNegative, Probability, Size


class RecurrentConfig(Config):
    """What the recurrent language models share."""

    embed: Size = 200
    """width of the word vectors (d)"""
    hidden: Size = 200
    """units in a recurrent layer (D)"""
    layers: Depth = 1
    """recurrent layers"""
    tied: bool = False
    """use the embedding as the output weights; the last layer then has `embed` units"""
    dropout_input: Probability = 0.0
    """probability of dropping a unit of the embedding"""
    dropout_between: Probability = 0.0
    """probability of dropping a unit between layers"""
    dropout_output: Probability = 0.0
    """probability of dropping a unit of the last hidden layer"""
    dropout_locked: bool = False
    """one dropout mask for the whole window, instead of a fresh one at every step"""
    dropout_types: Probability = 0.0
    """probability of dropping a type, wherever it is read in a window"""
    init: NonNegative = 0.0
    """bound of the uniform embedding and output weights before training; 0: Glorot's"""
    softmax_sampled: Count = 0
    """train with this many types drawn at random in the softmax; 0: all. Evaluation is exact"""
    softmax_kept: Count = 1000
    """the most frequent types, always in a sampled softmax"""

    @model_validator(mode="after")
    def _tied_sizes(self) -> "RecurrentConfig":
        if self.tied and self.layers == 1 and self.embed != self.hidden:
            raise ValueError(
                f"tied weights with one layer need embed = hidden (got {self.embed} and "
                f"{self.hidden}); set both alike, or layers = 2"
            )
        return self

    def cell(self) -> Callable[[int, int], nn.Module]:
        """What makes a recurrent layer from its numbers of inputs and units."""
        raise NotImplementedError

    def build(self, vocabulary: int) -> RecurrentLanguageModel:
        """The model for so many types, with the recurrent layers of this kind."""
        fields = {name: getattr(self, name) for name in RecurrentConfig.model_fields}
        return RecurrentLanguageModel(vocabulary, cell=self.cell(), **fields)


class RNNConfig(RecurrentConfig):
    """Simple recurrent language model."""

    kind: Literal["rnn"] = "rnn"
    activation: Activation = "sigmoid"
    """the nonlinearity of the recurrence"""

    def cell(self) -> Callable[[int, int], nn.Module]:
        return partial(RNN, activation=self.activation)


class LSTMConfig(RecurrentConfig):
    """LSTM language model."""

    kind: Literal["lstm"] = "lstm"
    forget_bias: float = 1.0
    """the forget gate's bias before training"""
    dropout_recurrent: Probability = 0.0
    """probability of dropping an entry of the recurrent weights, in all steps of a window alike"""

    def cell(self) -> Callable[[int, int], nn.Module]:
        return partial(LSTM, forget_bias=self.forget_bias, dropout_recurrent=self.dropout_recurrent)


class GRUConfig(RecurrentConfig):
    """GRU language model."""

    kind: Literal["gru"] = "gru"

    def cell(self) -> Callable[[int, int], nn.Module]:
        return GRU


class AttentionConfig(Config):
    """Attention language model: a causal decoder."""

    kind: Literal["attention"] = "attention"
    attention: Literal["softmax", "taylor"] = "softmax"
    """taylor: the exponential's series to the given order, linear in the length of a block"""
    order: int = Field(default=2, ge=1)
    """highest power of the series"""
    width: Size = 256
    """width of the word vectors and of every layer (D)"""
    heads: Size = 4
    """attention heads; they divide the width between them"""
    layers: Depth = 4
    """blocks of attention and feed-forward"""
    feedforward: Size = 4
    """inner width of the feed-forward layers, as a multiple of the width"""
    context: Size = 128
    """tokens in a block: the text is read in blocks, and a token sees those before it in its own"""
    tied: bool = True
    """use the embedding as the output weights"""
    dropout: Probability = 0.0
    """probability of dropping a unit of what a layer adds"""
    dropout_embedding: Probability = 0.0
    """probability of dropping a unit of the embedding"""
    dropout_output: Probability = 0.0
    """probability of dropping a unit of what the output layer sees"""
    softmax_sampled: Count = 0
    """train with this many types drawn at random in the softmax; 0: all. Evaluation is exact"""
    softmax_kept: Count = 1000
    """the most frequent types, always in a sampled softmax"""

    @model_validator(mode="after")
    def _heads(self) -> "AttentionConfig":
        if self.width % self.heads:
            raise ValueError(f"width {self.width} is not a multiple of heads {self.heads}")
        return self

    def build(self, vocabulary: int) -> AttentionLanguageModel:
        """The model for so many types, with blocks of this attention."""
        return AttentionLanguageModel(vocabulary, **self.model_dump(exclude={"kind"}))


# What the user's own text is learned with, where the config names no model. On the first 300,000
# bytes of Penn Treebank, one seed each, the better of two settings by validation had a test
# perplexity of 132 with 20 streams (the other 145), the plain RNN with its defaults 142.
LSTM_OF_OWN_TEXT: dict[str, object] = {
    **{"embed": 300, "hidden": 300, "tied": True, "dropout_locked": True},
    **{"dropout_input": 0.5, "dropout_output": 0.5},
}

MODELS: dict[str, type[Config]] = {
    "rnn": RNNConfig,
    "lstm": LSTMConfig,
    "gru": GRUConfig,
    "attention": AttentionConfig,
}
