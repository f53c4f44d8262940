"""A run that goes on from another, or from itself: what it takes over, and what it may change."""

from workings.errors import WorkingsError
from workings.run import config as configs
from workings.run.config import CHANGEABLE, RunConfig, Values, section_of
from workings.run.folder.run_folder import RunFolder
from workings.tasks import TASKS


def changed(config: RunConfig, settings: list[str]) -> RunConfig:
    """A run may go on with other training settings: longer, more slowly, on another device."""
    for setting in settings:
        section, _, key = setting.partition("=")[0].strip().partition(".")
        if section != "train" or key not in CHANGEABLE:
            allowed = ", ".join(f"train.{key}" for key in CHANGEABLE)
            raise WorkingsError(
                f"--set {setting}: cannot change in a run that has begun (only {allowed} can); "
                "start a new one with --init-from"
            )
    values = configs.override(config.model_dump(mode="json"), settings)
    return configs.resolve(values).keeping(config.unknown)


def inherit(values: Values, source: RunFolder) -> Values:
    """A run that starts from another's weights has its model and reads its data the same way."""
    config = source.config()
    if values.get("task", config.task) != config.task:
        raise WorkingsError(
            f"--init-from {source.path}: is a {config.task} run, this is {values['task']}"
        )
    preprocessing = {key: getattr(config.data, key) for key in TASKS[config.task].PREPROCESSING}
    fixed = {"data": preprocessing, "model": {"kind": getattr(config.model, "kind", None)}}
    for section, keys in fixed.items():
        for key, value in keys.items():
            given = section_of(values, section).get(key, value)
            if given != value:
                raise WorkingsError(
                    f"{section}.{key}: is {value!r} in --init-from {source.path}, "
                    f"and cannot be {given!r} here"
                )
    return {
        **values,
        "data": preprocessing | section_of(values, "data"),
        "model": config.model.model_dump() | section_of(values, "model"),
    }
