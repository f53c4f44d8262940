"""The command as a user meets it: what it prints, what it leaves, how it refuses."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.command import Command

TINY = ["--set", "model.hidden=6", "--set", "model.embed=6", "--set", "train.batch=4"]
TINY += ["--set", "train.window=10", "--set", "train.epochs=1", "--set", "train.device=cpu"]


@pytest.fixture
def trained(workings: Command, book: Path) -> str:
    code, _, err = workings("train", "language", "--data", book, *TINY, "--run", "one")
    assert code == 0, err
    return "one"


def test_train_prints_figures_beside_baselines_and_what_to_type_next(
    workings: Command, book: Path
) -> None:
    code, out, err = workings("train", "language", "--data", book, *TINY, "--run", "one")
    assert code == 0
    for expected in ("perplexity", "unigram", "Kneser-Ney trigram", "run folder: runs/one"):
        assert expected in out
    assert "workings generate one" in out
    assert "epoch   1" in err
    result = json.loads(Path("runs/one/result.json").read_text())
    assert f"{result['metrics']['test.perplexity']:,.2f}" in out


def test_train_json_is_the_result(workings: Command, book: Path) -> None:
    code, out, _ = workings("train", "language", "--data", book, *TINY, "--run", "one", "--json")
    assert code == 0
    result = json.loads(out)
    assert result["run"] == "runs/one"
    assert result["metrics"] == json.loads(Path("runs/one/result.json").read_text())["metrics"]


def test_train_from_a_file_of_config(workings: Command, book: Path, tmp_path: Path) -> None:
    Path("mine.toml").write_text(f'task = "language"\n[data]\ntrain = "{book}"\n')
    code, out, err = workings("train", "mine.toml", *TINY, "-q")
    assert code == 0, err
    assert "run folder: runs/mine-" in out
    assert err == ""


def test_train_on_three_files(workings: Command, book: Path) -> None:
    lines = book.read_text().splitlines(keepends=True)
    for split, begin in (("train", 0), ("valid", 9), ("test", 19)):
        Path(f"my.{split}.txt").write_text("".join(lines[begin:]))
    files = [arg for split in ("valid", "train", "test") for arg in ("--data", f"my.{split}.txt")]
    code, _, err = workings("train", "language", *files, *TINY, "--run", "one")
    assert code == 0, err
    written = Path("runs/one/config.toml").read_text()
    assert f'valid = ["{Path("my.valid.txt").absolute()}"]' in written


def test_own_class_trains_and_generates(workings: Command, book: Path) -> None:
    Path("minenet.py").write_text(
        "from torch import nn\n"
        "class Net(nn.Module):\n"
        "    def __init__(self, vocabulary, width):\n"
        "        super().__init__()\n"
        "        self.e = nn.Embedding(vocabulary, width)\n"
        "        self.u = nn.Linear(width, vocabulary)\n"
        "    def forward(self, x_BT, state=None):\n"
        "        return self.u(self.e(x_BT)), state\n"
    )
    own = ["--set", "model.kind=minenet:Net", "--set", "model.args.width=5"]
    code, _, err = workings("train", "language", "--data", book, *own, *TINY[4:], "--run", "own")
    assert code == 0, err
    code, out, _ = workings("generate", "own", "--prompt", "the old")
    assert code == 0
    assert out.startswith("the old")


def test_eval_of_the_users_text_names_the_unknown_share(
    workings: Command, trained: str, tmp_path: Path
) -> None:
    Path("mine.txt").write_text("the old zebra .\n")
    code, out, _ = workings("eval", trained, "--data", "mine.txt", "--json")
    assert code == 0
    metrics = json.loads(out)["metrics"]
    assert metrics["tokens"] == 5
    assert metrics["unknown_share"] == pytest.approx(0.2)
    assert json.loads(out)["baselines"] == {}  # they are of the run's own text
    code, out, _ = workings("eval", trained)
    assert "perplexity" in out
    code, out, _ = workings("eval", trained, "--json")
    about = json.loads(out)
    kept = json.loads(Path("runs", trained, "result.json").read_text())["baselines"]
    for name, scores in kept.items():
        assert about["baselines"][name]["perplexity"] == scores["test.perplexity"]


def test_generate_json_and_warning(workings: Command, trained: str) -> None:
    args = ["generate", trained, "--prompt", "the zebra", "--json", "-n", 2, "--length", 5]
    code, out, err = workings(*args)
    assert code == 0
    assert "zebra" in err
    samples = json.loads(out)
    assert len(samples) == 2
    for token in samples[0]["tokens"]:
        assert 0 < token["probability"] <= 1
    assert workings(*args)[1] == out
    assert workings(*args, "--seed", 2)[1] != out


def test_runs_list_compare_remove(workings: Command, trained: str, book: Path) -> None:
    workings("train", "language", "--data", book, *TINY, "--set", "train.lr=0.5", "--run", "two")
    code, out, _ = workings("runs", "list", "--json")
    assert [row["run"] for row in json.loads(out)] == ["one", "two"]
    assert "finished" in workings("runs", "list")[1]
    code, out, _ = workings("runs", "compare", "one", "two")
    assert code == 0
    lines = {line.split()[0]: line.split()[1:] for line in out.splitlines() if line.split()}
    assert lines["train.lr"] == ["0.005", "0.5"]
    assert "model.hidden" not in lines
    assert "test.perplexity" in lines
    code, out, _ = workings("runs", "remove", "one", "--yes")
    assert code == 0
    assert not Path("runs/one").exists()
    assert Path("runs/two").exists()


def test_help_of_a_task_shows_every_field(workings: Command) -> None:
    code, out, _ = workings("train", "language", "--help")
    assert code == 0
    for field in ("min_count", "patience", "dropout_locked", "forget_bias", "window"):
        assert field in out
    code, out, _ = workings("train", "--help")
    assert "ptb-rnn-12" in out.replace("\n", "").replace(" ", "")


def test_data_list_and_show(workings: Command, book: Path) -> None:
    code, out, _ = workings("data", "list", "--json")
    assert {row["name"] for row in json.loads(out)} >= {"ptb", "tiny-shakespeare", "sotu"}
    code, out, _ = workings("data", "show", book, "--json")
    assert code == 0
    shown = json.loads(out)
    assert shown["types"] > 10
    assert len(shown["sha256"]) == 64


def test_version(workings: Command) -> None:
    import workings as package

    assert workings("--version")[:2] == (0, f"workings {package.__version__}\n")


def write(name: str, content: bytes) -> str:
    Path(name).write_bytes(content)
    return name


REFUSED: dict[str, tuple[Callable[[], list[Any]], str]] = {
    "missing file": (lambda: ["train", "language", "--data", "none.txt"], "none.txt: no such file"),
    "empty file": (
        lambda: ["train", "language", "--data", write("e.txt", b"")],
        "e.txt: is empty",
    ),
    "binary file": (
        lambda: ["train", "language", "--data", write("b.txt", b"some words\n\0\1\2" * 99)],
        "byte 11 is zero",
    ),
    "not UTF-8": (
        lambda: ["train", "language", "--data", write("l.txt", b"caf\x81 au lait\n" * 99)],
        "not UTF-8 at byte 3",
    ),
    "blank text": (
        lambda: ["train", "language", "--data", write("w.txt", b" \n \n" * 99)],
        "a model needs two or more",
    ),
    "text too short": (
        lambda: [
            *("train", "language", "--data", write("s.txt", b"one two one two\n" * 5)),
            *("--set", "train.batch=64", "--set", "train.window=35"),
        ],
        "too short for one window of 64 × 35",
    ),
    "one word": (
        lambda: ["train", "language", "--data", write("o.txt", b"word\n" * 999)],
        "a model needs two or more",
    ),
    "no such config": (lambda: ["train", "ptb-rnn-13"], "did you mean ptb-rnn-"),
    "no such data": (lambda: ["train", "language", "--set", "data.name=sot"], "did you mean sotu"),
    "unknown key": (lambda: ["train", "language", "--set", "model.hiden=3"], "model.hidden?"),
    "size below one": (lambda: ["train", "language", "--set", "model.hidden=0"], "model.hidden"),
    "rate is no number": (lambda: ["train", "language", "--set", "train.lr=fast"], "train.lr"),
    "rate is nan": (lambda: ["train", "language", "--set", "train.lr=nan"], "train.lr"),
    "another task": (
        lambda: ["train", write("x.toml", b'task = "image"\n')],
        "task: no task 'image'",
    ),
    "no task": (
        lambda: ["train", write("x.toml", b"seed = 3\n"), "--data", book_here()],
        "task: is required",
    ),
    "data that is no section": (
        lambda: ["train", write("x.toml", b'task = "language"\ndata = 3\n'), "--data", book_here()],
        "data: must be a section",
    ),
    "no device": (
        lambda: ["train", "language", "--data", book_here(), "--set", "train.device=cuda"],
        "train.device=cpu",
    ),
    "no class": (
        lambda: ["train", "language", "--data", book_here(), "--set", "model.kind=json:Net"],
        "json has no class or function 'Net'",
    ),
    "no module": (
        lambda: ["train", "language", "--data", book_here(), "--set", "model.kind=nonesuch:Net"],
        "cannot import 'nonesuch'",
    ),
    "no run": (lambda: ["resume", "nothing"], "no run 'nothing'"),
    "no run to evaluate": (lambda: ["eval", "nothing"], "no run 'nothing'"),
    "no run to start from": (
        lambda: ["train", "language", "--data", book_here(), "--init-from", "nothing"],
        "no run 'nothing'",
    ),
    "no command": (lambda: ["trian"], "Did you mean"),
    "no option": (lambda: ["train", "language", "--dta", "x"], "--data"),
    "no data set to get": (lambda: ["data", "get", "pbt"], "did you mean ptb"),
    "no data to show": (
        lambda: ["data", "show", "nothing.txt"],
        "nothing.txt: no such file, folder or data set",
    ),
    "a folder of no task": (
        lambda: ["data", "show", str(Path(write("DE_edges.csv", b"from,to\n0,1\n")).parent)],
        "looks like no task's data (DE_edges.csv",
    ),
    "a model too large": (
        lambda: ["train", "language", "--data", book_here(), "--set", f"model.hidden={10**9}"],
        "too large for this machine",
    ),
    "a seed too large": (lambda: ["train", "language", "--seed", 10**30], "seed"),
    "a name too long": (
        lambda: ["train", "language", "--data", book_here(), "--run", "x" * 300],
        "too long",
    ),
    "a name like an option": (
        lambda: ["train", "language", "--data", book_here(), "--run=-x"],
        "begins with a letter",
    ),
    "a kind that is no name": (
        lambda: ["train", "language", "--set", "model.kind=[]"],
        "model.kind",
    ),
    "a set misspelt": (
        lambda: ["train", "language", "--data", "tiny-shakespear"],
        "did you mean tiny-shakespeare",
    ),
    "empty data": (
        lambda: ["train", "language", "--data", "", "--set", f"seed={len(book_here())}"],
        "--data: is empty",
    ),
    "no training file": (
        lambda: ["train", "language", "--data", book_here(), "--set", "data.train=[]"],
        "names no file",
    ),
    "momentum of adam": (lambda: ["train", "language", "--set", "train.momentum=0.9"], "momentum"),
    "runs is a file": (
        lambda: ["train", "language", "--data", book_here(), "--runs", write("f", b"")],
        "f",
    ),
}


def book_here() -> str:
    return write("book.txt", b"the cat sat on the mat .\nthe dog sat too .\n" * 400)


@pytest.mark.parametrize("case", REFUSED)
def test_bad_input_is_refused_in_one_line(case: str, workings: Command) -> None:
    arguments, message = REFUSED[case]
    code, out, err = workings(*arguments())
    lines = err.strip().splitlines()
    assert code == 2
    assert message in lines[-1]
    assert lines[-1].startswith("workings: ")
    assert "Traceback" not in err
    assert out == ""
    assert not list(Path().glob("runs/*"))


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--prompt", ""], "is empty"),
        (["--prompt", "  "], "is empty"),
        (["--temperature", "0"], "temperature"),
        (["--top-p", "0"], "top_p"),
        (["--top-k", "-1"], "top_k"),
        (["--samples", "0"], "at least 1"),
        (["--length", "0"], "at least 1"),
        (["--temperature", "hot"], "temperature"),
    ],
)
def test_bad_generation_is_refused(
    args: list[str], message: str, workings: Command, trained: str
) -> None:
    code, out, err = workings("generate", trained, *args)
    assert (code, out) == (2, "")
    assert message in err
    assert len(err.strip().splitlines()) == 1


def test_an_existing_run_is_not_overwritten(workings: Command, trained: str, book: Path) -> None:
    before = Path("runs/one/result.json").read_bytes()
    code, _, err = workings("train", "language", "--data", book, *TINY, "--run", "one")
    assert code == 2
    assert "workings resume one" in err
    assert Path("runs/one/result.json").read_bytes() == before


def test_a_damaged_best_checkpoint_is_named(workings: Command, trained: str) -> None:
    (weights,) = Path("runs/one/checkpoint").glob("best-*/tensors.safetensors")
    weights.write_bytes(weights.read_bytes()[:-3])
    code, _, err = workings("generate", "one")
    assert code == 2
    assert "tensors.safetensors: truncated or changed" in err


@pytest.mark.parametrize("file", ["run.json", "config.toml", "result.json"])
def test_a_damaged_run_does_not_hide_the_others(
    file: str, workings: Command, trained: str, book: Path
) -> None:
    workings("train", "language", "--data", book, *TINY, "--run", "two")
    Path("runs/one", file).write_text("{ not")
    code, out, err = workings("runs", "list", "--json")
    assert code == 0
    states = {row["run"]: row["state"] for row in json.loads(out)}
    assert states == {"one": "damaged", "two": "finished"}
    assert file in err


def test_help_after_other_options(workings: Command, book: Path) -> None:
    code, out, _ = workings("train", "--data", book, "language", "--help")
    assert code == 0
    assert "dropout_locked" in out


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("run.json", '{"format": "x"}'),
        ("vocabulary.json", "["),
        ("vocabulary.json", '["a", "b"]'),
        ("config.toml", "task = 3"),
    ],
)
def test_a_damaged_file_of_a_run_is_named(
    file: str, content: str, workings: Command, trained: str
) -> None:
    Path("runs/one", file).write_text(content)
    code, _, err = workings("generate", "one")
    assert code == 2
    assert len(err.strip().splitlines()) == 1


def test_a_run_without_its_vocabulary_is_refused(workings: Command, trained: str) -> None:
    Path("runs/one/vocabulary.json").unlink()
    code, _, err = workings("eval", "one")
    assert code == 2
    assert "vocabulary.json" in err


@pytest.mark.parametrize(
    "command",
    [
        ("check", "gru"),
        ("bench", "claims"),
        ("graph", "smooth"),
        ("generate", "one"),
        ("train", "language"),
    ],
)
@pytest.mark.parametrize("seed", [-1, 2**63, 10**20])
def test_a_seed_beyond_what_torch_takes_is_refused(
    command: tuple[str, ...], seed: int, workings: Command
) -> None:
    code, _, err = workings(*command, "--seed", seed)
    assert code == 2
    assert "--seed" in err
    assert len(err.strip().splitlines()) == 1
