"""Language models: our training step, generation and evaluation against the ordinary ones."""

# B batch, T time, V vocabulary

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from workings.bench import ordinary_language as ordinary
from workings.bench.rows import Row, Say, on_threads, peaks, require_same, row
from workings.bench.sides import Side, Turn, Work, matmul_rate, median, race
from workings.nn import LSTM, RNN, RecurrentLanguageModel
from workings.nn.matmul import is_float32, products_by
from workings.run.machine.autocast import products
from workings.run.machine.precision import has_bfloat16
from workings.run.optim import Learner
from workings.tasks.config import TrainConfig
from workings.tasks.language.config import LanguageTrain, TextConfig
from workings.tasks.language.generate import continue_tokens
from workings.tasks.language.sampling import Sampling
from workings.tasks.language.task import LanguageTask
from workings.tree import map_tensors

V = 10_000
CPU = torch.device("cpu")
MEMORY = {True: "kept", False: "as found"}
# How products are made: their precision, and whose float32 ones.
ONEDNN = "float32 by oneDNN"
PRODUCTS = {
    "float32": ("float32", "torch"),
    ONEDNN: ("float32", "onednn"),
    "bfloat16": ("bfloat16", "torch"),
}
# Our products, theirs, and their memory: first what a user who knows of all would compare.
COMPARED = (
    ("bfloat16", "bfloat16", "kept"),
    (ONEDNN, ONEDNN, "kept"),
    ("float32", "float32", "kept"),
    ("bfloat16", "bfloat16", "as found"),
    (ONEDNN, "float32", "kept"),
    (ONEDNN, "float32", "as found"),
    ("float32", "float32", "as found"),
    ("bfloat16", "float32", "as found"),
)


@dataclass(frozen=True)
class Sizes:
    """What is trained: the sizes of a published row, or of an LSTM that is often taken."""

    name: str
    kind: str
    batch: int
    window: int
    embed: int
    hidden: int
    layers: int
    dropout: float

    def ours(self, dropout: float) -> RecurrentLanguageModel:
        """Our model of these sizes."""
        return RecurrentLanguageModel(
            V,
            self.embed,
            self.hidden,
            self.layers,
            RNN if self.kind == "rnn" else LSTM,
            dropout_input=dropout,
            dropout_between=dropout,
            dropout_output=dropout,
        )

    def ordinary(self, dropout: float) -> ordinary.OrdinaryRNN | ordinary.OrdinaryLSTM:
        """The same model as tutorials write it."""
        if self.kind == "rnn":
            return ordinary.OrdinaryRNN(V, self.embed, self.hidden, dropout)
        return ordinary.OrdinaryLSTM(V, self.embed, self.hidden, dropout, self.layers)

    def batches(self) -> list[Tensor]:
        """Ids as frequent words are frequent: by Zipf's law."""
        p = 1 / torch.arange(1.0, V + 1)
        draw = torch.Generator().manual_seed(1)
        many = torch.multinomial(p, 8 * self.batch * self.window, True, generator=draw)
        return list(many.view(8, self.batch, self.window))

    def operations(self) -> int:
        """Multiplications and additions of the step's matrix products, forward and backward."""
        gates = {"rnn": 1, "lstm": 4}[self.kind]
        widths = [self.embed] + [self.hidden] * self.layers
        layers = sum(gates * self.hidden * (i + self.hidden) for i in widths[:-1])
        return 6 * self.batch * self.window * (layers + self.hidden * V)


SIZES = (
    Sizes("row-1", "rnn", 64, 10, 50, 100, 1, 0.1),
    Sizes("row-12", "rnn", 256, 10, 1000, 200, 1, 0.1),
    Sizes("lstm-2x200", "lstm", 20, 35, 200, 200, 2, 0.2),
)


