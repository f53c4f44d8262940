"""The language task: batches, loss, evaluation, and what `--data` stands for."""

import itertools
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from workings.errors import WorkingsError
from workings.nn.language import LanguageModel
from workings.tasks.language.config import LanguageTrain, TextConfig
from workings.tasks.language.generate import TextRequest
from workings.tasks.language.ids import Ids
from workings.tasks.language.models import GRUConfig, LSTMConfig, RecurrentConfig, RNNConfig
from workings.tasks.language.task import LanguageTask
from workings.tree import map_tensors

KINDS = [RNNConfig, LSTMConfig, GRUConfig]
B, T = 4, 9


def quiet(_: int) -> None:
    """No progress."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Sentences of a small grammar; words of one kind follow words of another."""
    random = np.random.default_rng(1)
    words = [[f"{kind}{i}" for i in range(5)] for kind in ("det", "adj", "noun", "verb")]
    lines = [" ".join(random.choice(some) for some in words) for _ in range(250)]
    path = tmp_path / "grammar.txt"
    path.write_text("\n".join(lines) + "\n")
    return path


def task_of(
    path: Path,
    kind: type[RecurrentConfig] = RNNConfig,
    data: dict[str, Any] | None = None,
    **train: Any,
) -> LanguageTask:
    config = TextConfig(**{"train": (str(path),), "min_count": 1, **(data or {})})
    model = kind(embed=6, hidden=8)
    settings = LanguageTrain(**{"batch": B, "window": T, **train})
    return LanguageTask(config, model, settings, 1, {})


def model_of(task: LanguageTask) -> nn.Module:
    torch.manual_seed(1)
    model = task.build().double().eval()
    with torch.no_grad():
        for weight in model.parameters():
            weight.mul_(2)
    return model


class Recorder(LanguageModel):
    """Keeps what it is asked to predict; the state counts the windows."""

    def __init__(self) -> None:
        super().__init__()
        self.x: list[Tensor] = []
        self.y: list[Tensor] = []
        self.with_gradient: list[bool] = []

    def losses(self, x_BT: Tensor, y_BT: Tensor, state: int | None) -> tuple[Tensor, int]:
        assert (state or 0) == len(self.x)
        self.x.append(x_BT[0])
        self.y.append(y_BT[0])
        self.with_gradient.append(torch.is_grad_enabled())
        return torch.zeros(y_BT.shape), len(self.x)

    def loss(self, x_BT: Tensor, y_BT: Tensor, state: Any) -> tuple[Tensor, Any]:
        raise NotImplementedError

    def stepper(self, tokens: int) -> Any:
        raise NotImplementedError


def test_targets_are_the_inputs_one_token_later(path: Path) -> None:
    task = task_of(path)
    x_BN, y_BN = (torch.cat(some, 1) for some in zip(*task.batches(1, 0), strict=True))
    assert torch.equal(x_BN[:, 1:], y_BN[:, :-1])


def test_streams_are_stretches_of_the_text_side_by_side(path: Path) -> None:
    task = task_of(path)
    all_ids = task.splits["train"].all.astype(int)
    x_BN, y_BN = (torch.cat(some, 1) for some in zip(*task.batches(1, 0), strict=True))
    row = (len(all_ids) - 1) // B
    assert x_BN.flatten().tolist() == all_ids[: B * row].tolist()
    assert y_BN.flatten().tolist() == all_ids[1 : B * row + 1].tolist()


def test_every_row_goes_on_where_it_was_in_the_window_before(path: Path) -> None:
    batches = list(task_of(path).batches(1, 0))
    for (_, before), (after, _) in itertools.pairwise(batches):
        assert torch.equal(after[:, 0], before[:, -1])


def test_windows_are_full_but_the_last(path: Path) -> None:
    task = task_of(path)
    shapes = [tuple(x_BT.shape) for x_BT, _ in task.batches(1, 0)]
    assert shapes[:-1] == [(B, T)] * (len(shapes) - 1)
    assert 1 <= shapes[-1][1] <= T
    assert len(shapes) == task.steps
    assert sum(rows * steps for rows, steps in shapes) == task.units


