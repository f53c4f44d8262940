"""Texts that go on from a study's prompts: the same for the same model, beside the source's."""

from pathlib import Path

from tests.study.tiny import study_here, write_study
from workings.report.completions import SEED, Completion, Prompts, complete, markdown
from workings.report.page import html
from workings.report.samples import Sample, samples
from workings.run import open_run
from workings.tasks.language.sampling import Sampling


def test_every_row_goes_on_from_the_prompts_with_one_seed(tmp_path: Path, book: Path) -> None:
    prompts, published = ["the old", "zebra the"], {"the old": "the old <unk>"}
    file = write_study(tmp_path, book, prompts=prompts, temperature=0.5, published_texts=published)
    done = study_here(file, tmp_path / "out")
    made = samples(done.summary)
    assert len(made) == len(done.summary.rows)
    for sample, row in zip(made, done.summary.rows, strict=True):
        run = open_run(str(row.runs[0].folder))
        for each in sample.completions:
            cooled = Sampling(temperature=0.5)
            expected = run.generate(each.prompt, length=40, seed=SEED, sampling=cooled)[0]
            assert each.text == expected.text
            assert each.unknown == (["zebra"] if each.prompt == "zebra the" else [])
        assert [each.prompt for each in sample.completions] == prompts
        assert complete(run, Prompts(prompts, 0.5)) == sample.completions
    page = html(done.summary)
    assert "temperature 0.5" in page
    assert "not in the vocabulary: zebra" in page
    shown = markdown(
        done.summary, [Sample("one", 1, completions=[Completion("the old", "a*", [])])]
    )
    assert "**the old**\n\n- published: the old &lt;unk&gt;\n- one: a\\*\n" in shown
