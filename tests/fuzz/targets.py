"""All fuzz targets, by name, and the inputs that once failed."""

from pathlib import Path

from tests.fuzz import config_targets, data_targets, folder_targets, formula_targets
from tests.fuzz.target import Target

CORPUS = Path(__file__).parent / "corpus"  # corpus/TARGET/NAME: each is tried by the suite
TARGETS: dict[str, Target] = {
    target.name: target
    for module in (config_targets, formula_targets, data_targets, folder_targets)
    for target in module.TARGETS
}


def corpus(target: Target) -> list[Path]:
    """The kept inputs of a target."""
    return sorted((CORPUS / target.name).glob("*"))