@pytest.mark.parametrize("position", [0, 1, 5, 10_000])
def test_batches_from_a_position_are_the_tail_of_all(path: Path, position: int) -> None:
    task = task_of(path)
    tail = list(task.batches(3, 0))[position:]
    torch.testing.assert_close(list(task.batches(3, position)), tail, rtol=0, atol=0)


@pytest.mark.parametrize("kind", KINDS)
def test_the_carry_makes_windows_one_long_text_without_its_gradient(
    path: Path, kind: type[RecurrentConfig]
) -> None:
    task = task_of(path, kind)
    model = model_of(task)
    batches = list(task.batches(1, 0))[:4]
    losses, carry = [], None
    for batch in batches:
        loss, units, carry = task.loss(model, batch, carry)
        assert units == B * T
        losses.append(loss.detach())
        map_tensors(lambda t: pytest.fail("has a gradient") if t.requires_grad else t, carry)
    together = tuple(torch.cat(some, 1) for some in zip(*batches, strict=True))
    torch.testing.assert_close(torch.stack(losses).mean(), task.loss(model, together, None)[0])


@pytest.mark.parametrize("kind", KINDS)
def test_perplexity_is_the_same_for_any_window_and_one_token_at_a_time(
    path: Path, kind: type[RecurrentConfig]
) -> None:
    model = model_of(task_of(path, kind))
    ids = torch.from_numpy(task_of(path).splits["test"].all.astype("int64"))
    total, state = 0.0, None
    with torch.no_grad():
        for token, target in itertools.pairwise(ids):
            logits_11V, state = model(token.reshape(1, 1), state)
            total -= logits_11V[0, 0].log_softmax(0)[target].item()
    expected = math.exp(total / (len(ids) - 1))
    for window in (1, 7, 64, 10_000):
        found = task_of(path, kind, eval_window=window).evaluate(model, "test", quiet)
        assert found["perplexity"] == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("window", [1, 7, 10_000])
def test_every_token_is_predicted_once_and_in_order(path: Path, window: int) -> None:
    task, model, done = task_of(path, eval_window=window), Recorder(), []
    metrics = task.evaluate(model, "valid", done.append)
    all_ids = task.splits["valid"].all.tolist()
    assert torch.cat(model.x).tolist() == all_ids[:-1]
    assert torch.cat(model.y).tolist() == all_ids[1:]
    assert done == sorted(done)
    assert done[-1] == metrics["tokens"] == len(all_ids) - 1


def test_a_uniform_model_has_the_perplexity_of_the_vocabulary(path: Path) -> None:
    task = task_of(path)
    model = task.build().double()
    for weight in model.parameters():
        nn.init.zeros_(weight)
    metrics = task.evaluate(model, "test", quiet)
    assert metrics["perplexity"] == pytest.approx(len(task.vocabulary), rel=1e-12)
    assert metrics["loss"] == pytest.approx(task.first_loss(), rel=1e-12)


def test_evaluation_keeps_no_graph(path: Path) -> None:
    model = Recorder()
    task_of(path).evaluate(model, "test", quiet)
    assert model.with_gradient == [False]


def test_the_share_of_unknown_tokens_is_a_metric(path: Path) -> None:
    task = task_of(path, data={"vocabulary": 10})
    test = task.splits["test"]
    found = task.evaluate(Recorder(), "test", quiet)["unknown_share"]
    assert found == (test.all[1:] == task.vocabulary.unknown).mean() > 0


def test_a_tick_may_stop_the_evaluation(path: Path) -> None:
    def stop(_: int) -> None:
        raise KeyboardInterrupt

    task, model = task_of(path, eval_window=5), Recorder()
    with pytest.raises(KeyboardInterrupt):
        task.evaluate(model, "test", stop)
    assert len(model.x) == 1


