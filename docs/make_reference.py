"""The reference of the site, made from the code: commands, Python, config fields.

A hook of mkdocs: the pages are made while the site is built, and never stale.
"""

import importlib
import inspect
from collections.abc import Iterator
from typing import Any

PAGES = ("commands", "python", "config")


def on_files(files: Any, config: Any) -> Any:
    """Called by mkdocs with the files of the site: adds the pages of the reference."""
    from mkdocs.structure.files import File

    for page in PAGES:
        text = globals()[page]()
        files.append(File.generated(config, f"reference/{page}.md", content=text))
    return files


def commands() -> str:
    """Every command with its help, as the terminal shows it."""
    import typer.main

    from workings.cli import app

    parts = ["# Commands\n"]
    for path, command in _commands("workings", typer.main.get_command(app)):
        context = typer.Context(command, info_name=path, terminal_width=98, max_content_width=98)
        text = command.get_help(context).replace("```", "")
        parts.append(f"## {path}\n\n```text\n{text}\n```\n")
    return "\n".join(parts)


def _commands(path: str, command: Any) -> Iterator[tuple[str, Any]]:
    """A command and those below it, with what is typed for each."""
    yield path, command
    for name, below in sorted(getattr(command, "commands", {}).items()):
        if not below.hidden:
            yield from _commands(f"{path} {name}", below)


def python() -> str:
    """What `import workings` offers: signatures and docstrings; the methods of a run."""
    import workings

    parts = ["# Python\n"]
    for name in (*workings.__all__, "open"):
        if name == "__version__":
            continue
        target = {"cost": _function("cost.cost", "cost"), "study": _study()}.get(name) or getattr(
            workings, name
        )
        parts.append(_entry(f"workings.{name}", target))
        if inspect.isclass(target):
            parts += [
                _entry(f"{name}.{key}", value)
                for key, value in vars(target).items()
                if not key.startswith("_") and (callable(value) or isinstance(value, property))
            ]
    return "\n".join(parts)


def _function(module: str, name: str) -> Any:
    return getattr(importlib.import_module(f"workings.{module}"), name)


def _study() -> Any:
    return _function("report.run_study", "run_study")


def _entry(name: str, target: Any) -> str:
    function = target.fget if isinstance(target, property) else target
    signature = "" if isinstance(target, property) else str(inspect.signature(function))
    about = inspect.getdoc(function) or ""
    return f"## {name}\n\n```python\n{name}{signature}\n```\n\n{about}\n"


def config() -> str:
    """Every field of every task's config, and of a study file."""
    from workings.study.file import Row, StudyFile
    from workings.tasks import TASKS

    parts = ["# Config fields\n"]
    for name, task in TASKS.items():
        sections = {"data": task.Data, "train": task.Train}
        sections |= {f"model, kind = {kind}": made for kind, made in task.MODELS.items()}
        for section, made in sections.items():
            parts.append(_fields(f"{name}: {section}", made))
    return "\n".join([*parts, _fields("a study", StudyFile), _fields("a study's row", Row)])


def _fields(title: str, made: Any) -> str:
    rows = [
        f"| `{key}` | {_default(field)} | {_cell(field.description or '')} |"
        for key, field in made.model_fields.items()
        if key != "kind"
    ]
    return "\n".join([f"## {title}\n", "| key | default | |", "|---|---|---|", *rows, ""])


def _default(field: Any) -> str:
    if field.is_required():
        return "required"
    value = field.get_default(call_default_factory=True)
    return f"`{_cell(repr(value))}`"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
