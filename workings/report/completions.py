"""What the language models of a study make of its prompts: the same ones, with one seed."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from workings.report.table_formats import escaped
from workings.study.summary import StudySummary
from workings.tasks import abilities
from workings.tasks.language.sampling import Sampling

if TYPE_CHECKING:
    from workings.report.samples import Sample
    from workings.run.run import Run

SEED = 1  # of every completion: rows differ by their models, not by luck
LENGTH = 40  # most tokens that follow a prompt


@dataclass(frozen=True)
class Prompts:
    """What texts begin with, and at which temperature they go on."""

    texts: list[str] = field(default_factory=list)
    temperature: float = 1.0


@dataclass(frozen=True)
class Completion:
    """A prompt, and the text that a model made of it."""

    prompt: str
    text: str
    unknown: list[str]  # words of the prompt that the model reads as <unk>


def about(study: StudySummary) -> str:
    """How the texts were made, in a sentence; empty where the study has no prompts."""
    if not study.file.prompts:
        return ""
    return (
        f"Texts go on from the study's prompts, each row with seed {SEED} at temperature "
        f"{study.file.temperature:g}, at most {LENGTH} tokens."
    )


def markdown(study: StudySummary, samples: "list[Sample]") -> str:
    """The texts as a Markdown list, a prompt after the other, the source's text first."""
    lines = [about(study), ""] if study.file.prompts else []
    for prompt in study.file.prompts:
        lines += [f"**{prompt}**", ""]
        if prompt in study.file.published_texts:
            lines.append(f"- published: {escaped(study.file.published_texts[prompt])}")
        for sample in samples:
            texts = [each.text for each in sample.completions if each.prompt == prompt]
            lines += [f"- {escaped(sample.row)}: {escaped(text)}" for text in texts]
        lines.append("")
    return "\n".join(lines)


def complete(run: "Run", prompts: Prompts | None) -> list[Completion]:
    """A text for each prompt; none where the run is of no language model."""
    if prompts is None or not isinstance(run.task, abilities.Generates):
        return []
    sampling = Sampling(temperature=prompts.temperature)
    made = []
    for prompt in prompts.texts:
        text = run.generate(prompt, length=LENGTH, seed=SEED, sampling=sampling)[0]
        made.append(Completion(prompt, text.text, text.unknown))
    return made
