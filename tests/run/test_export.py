"""Exported models say what the run's models say: without Workings, and in onnxruntime."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from tests.tiny import MODELS, untrained
from workings.errors import WorkingsError
from workings.run.export import export, form
from workings.tasks.portable import Portable

EVERY = [(task, model) for task, models in MODELS.items() for model in models]
IN_ONNX = [("language", "rnn"), ("graph", "row")]  # a scan, a scatter: others take seconds too

# What someone does with an exported folder, in a process that has no Workings.
ELSEWHERE = """
import importlib, json, os, sys
import torch
for folder in sys.argv[1:]:
    os.chdir(folder)
    sys.path.insert(0, folder)
    model, config = importlib.import_module("load").load(folder)
    parts = torch.load("cases.pt")
    for name, cases in parts.items():
        module = model if name == "model" else getattr(model, name)
        for inputs, expected in cases:
            given = module(*inputs)
            given = given if isinstance(given, tuple) else (given,)
            for got, wanted in zip(given, expected, strict=True):
                torch.testing.assert_close(got, wanted, atol=1e-5, rtol=1e-5)
    with open("README.md") as file:
        exec(file.read().split("```python\\n")[1].split("```")[0])
    sys.path.pop(0)
    del sys.modules["load"], sys.modules["model"]
assert "workings" not in sys.modules
print("alike")
"""


@pytest.fixture(scope="module")
def portables(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], Portable]:
    folder = tmp_path_factory.mktemp("tiny")
    made = {}
    for task_name, model_name in EVERY:
        task, model = untrained(task_name, model_name, folder)
        made[task_name, model_name] = task.portable(model)  # type: ignore[attr-defined]
    return made


def test_a_folder_needs_torch_alone(
    portables: dict[tuple[str, str], Portable], tmp_path: Path
) -> None:
    folders = []
    for (task, model), portable in portables.items():
        path = tmp_path / f"{task}-{model}"
        assert export(portable, "folder", path, {"task": task}) < 1e-5
        cases = {part.name: part.cases for part in portable.parts}
        torch.save(cases, path / "cases.pt")
        folders.append(str(path))
    python = [sys.executable, "-W", "error", "-c", ELSEWHERE, *folders]
    done = subprocess.run(python, capture_output=True, text=True, env={"OMP_NUM_THREADS": "1"})
    assert done.stdout.endswith("alike\n"), done.stderr


@pytest.mark.parametrize(("task", "model"), IN_ONNX)
def test_onnx_is_verified_and_takes_other_sizes(
    portables: dict[tuple[str, str], Portable],
    task: str,
    model: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    onnxruntime = pytest.importorskip("onnxruntime")
    pytest.importorskip("onnxscript")
    portable = portables[task, model]
    assert export(portable, "onnx", tmp_path / "out", {"task": task}) < 1e-5
    assert json.loads((tmp_path / "out" / "config.json").read_text())["task"] == task
    for part in portable.parts:
        file = tmp_path / "out" / f"{part.name}.onnx"
        session = onnxruntime.InferenceSession(str(file), providers=["CPUExecutionProvider"])
        assert [each.name for each in session.get_outputs()] == list(part.outputs)
        inputs = [tensor.numpy() for tensor in part.cases[-1][0]]
        given = session.run(None, dict(zip(part.inputs, inputs, strict=True)))
        for got, wanted in zip(given, part.cases[-1][1], strict=True):
            np.testing.assert_allclose(got, wanted.detach(), atol=1e-5)
    readme = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path / "out")
    for code in readme.split("```python\n")[1:]:
        exec(code.split("```")[0], {})  # what it shows runs as it stands
    out = capsys.readouterr().out
    assert all(f"{name} (" in out for part in portable.parts for name in part.outputs)


def test_a_readme_says_what_the_numbers_of_every_input_are(
    portables: dict[tuple[str, str], Portable],
) -> None:
    for (task, _), portable in portables.items():
        for part in portable.parts:
            assert set(part.inputs) <= set(part.meaning), task
    (part,) = portables["images", "cnn"].parts
    assert "0 to 255" in part.meaning["pixels"]


def test_what_is_not_the_same_model_is_not_kept(
    portables: dict[tuple[str, str], Portable], tmp_path: Path
) -> None:
    portable = portables["graph", "mlp"]
    weights = {name: each.clone() for name, each in portable.module.state_dict().items()}
    with torch.no_grad():
        next(portable.module.parameters()).add_(0.1)
    try:
        with pytest.raises(WorkingsError, match="is not the run's model: rows differs by"):
            export(portable, "folder", tmp_path / "out", {})
    finally:
        portable.module.load_state_dict(weights)
    assert list(tmp_path.iterdir()) == []


def test_refusals_are_one_line(portables: dict[tuple[str, str], Portable], tmp_path: Path) -> None:
    with pytest.raises(WorkingsError, match="no form 'tf'; one of onnx, folder"):
        form("tf")
    (tmp_path / "there").mkdir()
    with pytest.raises(WorkingsError, match="is there already"):
        export(portables["graph", "mlp"], "folder", tmp_path / "there", {})
