"""What a prompt's tokens attend to, from a model and from a run on the command line."""

import json
from pathlib import Path

import pytest
import torch

from tests.command import command
from workings.errors import WorkingsError
from workings.run import train
from workings.tasks.language.config import TextConfig
from workings.tasks.language.files import whole
from workings.tasks.language.generate import attention_of
from workings.tasks.language.models import AttentionConfig, RNNConfig
from workings.tasks.language.vocabulary import Vocabulary


@pytest.fixture
def vocabulary(tmp_path: Path) -> Vocabulary:
    path = tmp_path / "text.txt"
    path.write_text("the cat sat on a mat and the dog ran to them\n")
    return Vocabulary.build([whole(path)], TextConfig(train=(str(path),), min_count=1))


@pytest.mark.parametrize("kind", ["softmax", "taylor"])
def test_every_head_of_every_layer_adds_up_to_one(vocabulary: Vocabulary, kind: str) -> None:
    torch.manual_seed(0)
    config = AttentionConfig(attention=kind, width=8, heads=2, layers=3, context=6)  # type: ignore[arg-type]
    tokens, weights = attention_of(config.build(len(vocabulary)), vocabulary, "the cat sat")
    assert tokens == ["<eos>", "the", "cat", "sat"]
    weights_LHTT = torch.tensor(weights)
    assert tuple(weights_LHTT.shape) == (3, 2, 4, 4)
    torch.testing.assert_close(weights_LHTT.sum(-1), torch.ones(3, 2, 4))


def test_what_cannot_be_shown_is_said(vocabulary: Vocabulary) -> None:
    model = AttentionConfig(width=8, heads=2, layers=1, context=4).build(len(vocabulary))
    for prompt in ("", "the cat sat on a mat"):
        with pytest.raises(WorkingsError, match="a prompt of 1 to 3 tokens"):
            attention_of(model, vocabulary, prompt)
    with pytest.raises(WorkingsError, match="the model has none"):
        attention_of(RNNConfig().build(len(vocabulary)), vocabulary, "the cat")


def test_the_command_writes_the_chart(book: Path, tmp_path: Path) -> None:
    model = {"kind": "attention", "width": 8, "heads": 2, "layers": 1, "context": 8}
    settings = {"max_steps": 2, "batch": 2, "window": 8, "device": "cpu"}
    values = {"task": "language", "data": {"train": [str(book)]}, "model": model, "train": settings}
    run = train(values, str(tmp_path / "run"))
    file = tmp_path / "chart.json"
    generate = ("generate", run.folder.path, "--length", 2)
    shown = ("--prompt", "the", "--attention")
    done = command(*generate, *shown, file)
    assert done.code == 0, done.err
    rows = json.loads(file.read_text())["data"]["values"]
    assert {row["panel"] for row in rows} == {"layer 1, head 1", "layer 1, head 2"}
    wrong = command(*generate, *shown, tmp_path / "chart.doc")
    assert wrong.code == 2
    assert "no chart can be written as 'chart.doc'" in wrong.err
    assert "needs a --prompt" in command(*generate, "--attention", file).err
