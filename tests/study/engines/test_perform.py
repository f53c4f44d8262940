"""A job that goes on in a folder imports what its study named, nothing that the folder adds."""

import re
import shutil
from pathlib import Path

import pytest

from tests.study.tiny import write_study
from workings.errors import WorkingsError
from workings.run.progress import Progress
from workings.study.engines.perform import perform
from workings.study.file import load
from workings.study.plan import plan


@pytest.mark.parametrize("key", ["callback", "loss", "optimizer", "kind"])
def test_what_the_folder_adds_is_refused(key: str, tmp_path: Path, book: Path) -> None:
    row = [{"name": "rnn", "set": {"train.epochs": 1}}]
    file = write_study(tmp_path, book, row=row)
    (job,) = plan("tiny", load(file)[1]).jobs
    folder = tmp_path / "run"
    perform(job, folder, 1, Progress())
    (folder / "result.json").unlink()
    (folder / "manifest.json").unlink()
    shutil.rmtree(folder / "checkpoint")
    config = folder / "config.toml"
    config.write_text(re.sub(rf"(?m)^{key} = .*", f'{key} = "os:abort"', config.read_text()))
    with pytest.raises(WorkingsError, match=r"'os:abort', which would be imported.*--trust"):
        perform(job, folder, 1, Progress())
