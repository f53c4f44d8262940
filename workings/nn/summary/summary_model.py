"""Sequence → graph → sequence: tokens and their edges to the words of a summary."""

# B snippets, S tokens, L words, D width, V words that can be written, X with those to be copied

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from workings.nn.recurrent.lstm import State
from workings.nn.summary.decoder import SummaryDecoder
from workings.nn.summary.encoder import SummaryEncoder
from workings.nn.summary.typed_edges import TypedEdges


@dataclass(frozen=True)
class Source:
    """What is summarised, as a batch: a row a snippet, padded behind its tokens.

    The words of a batch are those that can be written, 0 … V-1, and from V on those that only one
    of its snippets has: a number from V on means another word in every row.
    """

    tokens_BS: Tensor
    lengths_B: Tensor
    edges: TypedEdges  # among the nodes b·S + s
    copies_BS: Tensor  # the word that each token is, below X; 0 where it is none
    extended: int  # X

    @property
    def inside_BS(self) -> Tensor:
        """Which places are tokens, and not padding."""
        S = self.tokens_BS.shape[1]
        return torch.arange(S, device=self.lengths_B.device) < self.lengths_B[:, None]

    def to(self, device: torch.device) -> "Source":
        """The same on that device."""
        tensors = (self.tokens_BS, self.lengths_B), (self.copies_BS,)
        (tokens, lengths), (copies,) = ([x.to(device) for x in part] for part in tensors)
        return Source(tokens, lengths, self.edges.to(device), copies, self.extended)


class SummaryModel(nn.Module):
    """P(word_l | words before it, source) = decoder(words before it, encoder(source)).

    One embedding E serves tokens, words read and words written.

    types: of tokens and words, those that can be written first; outputs: how many those are, V.
    kinds: of edges. width: D, of every layer, even. graph: whether the states of the tokens go
    along the edges, `steps` times. copy_tokens: whether words may be copied from the source.
    dropout: the probability of dropping a unit before and after every layer.

    Shapes: a Source, words_BL among the types, each after the one before; returns log P of the
    next word, B×L×X.
    """

    def __init__(
        self,
        types: int,
        outputs: int,
        kinds: int,
        width: int = 128,
        graph: bool = True,
        steps: int = 2,
        copy_tokens: bool = True,
        dropout: float = 0.2,
    ) -> None:
        super().__init__()
        self.embedding = nn.Embedding(types, width)
        nn.init.normal_(self.embedding.weight, std=width**-0.5)  # as large as an output's weights
        self.encoder = SummaryEncoder(width, kinds, steps if graph and kinds else 0, dropout)
        self.decoder = SummaryDecoder(width, outputs, copy_tokens, dropout)

    def encode(self, source: Source) -> Tensor:
        """The states of the tokens, B×S×D."""
        return self.encoder(self.embedding(source.tokens_BS), source.lengths_B, source.edges)

    def forward(self, source: Source, words_BL: Tensor) -> Tensor:
        h_BSD, inside_BS = self.encode(source), source.inside_BS
        state = self.decoder.start(h_BSD, inside_BS)
        return self.decoder(
            *(self.embedding(words_BL), h_BSD, inside_BS, source.copies_BS, source.extended),
            *(self.embedding.weight, state),
        )[0]

    def start(self, source: Source) -> "Writing":
        """Read the source once, and write word by word."""
        return Writing(self, source)


class Writing:
    """Summaries being written, one for each row of a batch: one call a word."""

    attention_BS: Tensor  # of the last word
    written_B: Tensor  # how likely it was written, not copied

    @torch.no_grad()
    def __init__(self, model: SummaryModel, source: Source) -> None:
        self.model, self.extended = model, source.extended
        self.h_BSD, self.inside_BS = model.encode(source), source.inside_BS
        self.copies_BS = source.copies_BS
        self.state: State = model.decoder.start(self.h_BSD, self.inside_BS)

    @torch.no_grad()
    def step(self, words_B: Tensor) -> Tensor:
        """log P of the word after these, B×X."""
        embedding = self.model.embedding
        log_B1X, attention_B1S, written_B1, self.state = self.model.decoder(
            *(embedding(words_B[:, None]), self.h_BSD, self.inside_BS, self.copies_BS),
            *(self.extended, embedding.weight, self.state),
        )
        self.attention_BS, self.written_B = attention_B1S[:, 0], written_B1[:, 0]
        return log_B1X[:, 0]

    def pick(self, rows: Tensor) -> None:
        """Go on with these rows of the batch, which a beam search keeps."""
        self.h_BSD, self.inside_BS = self.h_BSD[rows], self.inside_BS[rows]
        self.copies_BS = self.copies_BS[rows]
        h_1BD, c_1BD = self.state
        self.state = h_1BD[:, rows], c_1BD[:, rows]
