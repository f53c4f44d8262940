"""Images from the command line: trained, evaluated, predicted, and refused in one line."""

import gzip
import json
import zipfile
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.command import Command
from tests.tasks.images.image_sets import class_folders, drawn, medmnist, mnist, table, write_idx
from workings.data.readers import unpack

TINY = ["--set", "model.channels=[4]", "--set", "model.dense=[8]", "--set", "train.device=cpu"]
TINY += ["--set", "train.epochs=2", "--set", "train.batch=8"]


@pytest.fixture
def trained(workings: Command, tmp_path: Path) -> str:
    class_folders(tmp_path / "pets", 20)
    code, _, err = workings("train", "images", "--data", "pets", *TINY, "--run", "one")
    assert code == 0, err
    return "one"


def test_train_prints_figures_beside_baselines_and_what_to_type_next(
    workings: Command, tmp_path: Path
) -> None:
    class_folders(tmp_path / "pets", 20)
    code, out, err = workings("train", "images", "--data", "pets", *TINY, "--run", "one")
    assert code == 0
    for said in ("accuracy", "most frequent class", "balanced accuracy", "recall", "predict one"):
        assert said in out
    assert "train 32, valid 4, test 4 images; 8×8 grey, 2 classes" in err
    kept = json.loads((tmp_path / "runs" / "one" / "classes.json").read_text())
    assert kept["names"] == ["cat", "dog"]


@pytest.mark.parametrize("form", ["idx", "npz", "csv"])
def test_every_form_of_data_trains(workings: Command, tmp_path: Path, form: str) -> None:
    made = {
        "idx": lambda: mnist(tmp_path / "idx"),
        "npz": lambda: medmnist(tmp_path / "m.npz", {"train": 40, "val": 8, "test": 8}),
        "csv": lambda: table(tmp_path / "t.csv.gz", *drawn(40, 2)),
    }[form]()
    code, out, err = workings("train", "images", "--data", made, *TINY, "--json")
    assert code == 0, err
    assert json.loads(out)["metrics"]["test.images"] > 0


def test_predict_and_eval(workings: Command, trained: str, tmp_path: Path) -> None:
    code, out, err = workings("predict", trained, "pets/cat/000.png", "pets/dog", "--json")
    assert code == 0, err
    rows = json.loads(out)
    assert len(rows) == 21
    assert rows[0]["input"] == "pets/cat/000.png"
    assert set(rows[0]["probabilities"]) == {"cat", "dog"}
    code, out, err = workings("eval", trained, "--data", "pets", "--json")
    assert code == 0, err
    found = json.loads(out)
    right = sum(row["prediction"] == "dog" for row in rows[1:])
    recalls = {row["class"]: row["recall"] for row in found["details"]["classes"]}
    assert recalls["dog"] == pytest.approx(right / 20)
    assert found["metrics"]["images"] == 40
    code, out, _ = workings("predict", trained, "pets/cat/000.png", "--top", "1")
    assert code == 0
    assert "%" in out


def test_data_show_finds_the_task(workings: Command, tmp_path: Path) -> None:
    class_folders(tmp_path / "pets", 20)
    code, out, _ = workings("data", "show", "pets")
    assert code == 0
    assert "16 / 2 / 2" in out


def test_fields_are_in_the_help(workings: Command) -> None:
    code, out, _ = workings("train", "images", "--help")
    assert code == 0
    for field in ("valid_share", "normalise", "batch_norm", "smoothing", "rotate"):
        assert field in out


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def _bad(kind: str, folder: Path) -> Path:
    pixels, labels = drawn(20, 2)
    match kind:
        case "cut png":
            _cut(class_folders(folder / "x", 10) / "cat" / "000.png")
        case "cut npz":
            _cut(medmnist(folder / "x", {"train": 8}).with_name("x.npz"))
            return folder / "x.npz"
        case "cut gz":
            _cut(mnist(folder / "x") / "train-images-idx3-ubyte.gz")
        case "two sizes":
            class_folders(folder / "x", 10)
            Image.fromarray(pixels[0][:5]).save(folder / "x" / "dog" / "odd.png")
        case "empty class":
            (class_folders(folder / "x", 10) / "eel").mkdir()
        case "one class":
            class_folders(folder / "x", 10, ("cat",))
        case "empty":
            (folder / "x").mkdir()
        case "pickled":
            np.savez(folder / "x.npz", images=np.array([{}], object), labels=labels[:1])
            return folder / "x.npz"
        case "labels":
            return table(folder / "x.csv", pixels, labels + 4)
        case "bomb gz":
            (folder / "x.csv.gz").write_bytes(gzip.compress(b"0," * (1 << 22)))
            return folder / "x.csv.gz"
        case "bomb npz":
            with zipfile.ZipFile(folder / "x.npz", "w", zipfile.ZIP_DEFLATED) as file:
                file.writestr("images.npy", bytes(1 << 24))
            return folder / "x.npz"
        case "nan":
            np.savez(folder / "x.npz", images=np.full((9, 4, 4), np.nan), labels=labels[:9])
            return folder / "x.npz"
        case "few labels":
            write_idx(folder / "a-idx1-ubyte", labels[:-1])
            write_idx(folder / "a-idx3-ubyte", pixels)
            return folder
    return folder / "x"


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("cut png", r"cat/000.png: is damaged or cut short"),
        ("cut npz", "x.npz: is not an .npz file, or is cut short"),
        ("cut gz", "train-images-idx3-ubyte.gz: is damaged or cut short"),
        ("two sizes", "data.resize=8"),
        ("empty class", "eel: a class with no examples"),
        ("one class", "has one class only ('cat')"),
        ("empty", "holds no images"),
        ("pickled", "images holds pickled Python objects"),
        ("labels", "class '0' has no training examples"),
        ("bomb gz", "a zip bomb"),
        ("bomb npz", "a zip bomb"),
        ("nan", "expected fractions from 0 to 1"),
        ("few labels", "19 labels for 20 images"),
    ],
)
def test_bad_data_is_one_line_and_leaves_nothing(
    workings: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, said: str
) -> None:
    monkeypatch.setattr(unpack, "BOMB_SIZE", 1 << 20)
    path = _bad(kind, tmp_path)
    as_they_are = ("--set", "data.resize=0")  # two sizes would be brought to one
    code, out, err = workings("train", "images", "--data", path, *TINY, *as_they_are)
    assert code == 2
    assert out == ""
    assert said in err
    assert err.startswith("workings: ")
    assert err.count("\n") == 1
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["predict", "one"], "predict: name pictures"),
        (["predict", "one", "none.png"], "none.png: no such file or folder"),
        (["predict", "one", "text.png"], "text.png: is not a PNG"),
        (["eval", "one", "--data", "other"], "other/eel: is no class of the model"),
        (["eval", "one", "--streams", "3"], "cannot evaluate streams"),
        (["train", "images", "--set", "model.kind=rnn"], "images has no model 'rnn'"),
        (["train", "images", "--set", "train.rotate=200"], "train.rotate"),
        (["train", "images", "--set", "data.name=ptb"], "is a set of the language task"),
        (["train", "octmnist-pool"], "workings data get octmnist"),
    ],
)
def test_bad_commands_are_one_line(
    workings: Command, trained: str, tmp_path: Path, args: list[str], said: str
) -> None:
    class_folders(tmp_path / "other", 2, ("cat", "eel"))
    (tmp_path / "text.png").write_text("hello")
    code, _, err = workings(*args)
    assert code == 2
    assert said in err
    assert err.count("\n") == 1
