"""The config of every model: its fields are the arguments of the architecture that it builds."""

import inspect
import subprocess
import sys
from typing import Any

import pytest
import torch
from torch import nn

from workings.errors import WorkingsError
from workings.nn import GRU, LSTM, RNN
from workings.schema import build
from workings.tasks import TASKS
from workings.tasks.language.models import AttentionConfig, RecurrentConfig, RNNConfig
from workings.tasks.speech.models import SpeechConfig

SIZES = {
    "language": (40,),
    "images": (1, 28, 28, 10),
    "graph": (6, 3),
    "speech": (20, 8),
    "summary": (9, 6, 2),
}
KINDS = [(task, kind) for task, made in TASKS.items() for kind in made.MODELS]
NOT_ARGUMENTS = {"kind", "embed", "pool", "text_width"}  # of a graph network, used by its task
CELLS: dict[str, type[nn.Module]] = {"rnn": RNN, "lstm": LSTM, "gru": GRU}


@pytest.mark.parametrize(("task", "kind"), KINDS)
def test_the_fields_are_arguments_with_the_same_defaults(task: str, kind: str) -> None:
    config = TASKS[task].MODELS[kind]()
    model = config.build(*SIZES[task])  # type: ignore[attr-defined]
    arguments = dict(inspect.signature(type(model).__init__).parameters)
    if kind in CELLS:
        arguments |= inspect.signature(CELLS[kind].__init__).parameters
    for name, value in config.model_dump().items():
        if name in arguments:
            default = arguments[name].default
            one_for_all = isinstance(value, tuple) and len(value) == 1
            expected = value * len(default) if one_for_all else value
            assert default in (inspect.Parameter.empty, expected), name
        else:
            assert name in NOT_ARGUMENTS, name


def test_architectures_need_no_config_library() -> None:
    """A loop of anyone's own imports them without pydantic."""
    code = "import sys, workings.nn; print({'pydantic', 'workings.schema'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_recurrent_layers_have_the_settings_of_their_config() -> None:
    def layers(kind: str, **fields: Any) -> Any:
        return TASKS["language"].MODELS[kind](**fields).build(7).layers  # type: ignore[attr-defined]

    assert layers("rnn")[0].activation == "sigmoid"
    assert layers("rnn", activation="relu")[0].activation == "relu"
    sizes = [(one.input_size, one.hidden_size) for one in layers("gru", embed=4, layers=2)]
    assert sizes == [(4, 200), (200, 200)]
    biases = [(one.bias_ih_l0)[3:6] for one in layers("lstm", hidden=3, layers=2, forget_bias=3.0)]
    assert torch.stack(biases).tolist() == [[3.0] * 3] * 2


def test_one_tied_layer_of_another_width_is_refused() -> None:
    with pytest.raises(WorkingsError, match=r"need embed = hidden \(got 6 and 9\)"):
        build(RNNConfig, {"embed": 6, "hidden": 9, "tied": True}, "model")
    assert RNNConfig(embed=6, hidden=6, tied=True).build(3).output.in_features == 6


def test_a_recurrent_config_without_a_cell_says_so() -> None:
    with pytest.raises(NotImplementedError):
        RecurrentConfig().build(3)


def test_heads_must_divide_the_width() -> None:
    with pytest.raises(WorkingsError, match="width 10 is not a multiple of heads 3"):
        build(AttentionConfig, {"width": 10, "heads": 3}, "model")


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"width": 10, "heads": 3}, "width 10 is not a multiple of heads 3"),
        ({"width": 9, "heads": 3}, "width 9 is odd"),
        ({"decoder": "lstm"}, "model.decoder"),
        ({"stride": 0}, "model.stride"),
    ],
)
def test_speech_models_that_cannot_be(values: dict[str, Any], said: str) -> None:
    with pytest.raises(WorkingsError, match=said):
        build(SpeechConfig, values, "model")
