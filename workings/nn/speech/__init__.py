"""The speech model: sound to characters.

- `speech_model`: the whole model
- `encoder`: convolutions and self-attention over the frames of the sound
- `decoders`: an LSTM or causal self-attention over the text, and attention to the sound
- `residual`, `positions`: what both are made of
"""

from workings.nn.speech.decoders import SpeechDecoder, Writing
from workings.nn.speech.encoder import SpeechEncoder
from workings.nn.speech.speech_model import SpeechModel

__all__ = ["SpeechDecoder", "SpeechEncoder", "SpeechModel", "Writing"]