def test_characters_have_bits_and_words_do_not(path: Path) -> None:
    words, characters = task_of(path), task_of(path, data={"level": "char"})
    assert characters.training_metrics(math.log(8))["bits_per_char"] == pytest.approx(3)
    assert words.training_metrics(math.log(8)) == pytest.approx(
        {"loss": math.log(8), "perplexity": 8}
    )


@pytest.mark.parametrize("level", ["word", "char"])
def test_levels_have_bits_per_byte_where_no_word_is_lost(level: str, tmp_path: Path) -> None:
    path = tmp_path / "some.txt"
    path.write_text("the cat <unk> the mat\nthe cat the mat\n" * 40)
    for data, lost in (({}, False), ({"vocabulary": 4}, True)):
        task = task_of(path, data={"level": level, "tokens": "spaces", **data})
        part, model = task.splits["test"], task.build()
        for weight in model.parameters():
            nn.init.zeros_(weight)
        metrics = task.evaluate(model, "test", quiet)
        assert part.bytes == 54  # 16 + 22 + 16, cut at the start of a line
        bits = math.log2(len(task.vocabulary)) * part.tokens / 54
        assert metrics.get("bits_per_byte") == (None if lost else pytest.approx(bits, rel=1e-6))


@pytest.mark.parametrize("loss", [1e9, math.inf, math.nan])
def test_a_loss_beyond_all_bounds_has_infinite_perplexity(path: Path, loss: float) -> None:
    assert task_of(path).training_metrics(loss)["perplexity"] == math.inf


def test_a_text_of_the_user_is_evaluated_as_a_split_of_the_same_text_is(
    path: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other.txt"
    other.write_text("det0 adj1 noun2 verb3\ndet1 zebra noun0 verb1\n")
    task = task_of(path, data={"test": (str(other),)})
    model = model_of(task)
    found = task.evaluate_files(model, [other], quiet)
    assert found == task.evaluate(model, "test", quiet)
    assert (found["tokens"], found["unknown_share"]) == (10, 0.1)


def test_a_text_of_the_user_may_be_several_files(path: Path, tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("a.txt", "b.txt", "both.txt")]
    for file, content in zip(files, ("det0 adj1\n", "noun2\n", "det0 adj1\nnoun2\n"), strict=True):
        file.write_text(content)
    task = task_of(path)
    model = model_of(task)
    both = task.evaluate_files(model, files[2:], quiet)
    assert task.evaluate_files(model, files[:2], quiet) == both


def test_assets_stand_in_for_the_data(path: Path) -> None:
    task = task_of(path)
    assets = task.assets()
    absent = TextConfig(train=("absent.txt",))
    again = LanguageTask(absent, task.model, task.train, 1, assets)
    assert again.vocabulary.types == task.vocabulary.types
    assert len(again.build().output.bias) == len(task.vocabulary)
    with pytest.raises(WorkingsError, match="no such file"):
        _ = again.splits


def test_a_text_shorter_than_one_window_is_refused_with_a_way_out(path: Path) -> None:
    tokens = task_of(path).splits["train"].tokens
    assert task_of(path, batch=1, window=tokens).steps == 1
    short = task_of(path, batch=1, window=tokens + 1)
    with pytest.raises(WorkingsError, match=r"too short for one window.*lower train\.batch"):
        _ = short.steps


@pytest.mark.parametrize("split", ["valid", "test"])
def test_an_empty_split_is_refused_with_a_way_out(path: Path, split: str) -> None:
    task = task_of(path, data={f"{split}_share": 0.0})
    with pytest.raises(WorkingsError, match=rf"the {split} split is empty.*data\.{split}_share"):
        _ = task.units


def test_batch_and_window_change_the_batches(path: Path) -> None:
    shapes = [
        next(iter(task_of(path, **change).batches(1, 0)))[0].shape
        for change in ({}, {"batch": 2}, {"window": 3})
    ]
    assert shapes == [(B, T), (2, T), (B, 3)]


def test_data_by_name_is_the_named_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert LanguageTask.data_from([Path("ptb")]) == {"name": "ptb"}


def test_a_folder_goes_before_a_set_of_the_same_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("ptb").mkdir()
    Path("ptb/mine.txt").write_text("mine")
    assert LanguageTask.data_from([Path("ptb")]) == {"train": ["ptb/mine.txt"]}


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (
            ["ptb.train.txt", "ptb.valid.txt", "ptb.test.txt"],
            {"train": [0], "valid": [1], "test": [2]},
        ),
        (["Train.txt", "dev.txt"], {"train": [0], "valid": [1]}),
        (["train-a.txt", "train-b.txt", "val.txt"], {"train": [0, 1], "valid": [2]}),
        (["one.txt", "two.txt"], {"train": [0, 1]}),
        (["one.txt", "test.txt"], {"train": [0, 1]}),
        (["train_test.txt", "other.txt"], {"train": [0, 1]}),
        (["test.txt"], {"train": [0]}),
    ],
)
def test_files_are_splits_when_every_name_says_so(
    tmp_path: Path, names: list[str], expected: dict[str, list[int]]
) -> None:
    paths = [tmp_path / name for name in names]
    for path in paths:
        path.touch()
    (tmp_path / "README.md").touch()
    by_file = {split: [str(paths[i]) for i in some] for split, some in expected.items()}
    assert LanguageTask.data_from(paths) == by_file
    by_folder = LanguageTask.data_from([tmp_path])
    assert {s: sorted(some) for s, some in by_folder.items()} == {
        s: sorted(some) for s, some in by_file.items()
    }


