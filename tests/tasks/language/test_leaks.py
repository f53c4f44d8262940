"""Text that is in two splits is noticed; a text that repeats itself is not."""

import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

from workings.nn.recurrent import RNN, RecurrentLanguageModel
from workings.tasks.language import leaks, text_overlap
from workings.tasks.language.config import LanguageTrain, TextConfig
from workings.tasks.language.models import RNNConfig
from workings.tasks.language.task import LanguageTask
from workings.tasks.language.text_overlap import Common, Marks
from workings.tasks.leak import Leak


def lines(count: int, seed: int, words: int = 400, length: int = 9) -> list[str]:
    """Lines of random words."""
    draw = random.Random(seed)
    return [" ".join(f"w{draw.randrange(words)}" for _ in range(length)) for _ in range(count)]


class Texts:
    """Splits in files, and what is found in them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def write(self, name: str, content: Sequence[str]) -> Path:
        path = self.folder / f"{name}.txt"
        path.write_text("\n".join(content) + "\n")
        return path

    def leaks(self, paths: dict[str, Path], **data: str) -> list[Leak]:
        files = {split: (str(path),) for split, path in paths.items()}
        config = TextConfig(**files, **data)  # type: ignore[arg-type]
        task = LanguageTask(config, RNNConfig(embed=4, hidden=4), LanguageTrain(), 1, {})
        return list(task.leaks(task.build()))

    def found(
        self, train: list[str], test: list[str], valid: list[str] | None = None, **data: str
    ) -> list[Leak]:
        given = {"train": train, "valid": valid or lines(60, 99), "test": test}
        return self.leaks({split: self.write(split, text) for split, text in given.items()}, **data)


@pytest.fixture
def texts(tmp_path: Path) -> Texts:
    """See `Texts`."""
    return Texts(tmp_path)


TRAIN = lines(400, 1)


def test_text_of_its_own(texts: Texts) -> None:
    assert texts.found(TRAIN, lines(80, 2)) == []
    assert texts.found(TRAIN, lines(80, 2), level="char") == []


@pytest.mark.parametrize("level", ["word", "char"])
def test_lines_of_the_training_text_shuffled(texts: Texts, level: str) -> None:
    test = random.Random(3).sample(TRAIN, 80)
    (leak,) = texts.found(TRAIN, test, level=level)
    assert leak.grave
    # All but the ends of lines, which are tokens too.
    share = int(leak.text.removeprefix("data: ").partition("%")[0])
    assert share >= (90 if level == "word" else 95)
    assert "of the test text" in leak.text
    assert leak.accept == "data.allow_overlap"


def test_the_share_is_named_and_a_small_one_is_a_warning(texts: Texts) -> None:
    (leak,) = texts.found(TRAIN, TRAIN[:20] + lines(80, 2))
    assert not leak.grave
    assert "20% of the test text" in leak.text
    assert "0% in common with the rest" in leak.text


def test_a_long_run_without_line_ends(texts: Texts) -> None:
    train = " ".join(TRAIN).split()
    test = train[100:700]
    (leak,) = texts.found([" ".join(train)], [" ".join(test)])
    assert leak.grave


def test_a_text_that_repeats_itself_is_no_leak(texts: Texts) -> None:
    songs = lines(40, 5)
    draw = random.Random(4)
    assert texts.found(draw.choices(songs, k=400), draw.choices(songs, k=80)) == []
    refrains = [*lines(400, 6), *["short line"] * 200]
    assert texts.found(refrains, [*lines(50, 7), *["short line"] * 200]) == []


def test_unknown_words_are_not_the_same_words(texts: Texts) -> None:
    """Every word is seen once, so that all lines are <unk> alike."""
    once = [" ".join(f"a{n}x{k}" for k in range(9)) for n in range(300)]
    assert texts.found(["the cat the cat", *once[:250]], once[250:]) == []


@pytest.mark.parametrize("way", ["path", "copy", "link"])
def test_one_file_for_two_splits(texts: Texts, way: str) -> None:
    train, valid = texts.write("train", TRAIN), texts.write("valid", lines(60, 9))
    test = train
    if way != "path":
        test = texts.folder / "other.txt"
        test.symlink_to(train) if way == "link" else test.write_bytes(train.read_bytes())
    (leak,) = texts.leaks({"train": train, "valid": valid, "test": test})
    assert leak.grave
    assert "the same text is given for train and for test" in leak.text
    (leak,) = texts.leaks({"train": train, "valid": valid, "test": valid})
    assert not leak.grave  # nothing of it is trained on
    assert "for valid and for test" in leak.text


def test_of_a_long_text_a_part_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """The share is then that of the whole: half of the text finds half of what is there."""
    ids = np.random.default_rng(0).integers(3, 500, 400_000)
    monkeypatch.setattr(text_overlap, "MOST", {"train": 200_000, "test": 20_000, "valid": 9})
    splits = {"train": ids, "test": ids[100_000:130_000]}
    common = Common(splits, Marks.of(0, 1, "word"))
    assert common.looked_at("train") == pytest.approx(0.5, abs=1e-3)
    assert common.share("test", "train") == pytest.approx(1, abs=0.1)
    assert common.natural("train", 20_000) == 0
    (leak,) = leaks.same_text(splits | {"valid": ids[:0]}, Marks.of(0, 1, "word"))
    assert "by 50.0% of it that was looked at" in leak.text
    assert leak.grave


def test_stretches_are_found_by_hand() -> None:
    """Of 300 tokens, 150 stand in the other text, in 139 runs that a set of tuples finds too."""
    draw = np.random.default_rng(1)
    train, test = draw.integers(2, 40, 2_000), draw.integers(2, 40, 300)
    test[40:190] = train[1_000:1_150]
    common = Common(
        {"train": np.append(0, train), "test": np.append(0, test)}, Marks.of(0, 1, "word")
    )
    runs = [{tuple(text[i : i + 12]) for i in range(len(text) - 11)} for text in (test, train)]
    assert common.share("test", "train") == len(runs[0] & runs[1]) / len(runs[0]) == 139 / 289


class Cheating(RecurrentLanguageModel):
    """Its loss is not that of its outputs."""

    def loss(self, x_BT: Tensor, y_BT: Tensor, state: object) -> tuple[Tensor, object]:
        loss, state = super().loss(x_BT, y_BT, state)
        return loss / 2, state


def test_a_loss_that_is_not_that_of_the_outputs() -> None:
    torch.manual_seed(1)
    sizes = {"embed": 4, "hidden": 4, "cell": RNN}
    assert list(leaks.other_loss(RecurrentLanguageModel(30, **sizes), "a:B", 6, 30)) == []
    (leak,) = leaks.other_loss(Cheating(30, **sizes), "a:B", 6, 30)
    assert leak.grave
    assert "a:B: its loss is 1.6625 where the cross-entropy of its outputs is 3.3250" in leak.text
