"""The summary task: functions and texts as tokens with edges, and the few words that say it."""

from workings.tasks.summary.config import SummaryData, SummaryTrain
from workings.tasks.summary.corpus import Corpus, read
from workings.tasks.summary.decoding import Written, beam, greedy
from workings.tasks.summary.functions import of_source
from workings.tasks.summary.scores import scores as score_summaries
from workings.tasks.summary.snippet import Snippet
from workings.tasks.summary.summarise import Summarised
from workings.tasks.summary.task import SummaryTask

__all__ = [
    "Corpus",
    "Snippet",
    "Summarised",
    "SummaryData",
    "SummaryTask",
    "SummaryTrain",
    "Written",
    "beam",
    "greedy",
    "of_source",
    "read",
    "score_summaries",
]