def test_a_folder_without_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(WorkingsError, match=r"holds no \.txt file"):
        LanguageTask.data_from([tmp_path])


def test_baselines_have_both_splits_and_the_trigram_is_the_better(path: Path) -> None:
    task = task_of(path)
    found = task.baselines()
    assert list(found) == ["unigram", "Kneser-Ney trigram"]
    unigram, trigram = found.values()
    assert list(unigram) == list(trigram) == ["valid.perplexity", "test.perplexity"]
    # Five words of a kind, then one <eos>: 5^(4/5) = 3.6 is the least there can be.
    for split in unigram:
        assert 5**0.8 < trigram[split] < 6 < unigram[split] < len(task.vocabulary)


def test_the_checksum_changes_with_the_text(path: Path) -> None:
    before = task_of(path).checksum()
    assert task_of(path).checksum() == before
    path.write_text(path.read_text() + "more\n")
    assert task_of(path).checksum() != before


def test_the_data_is_described_by_its_sizes(path: Path) -> None:
    task = task_of(path)
    line = task.describe()
    for split, one in task.splits.items():
        assert f"{split} {one.tokens:,}" in line
    assert f"{len(task.vocabulary)} types" in line
    shown = LanguageTask.show(task.data)
    assert shown["types"] == len(task.vocabulary)
    assert shown["sha256"] == task.checksum()
    assert path.read_text().startswith(shown["begins"].splitlines()[0])


@pytest.mark.parametrize("kind", KINDS)
def test_the_model_named_is_the_model_built(path: Path, kind: type[RecurrentConfig]) -> None:
    name = kind.model_fields["kind"].default
    assert LanguageTask.MODELS[name] is kind
    (layer,) = task_of(path, kind).build().layers
    assert type(layer).__name__.lower() == name


def test_generating_through_the_task_uses_its_vocabulary(path: Path) -> None:
    task = task_of(path)
    samples = task.sample(model_of(task), TextRequest("det0 zebra", samples=2, length=5))
    assert [sample.unknown for sample in samples] == [["zebra"]] * 2
    assert all(sample.text.startswith("det0 <unk>") for sample in samples)


