"""What runs of older versions made of each example, computed from their best weights."""

from collections.abc import Callable

from workings.report.samples import opened_run, tried
from workings.run.folder import examples_file
from workings.study.summary import StudySummary


def keep_missing_examples(study: StudySummary, say: Callable[[str], None]) -> None:
    """Make examples.safetensors in the folders of finished runs that have none.

    A run that cannot be used (its data elsewhere, its class not trusted) is left as it is, and the
    table says that its examples were not kept.
    """
    for part in study.parts:
        keep_missing_examples(part, say)
    for run in (run for row in study.rows for run in row.runs if run.state == "finished"):
        if (run.folder / examples_file.NAME).exists() or not (run.folder / "run.json").is_file():
            continue
        say(f"{run.folder}: evaluating each example, which an older version did not keep")
        with opened_run(run.folder) as (opened, _):
            if opened is not None:
                tried(lambda: opened.keep_examples(lambda done: None))
