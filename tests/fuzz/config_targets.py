"""Fuzz targets of configs: TOML files, --set, study files."""

import tomllib
from pathlib import Path
from random import Random
from typing import Any

import tomlkit

from tests.fuzz import mutate
from tests.fuzz.target import Target
from workings.run import config as configs
from workings.run.folder.stored_config import resolve_stored
from workings.study import file as study_file
from workings.study.plan import plan

CONFIGS = [path.read_bytes() for path in configs.shipped().values()]
# Planning summary-graph parses the whole standard library, which takes longer than an input may.
STUDIES = [
    path.read_bytes() for name, path in study_file.shipped().items() if name != "summary-graph"
]
TASKS = ("language", "images", "graph", "speech", "summary")
ODD = [value for value in mutate.VALUES if value is not None]  # TOML has no null


def to_toml(values: Any) -> bytes:
    """Plain values as TOML; what it cannot hold as it is, as text that is nearly TOML."""
    try:
        return tomlkit.dumps(values).encode("utf-8", "surrogatepass")
    except Exception:
        return repr(values).encode("utf-8", "surrogatepass")


def make_config(random: Random) -> bytes:
    """A shipped config, or a task's resolved one, with values or bytes changed."""
    if random.random() < 0.3:
        return mutate.bytes_(random, CONFIGS)
    if random.random() < 0.5:
        values = tomllib.loads(random.choice(CONFIGS).decode())
    else:
        task = random.choice(TASKS)
        values = tomllib.loads(configs.resolve({"task": task}).to_toml().decode())
        values["data"] = {}
    return to_toml(mutate.values(random, values, ODD))


def fuzz_config(content: bytes, folder: Path) -> None:
    """A config file is read, resolved and written again."""
    path = folder / "config.toml"
    path.write_bytes(content)
    config = configs.resolve(configs.load("./config.toml"))
    assert configs.resolve(tomllib.loads(config.to_toml().decode())) == config
    resolve_stored(configs.read(path))


def make_settings(random: Random) -> bytes:
    """A task, and one to three settings, a line each."""
    task = random.choice(TASKS)
    flat = configs.resolve({"task": task}).flat()
    lines = []
    for _ in range(random.choice((1, 2, 3))):
        key = random.choice([*flat, *flat, mutate.word(random), "model.kind", "", "model.a.b.c"])
        text = random.choice((*mutate.NUMBERS, *mutate.STRINGS, str(flat.get(key, ""))))
        lines.append(f"{key}={text}".replace("\n", " "))
    return "\n".join([task, *lines]).encode("utf-8", "surrogatepass")


def fuzz_settings(content: bytes, folder: Path) -> None:
    """Settings of the command line are applied to a task's defaults."""
    task, *settings = content.decode("utf-8", "surrogatepass").split("\n")
    configs.resolve(configs.override(configs.load(task), settings)).to_toml()


def make_study(random: Random) -> bytes:
    """A shipped study with values or bytes changed."""
    if random.random() < 0.4:
        return mutate.bytes_(random, STUDIES)
    values = tomllib.loads(random.choice(STUDIES).decode())
    return to_toml(mutate.values(random, values, ODD))


def fuzz_study(content: bytes, folder: Path) -> None:
    """A study file is read and planned."""
    (folder / "study.toml").write_bytes(content)
    name, file = study_file.load("./study.toml")
    for job in plan(name, file).jobs[:20]:
        assert "/" not in job.folder


TARGETS = [
    Target("config", make_config, fuzz_config, CONFIGS),
    Target("settings", make_settings, fuzz_settings, [b"language\nmodel.hidden=300"]),
    Target("study", make_study, fuzz_study, STUDIES, share=0.3),
]