def test_a_model_is_shown_by_three_texts_without_unknown_words(path: Path) -> None:
    task = task_of(path, data={"vocabulary": 10})
    texts = task.illustrate(model_of(task))
    assert len(texts) == len(set(texts)) == 3
    assert not any("<unk>" in text for text in texts)
    assert texts == task.illustrate(model_of(task))


def test_a_sampled_softmax_is_named_beside_the_training_metrics(path: Path) -> None:
    task = task_of(path)
    assert "sampled" not in task.training_variant()
    task.model = RNNConfig(softmax_sampled=5)
    assert task.training_variant().endswith(", sampled softmax")


def test_a_blank_file_cannot_be_evaluated(path: Path, tmp_path: Path) -> None:
    one = LanguageTask(TextConfig(train=(str(path),)), RNNConfig(), LanguageTrain(), 1, {})
    (tmp_path / "blank.txt").write_text(" \n\n \n")
    with pytest.raises(WorkingsError, match=r"blank\.txt: holds no words"):
        one.evaluate_files(one.build(), [tmp_path / "blank.txt"], lambda done: None)


def test_an_own_class_may_have_a_loss_of_its_own(path: Path) -> None:
    """Only our own models' `loss` is called; an attribute of that name is the user's."""

    class Own(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.loss = nn.CrossEntropyLoss()
            self.bias = nn.Parameter(torch.zeros(20))

        def forward(self, x_BT: Tensor, state: Any) -> tuple[Tensor, Any]:
            return self.bias.expand(*x_BT.shape, 20), state

    one = LanguageTask(TextConfig(train=(str(path),)), RNNConfig(), LanguageTrain(), 1, {})
    batch = torch.zeros(2, 3, dtype=torch.long), torch.ones(2, 3, dtype=torch.long)
    loss, units, _ = one.loss(Own(), batch, None)
    assert units == 6
    assert loss.item() == pytest.approx(math.log(20), rel=1e-6)


def test_evaluation_leaves_the_model_in_its_mode(path: Path) -> None:
    one = LanguageTask(
        TextConfig(train=(str(path),)), RNNConfig(dropout_input=0.5), LanguageTrain(), 1, {}
    )
    model = one.build().train()
    first = one.evaluate(model, "valid", lambda done: None)
    assert first == one.evaluate(model, "valid", lambda done: None)  # no dropout
    assert model.training


@pytest.mark.parametrize("other", ["more.txt", "medieval.txt", "README.txt"])
def test_a_file_without_a_split_among_splits_is_refused(tmp_path: Path, other: str) -> None:
    """Taken as text with the others, the test split would be trained on."""
    for name in ("a.train.txt", "a.valid.txt", "a.test.txt", other):
        (tmp_path / name).touch()
    with pytest.raises(WorkingsError, match=other):
        LanguageTask.data_from([tmp_path])


def test_a_data_set_misspelt_is_offered_its_name() -> None:
    with pytest.raises(WorkingsError, match="did you mean tiny-shakespeare"):
        LanguageTask.data_from([Path("tiny-shakespear")])


def test_streams_are_evaluated_each_from_a_zero_state(path: Path) -> None:
    task = task_of(path)
    model = model_of(task)
    ids = task.splits["test"]
    whole = task.evaluate(model, "test", lambda done: None)
    one = task.evaluate_streams(model, "test", 1, lambda done: None)
    assert one["perplexity"] == pytest.approx(whole["perplexity"], rel=1e-6)
    row = ids.tokens // 3
    parts = [Ids(ids.all[k * row : (k + 1) * row + 1], 0) for k in range(3)]
    losses = [task.evaluate_ids(model, part, lambda done: None)["loss"] for part in parts]
    three = task.evaluate_streams(model, "test", 3, lambda done: None)
    assert three["loss"] == pytest.approx(sum(losses) / 3, rel=1e-6)
    assert three["tokens"] == 3 * row
    assert three["loss"] != pytest.approx(whole["loss"], rel=1e-6)
    with pytest.raises(WorkingsError, match="streams"):
        task.evaluate_streams(model, "test", ids.tokens + 1, lambda done: None)
