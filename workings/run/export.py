"""Export: a trained model as ONNX or as a folder of plain torch, verified before it is kept."""

import contextlib
import json
import logging
import shutil
import tempfile
import warnings
from collections.abc import Iterator, Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Literal, Protocol

import numpy as np
import torch
from safetensors.torch import save
from torch import Tensor, nn

from workings.errors import WorkingsError, first_line
from workings.files import explain
from workings.tasks.portable import Case, Part, Portable

Form = Literal["onnx", "folder"]
FORMS: tuple[Form, ...] = ("onnx", "folder")
TOLERANCE = 1e-4  # of the largest value that the live model gives: float32, summed in other orders


def form(name: str) -> Form:
    """The form of that name."""
    for each in FORMS:
        if each == name:
            return each
    raise WorkingsError(f"--to: no form {name!r}; one of {', '.join(FORMS)}")


def export(portable: Portable, to: Form, path: Path, about: Mapping[str, object]) -> float:
    """Write the model to a new folder; gives the largest difference from the live model.

    about: what config.json says besides, such as the run's name. A folder that is there is left
    alone; what is not verified is not kept.
    """
    if path.exists():
        raise WorkingsError(f"{path}: is there already; give another with -o")
    with explain(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(prefix=f".{path.name}-", dir=path.parent))
    try:
        with explain(path):
            difference = _onnx(portable, made) if to == "onnx" else _folder(portable, made)
            config = {**about, "model": portable.model, **portable.use}
            (made / "config.json").write_text(
                json.dumps(config, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
            )
            (made / "README.md").write_text(_readme(portable, to, difference), encoding="utf-8")
            made.chmod(0o755)
            made.rename(path)
    finally:
        shutil.rmtree(made, ignore_errors=True)
    return difference


def _folder(portable: Portable, folder: Path) -> float:
    """weights.safetensors, the architecture as model.py, and load.py, which reads both."""
    difference = max(_verify(part, part.module) for part in portable.parts)
    tensors = {name: each.clone() for name, each in portable.module.state_dict().items()}
    (folder / "weights.safetensors").write_bytes(save(tensors))
    for name, source in (("model.py", portable.standalone), ("load.py", "load")):
        text = (resources.files("workings.nn.standalone") / f"{source}.py").read_text("utf-8")
        (folder / name).write_text(text, encoding="utf-8")
    return difference


def _verify(part: Part, module: nn.Module) -> float:
    """Refuse a module that gives something else than the live model, on any of its cases."""
    with torch.no_grad():
        given = [module(*inputs) for inputs, _ in part.cases]
    outputs = [each if isinstance(each, tuple) else (each,) for each in given]
    return max(map(_difference, [part] * len(outputs), outputs, part.cases))


def _difference(part: Part, given: Sequence[object], case: Case) -> float:
    largest = 0.0
    for name, got, expected in zip(part.outputs, given, case[1], strict=True):
        got, expected = torch.as_tensor(np.asarray(got)), expected.detach()
        if got.shape != expected.shape:
            raise WorkingsError(
                f"the exported {part.name} gives {name} of shape {tuple(got.shape)}, the run's "
                f"model {tuple(expected.shape)}: nothing was kept"
            )
        if not expected.numel():
            continue
        off = float((got.double() - expected.double()).abs().max())
        if not off <= TOLERANCE * max(1.0, float(expected.abs().max())):
            raise WorkingsError(
                f"the exported {part.name} is not the run's model: {name} differs by {off:.2g} on "
                "a real input; nothing was kept"
            )
        largest = max(largest, off)
    return largest


def _onnx(portable: Portable, folder: Path) -> float:
    """An .onnx file for every part, run with onnxruntime on the cases."""
    try:
        import onnxruntime
        import onnxscript  # noqa: F401  # torch's exporter needs it
    except ImportError:
        raise WorkingsError(
            "--to onnx: needs onnx, onnxscript and onnxruntime; pip install 'workings[export]'"
        ) from None
    largest = 0.0
    for part in portable.parts:
        path = folder / f"{part.name}.onnx"
        _write_onnx(part, path)
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        session = onnxruntime.InferenceSession(
            str(path), options, providers=["CPUExecutionProvider"]
        )
        # An input that the graph does not use, such as the edges of an MLP, is not one of its own.
        wanted = {each.name for each in session.get_inputs()}
        for case in part.cases:
            arrays = {
                n: t.numpy() for n, t in zip(part.inputs, case[0], strict=True) if n in wanted
            }
            try:
                outputs = session.run(None, arrays)
            except Exception as error:  # onnxruntime's errors share no class of their own
                raise WorkingsError(
                    f"--to onnx: onnxruntime cannot run it ({first_line(error)}); nothing was kept"
                ) from error
            largest = max(largest, _difference(part, outputs, case))
    return largest


def _write_onnx(part: Part, path: Path) -> None:
    dynamic = [
        {at: torch.export.Dim.DYNAMIC for at, size in enumerate(sizes) if isinstance(size, str)}
        for sizes in part.inputs.values()
    ]
    first, *rest = dynamic
    states = tuple(rest) if _takes_states(part.module) else None
    shapes = (first, states) if states is not None else tuple(dynamic)
    with _scanning(part.module), _quiet():
        try:
            program = torch.onnx.export(
                part.module,
                part.cases[0][0],
                dynamo=True,
                dynamic_shapes=shapes,
                input_names=list(part.inputs),
                output_names=list(part.outputs),
                verbose=False,
            )
        except torch.onnx.OnnxExporterError as error:
            raise WorkingsError(
                f"--to onnx: torch cannot export the {part.name} ({first_line(error)}); "
                "--to folder can"
            ) from error
        assert program is not None
        program.save(str(path), external_data=False)


def _takes_states(module: nn.Module) -> bool:
    return hasattr(module, "start")


class Stepping(Protocol):
    """A recurrent layer of a stand-alone module, which goes on by one token."""

    def step(self, x_Bd: Tensor, *state: Tensor) -> tuple[Tensor, ...]:
        """The state after the token, whose first part is the output."""


@contextlib.contextmanager
def _scanning(module: nn.Module) -> Iterator[None]:
    """While exported, a recurrence is a scan: torch would write its steps out, for one length."""
    if not hasattr(module, "recur"):
        yield
        return
    from torch._higher_order_ops.scan import scan

    def recur(
        layer: Stepping, x_TBd: Tensor, state: tuple[Tensor, ...]
    ) -> tuple[Tensor, list[Tensor]]:
        def step(carry: list[Tensor], x_Bd: Tensor) -> tuple[list[Tensor], Tensor]:
            after = layer.step(x_Bd, *carry)
            return list(after), after[0].clone()

        last, h_TBD = scan(step, [each.clone() for each in state], x_TBd)  # none may be another's
        return h_TBD, list(last)

    module.recur = recur  # type: ignore[assignment]
    try:
        yield
    finally:
        del module.recur


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """torch's exporter warns of its own future, and of packages that are not needed."""
    loggers = [logging.getLogger(name) for name in ("torch.onnx", "onnxscript", "onnx_ir")]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


def _readme(portable: Portable, to: Form, difference: float) -> str:
    verified = (
        f"Verified on real inputs against the run it comes from; largest difference "
        f"{difference:.1g}. config.json says what the numbers mean.\n"
    )
    lines = ["# A model trained with Workings\n", verified]
    if to == "folder":
        use = "import torch\nfrom load import load\n\nmodel, config = load()\n" + portable.how
        lines += ["Needs torch, and nothing else:\n", f"```python\n{use}```\n"]
        return "\n".join(lines)
    for part in portable.parts:
        given, gives = part.cases[0]
        lines.append(f"`{part.name}.onnx`:\n")
        lines += [
            f"- in: `{name}`, {_dtype(tensor)}, {' × '.join(map(str, sizes))}{_meaning(part, name)}"
            for (name, sizes), tensor in zip(part.inputs.items(), given, strict=True)
        ]
        lines += [
            f"- out: `{name}`, {_dtype(tensor)}{_meaning(part, name)}"
            for name, tensor in zip(part.outputs, gives, strict=True)
        ]
        lines.append(f"\n```python\n{_onnx_use(part)}```\n")
    return "\n".join(lines)


def _dtype(tensor: Tensor) -> str:
    return str(tensor.dtype).removeprefix("torch.")


def _meaning(part: Part, name: str) -> str:
    return f": {part.meaning[name]}" if name in part.meaning else ""


def _onnx_use(part: Part) -> str:
    """Python that runs the file on zeros, every size that may vary being 1."""
    lines = [
        "import numpy as np",
        "import onnxruntime\n",
        f'session = onnxruntime.InferenceSession("{part.name}.onnx")',
        "taken = {each.name for each in session.get_inputs()}",
        "inputs = {",
    ]
    for (name, sizes), tensor in zip(part.inputs.items(), part.cases[0][0], strict=True):
        shape = tuple(1 if isinstance(size, str) else size for size in sizes)
        lines.append(f'    "{name}": np.zeros({shape}, np.{_dtype(tensor)}),')
    lines += [
        "}",
        "outputs = session.run(None, {name: inputs[name] for name in inputs if name in taken})",
        f"for name, output in zip({part.outputs}, outputs):",
        "    print(name, output.shape)",
    ]
    return "\n".join(lines) + "\n"
