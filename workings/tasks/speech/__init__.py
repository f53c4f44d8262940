"""The speech task: recordings, features, training, decoding and scoring transcripts."""

from workings.tasks.speech.config import SpeechData, SpeechTrain
from workings.tasks.speech.corpus import DigitSpeech, RecordedSpeech, read
from workings.tasks.speech.decoding import Transcript, beam, greedy
from workings.tasks.speech.features import log_mel
from workings.tasks.speech.long_audio import Heard, Segment
from workings.tasks.speech.scores import scores as score_transcripts
from workings.tasks.speech.task import SpeechTask

__all__ = [
    "DigitSpeech",
    "Heard",
    "RecordedSpeech",
    "Segment",
    "SpeechData",
    "SpeechTask",
    "SpeechTrain",
    "Transcript",
    "beam",
    "greedy",
    "log_mel",
    "read",
    "score_transcripts",
]