def our_step(sizes: Sizes, precision: str) -> Work:
    """A training step of ours: what the run loop does, without its bookkeeping."""
    model = sizes.ours(sizes.dropout).train()
    learner = Learner(model, TrainConfig(), steps=1)
    batches = sizes.batches()
    state: list[object] | None = None
    number = 0

    def step() -> float:
        nonlocal state, number
        x_BT, y_BT = batches[number % 7], batches[number % 7 + 1]
        with products(precision, CPU):
            loss, after = model.loss(x_BT, y_BT, state)
        value = loss.item()
        learner.backward(loss)
        learner.step(number)
        state = [map_tensors(Tensor.detach, layer) for layer in after]
        number += 1
        return value

    return step


def ordinary_step(sizes: Sizes, precision: str) -> Work:
    """A training step as PyTorch's tutorials write it."""
    model = sizes.ordinary(sizes.dropout).train()
    optimizer = torch.optim.Adam(model.parameters())
    return ordinary.train_step(model, optimizer, sizes.batches(), precision == "bfloat16")


def our_generation(sizes: Sizes, samples: int, tokens: int) -> Work:
    """Text of ours: so many samples at once, so many tokens each."""
    model = sizes.ours(0.0)
    return lambda: continue_tokens(model, [0], samples, tokens, 1, Sampling())


def ordinary_generation(sizes: Sizes, samples: int, tokens: int) -> Work:
    """The same text by calls of the model, the state handed on from one to the next."""
    model = sizes.ordinary(0.0).eval()

    @torch.no_grad()
    def work() -> None:
        x_BT, state = torch.zeros(samples, 1, dtype=torch.long), None
        for _ in range(tokens):
            logits_BTV, state = model(x_BT, state)
            x_BT = torch.multinomial(F.softmax(logits_BTV[:, -1], -1), 1)

    return work


def _stream(tokens: int) -> np.ndarray:
    return np.random.default_rng(1).integers(0, V, tokens + 1).astype(np.uint16)


def our_evaluation(sizes: Sizes, tokens: int) -> Work:
    """Our evaluation of a stream of random tokens."""
    model = sizes.ours(0.0).eval()
    task = LanguageTask(TextConfig(train=("none",)), None, LanguageTrain(), 1, {})
    ids = _stream(tokens)
    return lambda: task.stream.read(model, ids, 1, lambda done: None)


def ordinary_evaluation(sizes: Sizes, tokens: int) -> Work:
    """The loss of the same stream, with the logits of a whole window at once."""
    model = sizes.ordinary(0.0).eval()
    ids, window = torch.from_numpy(_stream(tokens).astype(np.int64)), LanguageTrain().eval_window

    @torch.no_grad()
    def work() -> float:
        total, state = 0.0, None
        for start in range(0, tokens, window):
            x_T, y_T = ids[start : start + window], ids[start + 1 : start + 1 + window]
            logits_BTV, state = model(x_T[: len(y_T)][None], state)
            total += F.cross_entropy(logits_BTV[0], y_T, reduction="sum").item()
        return total / tokens

    return work


def difference(sizes: Sizes) -> dict[str, float]:
    """How far the two sides' loss and gradients are apart, dropout off, relative to the largest."""
    torch.manual_seed(0)
    ours, theirs = sizes.ours(0.0), sizes.ordinary(0.0)
    theirs.copy(ours)
    x_BT, y_BT = sizes.batches()[:2]
    loss, _ = ours.loss(x_BT, y_BT, None)
    loss.backward()
    expected = F.cross_entropy(theirs(x_BT)[0].flatten(0, 1), y_BT.flatten())
    expected.backward()
    gradients = theirs.named_as_ours()
    worst = 0.0
    for name, parameter in ours.named_parameters():
        assert parameter.grad is not None
        scale = gradients[name].abs().max().item()
        worst = max(worst, (parameter.grad - gradients[name]).abs().max().item() / scale)
    return {"loss": abs(loss.item() - expected.item()) / expected.item(), "gradient": worst}


