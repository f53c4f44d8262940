"""The user's own architecture: found, built, tried out, or refused in one line."""

import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from workings.errors import WorkingsError
from workings.tasks.config import OwnModel
from workings.tasks.language.config import LanguageTrain, TextConfig
from workings.tasks.language.task import LanguageTask
from workings.tasks.own import build_own

MINE = """
import torch
from torch import nn


class Bigram(nn.Module):
    def __init__(self, vocabulary, scale=1.0):
        super().__init__()
        self.scale = scale
        self.table = nn.Embedding(vocabulary, vocabulary)
        self.dropout = nn.Dropout(0.5)

    def forward(self, tokens_BT, state):
        seen = (0 if state is None else state) + tokens_BT.shape[1]
        return self.dropout(self.table(tokens_BT)) * self.scale, seen


class Transposed(Bigram):
    def forward(self, tokens_BT, state):
        return super().forward(tokens_BT.t(), state)


class Stateless(Bigram):
    def forward(self, tokens_BT):
        return super().forward(tokens_BT, None)[0]


class OneOutput(Bigram):
    def forward(self, tokens_BT, state):
        return self.table(tokens_BT)


class WrongState(Bigram):
    def forward(self, tokens_BT, state):
        return self.table(tokens_BT), {} if state is None else state["h"]


class Noisy(Bigram):
    def forward(self, tokens_BT, state):
        logits_BTV, state = super().forward(tokens_BT, state)
        return logits_BTV + torch.randn_like(logits_BTV), state


class Plain:
    def __init__(self, vocabulary):
        pass


def function(vocabulary):
    return Bigram(vocabulary)
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's folder, with a module in it and text beside it."""
    monkeypatch.setattr(sys, "path", sys.path.copy())
    for name in ("mine", "broken"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    (tmp_path / "mine.py").write_text(MINE)
    (tmp_path / "text.txt").write_text("the cat sat on the mat\n" * 40)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def task_of(kind: str, **args: Any) -> LanguageTask:
    data = TextConfig(train=("text.txt",))
    train = LanguageTrain(batch=2, window=5)
    return LanguageTask(data, OwnModel(kind=kind, args=args), train, 1, {})


def refusal(kind: str, **args: Any) -> str:
    with pytest.raises(WorkingsError) as caught:
        task_of(kind, **args).build()
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_class_in_the_current_folder_is_built_with_the_vocabulary() -> None:
    task = task_of("mine:Bigram")
    assert task.build().table.weight.shape == (len(task.vocabulary),) * 2


def test_the_args_of_the_config_reach_the_class() -> None:
    assert task_of("mine:Bigram", scale=2.5).build().scale == 2.5


def test_a_class_of_an_installed_package_is_found() -> None:
    model = build_own("torch.nn:Linear", {"out_features": 3}, in_features=2)
    assert isinstance(model, nn.Linear)
    assert model.weight.shape == (3, 2)


def test_an_own_class_has_a_loss_and_carries_its_state() -> None:
    task = task_of("mine:Bigram")
    model = task.build().eval()
    x_BT, y_BT = next(iter(task.batches(1, 0)))
    loss, units, carry = task.loss(model, (x_BT, y_BT), 7)
    log_p = model.table.weight.log_softmax(1)
    torch.testing.assert_close(loss, -log_p[x_BT, y_BT].mean())
    assert (units, carry) == (10, 12)


def test_trying_out_changes_neither_the_mode_nor_the_random_numbers() -> None:
    task = task_of("mine:Noisy")
    types = len(task.vocabulary)
    torch.manual_seed(1)
    assert task.build().training
    after = torch.rand(3)
    torch.manual_seed(1)
    build_own("mine:Noisy", {}, vocabulary=types)
    assert torch.equal(torch.rand(3), after)


@pytest.mark.parametrize("kind", ["Transposed", "Stateless", "OneOutput", "WrongState"])
def test_a_forward_that_does_not_fit_is_told_what_is_needed(kind: str) -> None:
    message = refusal(f"mine:{kind}")
    assert message.startswith(f"model.kind: mine:{kind}: forward(tokens_BT, state) must give")
    assert "B×T×7" in message


def test_a_wrong_shape_is_named() -> None:
    assert refusal("mine:Transposed").endswith("it gave (5, 2, 7) for tokens of shape (2, 5)")


def test_what_forward_raised_is_named() -> None:
    assert "it raised TypeError: " in refusal("mine:Stateless")
    assert "it raised KeyError: " in refusal("mine:WrongState")


@pytest.mark.parametrize("attribute", ["Plain", "function"])
def test_what_is_not_a_module_class_is_refused(attribute: str) -> None:
    message = refusal(f"mine:{attribute}")
    assert message.startswith(f"model.kind: mine:{attribute} is neither a torch.nn.Module class")


@pytest.mark.parametrize("attribute", ["Absent", ""])
def test_what_is_not_there_is_named(attribute: str) -> None:
    message = refusal(f"mine:{attribute}")
    assert message.startswith(f"model.kind: mine has no class or function {attribute!r}")


def test_a_module_that_is_not_there_is_named_with_where_it_was_sought() -> None:
    message = refusal("no_such_module:Model")
    assert message.startswith("model.kind: cannot import 'no_such_module' (ModuleNotFoundError: ")
    assert message.endswith("in the current folder and among the installed packages")


@pytest.mark.parametrize(
    ("source", "error"),
    [
        ("def broken(:\n", "SyntaxError"),
        ("import no_such_thing\n", "ModuleNotFoundError"),
        ("1 / 0\n", "ZeroDivisionError"),
    ],
)
def test_a_module_that_cannot_be_imported_says_why(folder: Path, source: str, error: str) -> None:
    (folder / "broken.py").write_text(source)
    assert refusal("broken:Model").startswith(f"model.kind: cannot import 'broken' ({error}: ")


def test_a_class_that_cannot_be_built_names_what_it_was_given() -> None:
    message = refusal("mine:Bigram", size=3)
    assert message.startswith(
        "model.kind: mine:Bigram(vocabulary, size) cannot be built (TypeError"
    )
