"""The language task: text files, tokens and vocabulary, training, generating text."""

from workings.tasks.language.config import LanguageTrain, TextConfig
from workings.tasks.language.generate import Sample, sample_texts
from workings.tasks.language.ids import Ids, encode
from workings.tasks.language.ngram import KneserNey, Unigram
from workings.tasks.language.sampling import Sampling, choose
from workings.tasks.language.task import LanguageTask
from workings.tasks.language.tokenizer import tokenise
from workings.tasks.language.vocabulary import Vocabulary

__all__ = [
    "Ids",
    "KneserNey",
    "LanguageTask",
    "LanguageTrain",
    "Sample",
    "Sampling",
    "TextConfig",
    "Unigram",
    "Vocabulary",
    "choose",
    "encode",
    "sample_texts",
    "tokenise",
]