def train_rows(sizes: Sizes, threads: int, rounds: int, seconds: float) -> Iterator[Row]:
    """A training step against all that the ordinary loop can be: with autocast or without, by
    oneDNN or not, with memory kept between its steps, as our command keeps it, or as it is found.
    """
    rates = {
        made: matmul_rate(threads, getattr(torch, precision), matmul)
        for made, (precision, matmul) in PRODUCTS.items()
        if made in there_are()
    }
    sides = {}
    for made in rates:
        precision, matmul = PRODUCTS[made]
        sides[f"ours, {made}"] = Side(our_step, (sizes, precision), True, False, matmul)
        for kept, memory in MEMORY.items():
            ordinary_side = Side(ordinary_step, (sizes, precision), kept, False, matmul)
            sides[f"theirs, {made}, {memory}"] = ordinary_side
    turns = race(sides, threads, rounds, seconds)
    for ours, theirs, memory in COMPARED:
        if not {ours, theirs} <= rates.keys():
            continue
        fast, slow = turns[f"ours, {ours}"], turns[f"theirs, {theirs}, {memory}"]
        label = f"ours {ours}, theirs {theirs}, memory {memory}"
        yield {
            **_row(f"train {sizes.name}", label, threads, slow, fast),
            "share_of_matmul_rate": sizes.operations() / median(fast) / rates[ours],
            **peaks(fast, slow),
        }


def there_are() -> list[str]:
    """The kinds of products that this machine makes."""
    makes = {"float32": True, ONEDNN: is_float32(), "bfloat16": has_bfloat16(CPU)}
    return [made for made in PRODUCTS if makes[made]]


def _rest(
    name: str, ours: Side, theirs: Side, threads: int, rounds: int, seconds: float
) -> Iterator[Row]:
    """Work of ours against theirs, by PyTorch's own products and by oneDNN's."""
    sides: dict[str, Side] = {}
    for made in [made for made in there_are() if made != "bfloat16"]:
        _, matmul = PRODUCTS[made]
        sides |= {
            f"ours, {made}": ours._replace(matmul=matmul),
            f"theirs, {made}": theirs._replace(matmul=matmul),
        }
    turns = race(sides, threads, rounds, seconds)
    for fast, slow in ((ONEDNN, ONEDNN), (ONEDNN, "float32"), ("float32", "float32")):
        if {f"ours, {fast}", f"theirs, {slow}"} <= sides.keys():
            label = f"ours {fast}, theirs {slow}"
            yield _row(name, label, threads, turns[f"theirs, {slow}"], turns[f"ours, {fast}"])


def _row(name: str, label: str, threads: int, slow: list[Turn], fast: list[Turn]) -> Row:
    return row(f"{name}, {on_threads(threads)}, {label}", fast, slow)


def run(rounds: int, seconds: float, say: Say) -> list[Row]:
    """Every comparison."""
    rows: list[Row] = []
    differences = {}
    for sizes, (made, (_, matmul)) in itertools.product(SIZES, PRODUCTS.items()):
        if made != "bfloat16" and made in there_are():
            name = f"{sizes.name}, {made}"
            with products_by(matmul):
                differences[name] = difference(sizes)
            say(f"same loss and gradients: {name} {differences[name]}")
    require_same(differences)
    for threads in sorted({1, torch.get_num_threads()}):
        for sizes in SIZES:
            say(f"training {sizes.name} on {threads} thread(s)")
            rows += train_rows(sizes, threads, rounds, seconds)
        for sizes in SIZES[1:]:
            for samples in (1, 16):
                tokens = 100
                say(f"generation {sizes.name}, {samples} sample(s), {threads} thread(s)")
                ours = Side(our_generation, (sizes, samples, tokens), True)
                theirs = Side(ordinary_generation, (sizes, samples, tokens), False)
                name = f"generate {sizes.name}, {tokens} tokens × {samples}"
                rows += _rest(name, ours, theirs, threads, rounds, seconds)
            say(f"evaluation {sizes.name} on {threads} thread(s)")
            ours = Side(our_evaluation, (sizes, 2048), True)
            theirs = Side(ordinary_evaluation, (sizes, 2048), False)
            name = f"evaluate {sizes.name}, 2,048 tokens"
            rows += _rest(name, ours, theirs, threads, rounds, seconds)
    return rows
