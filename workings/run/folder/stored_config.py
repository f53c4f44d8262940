"""The config of a run folder, which another version of the program may have written."""

from pathlib import Path

from workings.errors import WorkingsError
from workings.run.config import RunConfig, Values, model_class, read, resolve, task_of


def resolve_stored(values: Values) -> RunConfig:
    """The config of a run folder: the keys of a newer version are set aside, not refused."""
    task = task_of(values)
    model = values.get("model", {})
    kind = model.get("kind") if isinstance(model, dict) else None
    classes = {"data": task.Data, "model": model_class(task, kind), "train": task.Train}
    known: Values = {}
    unknown: Values = {}
    for key, value in values.items():
        if key in classes and isinstance(value, dict):
            fields = classes[key].model_fields
            known[key] = {name: each for name, each in value.items() if name in fields}
            newer = {name: each for name, each in value.items() if name not in fields}
            unknown |= {key: newer} if newer else {}
        else:
            (known if key in RunConfig.model_fields else unknown)[key] = value
    data = known.get("data", {})
    if isinstance(data, dict):
        known["data"] = {**task.BEFORE, **data}
    return resolve(known).keeping(unknown)


def read_stored(path: Path) -> RunConfig:
    """The config.toml of a run folder; what is wrong with it is said with its path."""
    values = read(path)
    try:
        return resolve_stored(values)
    except WorkingsError as error:
        raise WorkingsError(f"{path}: {error}") from None
