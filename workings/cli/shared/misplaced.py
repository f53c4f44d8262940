"""What was meant by an option or an argument that a command does not take."""

import difflib

from typer.exceptions import TyperException

from workings.cli.shared import complete_keys

# What other programs call a config field.
OTHER_NAMES = {
    "epoch": "epochs",
    "num_epochs": "epochs",
    "steps": "max_steps",
    "batch_size": "batch",
    "learning_rate": "lr",
    "model": "kind",
    "arch": "kind",
    "architecture": "kind",
    "hidden_size": "hidden",
    "embedding_size": "embed",
    "num_layers": "layers",
    "early_stopping": "patience",
    "image_size": "resize",
    "sample_rate": "rate",
}
OPTIONS = {"name": "--run", "random_seed": "--seed", "path": "--data", "dataset": "--data"}
ALIKE = 0.75  # how like a name must be to one that is known, as difflib counts


def meant(error: TyperException) -> str:
    """The message of a usage error that names the way out, where typer's own cannot; else empty."""
    command = getattr(getattr(error, "ctx", None), "command", None)
    taken = {option for each in getattr(command, "params", ()) for option in each.opts}
    option = getattr(error, "option_name", None)
    if option is None:
        extra = error.format_message().startswith("Got unexpected extra argument")
        if not extra or "--data" not in taken:
            return ""
        return f"{error.format_message().strip().rstrip('.')}; data is given with --data"
    name = option.lstrip("-").replace("-", "_").lower()
    says = f"No such option: {option}"
    if OPTIONS.get(name) in taken:
        return f"{says}; it is called {OPTIONS[name]} here"
    near = difflib.get_close_matches(option, sorted(taken), 1, ALIKE)
    fields = _fields(name, exactly=bool(near)) if "--set" in taken and len(name) > 1 else []
    if fields:
        return f"{says}; a config field is set so: {' or '.join(f'--set {f}=…' for f in fields)}"
    return f"{says} (did you mean {near[0]}?)" if near else says


def _fields(name: str, exactly: bool) -> list[str]:
    """The config fields of this name, or else of the name most like it: section.key."""
    known: dict[str, list[str]] = {}
    for key, _ in complete_keys.keys(""):
        field = key.removesuffix("=")
        known.setdefault(field.partition(".")[2], []).append(field)
    name = OTHER_NAMES.get(name, name)
    likely = [name] if exactly else [name, *difflib.get_close_matches(name, known, 1, ALIKE)]
    return next((known[each] for each in likely if each in known), [])
