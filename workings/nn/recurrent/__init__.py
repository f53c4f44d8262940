"""Recurrent layers, and the language model around them.

- `rnn`, `lstm`, `gru`: one layer each, its equation as `step`, its fast path as `forward`
- `cell`: what the language model and generation count on in such a layer, and its plain loop
- `language_model`: embedding, recurrent layers, output layer; one token at a time for generation
"""

from workings.nn.recurrent.cell import RecurrentLayer, step_by_step
from workings.nn.recurrent.gru import GRU
from workings.nn.recurrent.language_model import RecurrentLanguageModel
from workings.nn.recurrent.lstm import LSTM
from workings.nn.recurrent.rnn import RNN

__all__ = ["GRU", "LSTM", "RNN", "RecurrentLanguageModel", "RecurrentLayer", "step_by_step"]
