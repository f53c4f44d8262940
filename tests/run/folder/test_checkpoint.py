"""Checkpoints: whole, checked, with a predecessor; a bad one is named and passed over."""

import errno
import json
import os
from pathlib import Path
from typing import Any

import pytest
import torch

from workings.errors import WorkingsError
from workings.run.folder import checkpoint, manifest
from workings.run.folder.checkpoint import Checkpoints, Damaged
from workings.run.folder.records import LastRecord


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def checkpoints(tmp_path: Path, said: list[str]) -> Checkpoints:
    return Checkpoints(tmp_path / "checkpoint", said.append)


def save(checkpoints: Checkpoints, step: int, best_step: int = 0) -> None:
    tensors = {"w": torch.full((64,), float(step))}
    checkpoints.save_last(tensors, last_record(best_step=best_step, environment={"step": step}))


def last_record(**changes: Any) -> dict[str, Any]:
    learner = {"optimizer": {}, "average": {}, "averaged": 0, "factor": 1.0, "bad": 0}
    record = {"place": {}, "best_step": 0, "learner": learner, "carry": None, "data": ""}
    return record | {"environment": {}} | changes


def best_record(step: int) -> dict[str, Any]:
    return {"step": step, "epoch": 1, "metrics": {}, "train": {}}


def loaded_step(checkpoints: Checkpoints) -> int:
    loaded = checkpoints.load_last()
    assert loaded
    tensors, state = loaded
    step = state["environment"]["step"]
    assert torch.equal(tensors["w"], torch.full((64,), float(step)))
    return int(step)


def test_the_last_one_comes_back(checkpoints: Checkpoints) -> None:
    assert checkpoints.load_last() is None
    for step in (1, 2, 3):
        save(checkpoints, step)
        assert loaded_step(checkpoints) == step
    assert len(list(checkpoints.folder.iterdir())) == 2


def test_a_folder_that_is_nearly_named_so_is_none_of_ours(checkpoints: Checkpoints) -> None:
    save(checkpoints, 1)
    for name in ("last-²", "last-٣", "last--1", "last-1e3", "best-x"):
        (checkpoints.folder / name).mkdir()
    assert loaded_step(checkpoints) == 1
    assert not checkpoints.has_best()


def test_a_number_of_any_size_has_one_after_it(checkpoints: Checkpoints) -> None:
    save(checkpoints, 1)
    (checkpoints.folder / "last-000001").rename(checkpoints.folder / f"last-{'9' * 18}")
    save(checkpoints, 2)
    assert loaded_step(checkpoints) == 2


def newest(checkpoints: Checkpoints) -> Path:
    return max(checkpoints.folder.glob("last-*"))


@pytest.mark.parametrize("name", [checkpoint.TENSORS, checkpoint.STATE, checkpoint.MANIFEST])
@pytest.mark.parametrize("harm", ["truncate", "flip", "remove"])
def test_a_damaged_one_is_named_and_the_previous_used(
    name: str, harm: str, checkpoints: Checkpoints, said: list[str]
) -> None:
    save(checkpoints, 1)
    save(checkpoints, 2)
    path = newest(checkpoints) / name
    content = bytearray(path.read_bytes())
    if harm == "truncate":
        path.write_bytes(content[: len(content) // 2])
    elif harm == "flip":
        content[len(content) // 2] ^= 1
        path.write_bytes(content)
    else:
        path.unlink()
    assert loaded_step(checkpoints) == 1
    assert len(said) == 1
    assert path.parent.name in said[0]


def test_every_flipped_bit_is_seen(tmp_path: Path) -> None:
    checkpoint.write(tmp_path / "one", {"w": torch.ones(1)}, {"step": 1})
    path = tmp_path / "one" / checkpoint.TENSORS
    good = path.read_bytes()
    for place in range(0, len(good), 5):
        path.write_bytes(good[:place] + bytes([good[place] ^ 4]) + good[place + 1 :])
        with pytest.raises(Damaged, match=checkpoint.TENSORS):
            checkpoint.read(tmp_path / "one", dict)


@pytest.mark.parametrize("kind", ["F4", "F6_E2M3", "F8_E8M0"])
def test_a_type_that_torch_lacks_is_named(kind: str, tmp_path: Path) -> None:
    checkpoint.write(tmp_path / "last-000001", {"w": torch.zeros(6)}, last_record())
    file = tmp_path / "last-000001" / checkpoint.TENSORS
    bits = {"F4": 4, "F6_E2M3": 6, "F8_E8M0": 8}[kind]
    header = {"w": {"dtype": kind, "shape": [192 // bits], "data_offsets": [0, 24]}}
    content = json.dumps(header).encode()
    file.write_bytes(len(content).to_bytes(8, "little") + content + bytes(24))
    digests = {p.name: manifest.sha256(p.read_bytes()) for p in file.parent.iterdir()}
    (file.parent / checkpoint.MANIFEST).write_text(json.dumps(digests))
    with pytest.raises(Damaged, match=f"tensors.safetensors: torch has no type '{kind}'"):
        checkpoint.read(tmp_path / "last-000001", LastRecord)


def test_best_is_kept_while_a_last_refers_to_it(checkpoints: Checkpoints) -> None:
    def best() -> list[str]:
        return sorted(path.name for path in checkpoints.folder.glob("best-*"))

    for step in (10, 20):
        checkpoints.save_best(step, {"w": torch.tensor([float(step)])}, best_record(step))
        save(checkpoints, step, best_step=step)
    assert best() == ["best-000010", "best-000020"]
    save(checkpoints, 30, best_step=20)
    assert best() == ["best-000020"]
    loaded = checkpoints.load_best()
    assert loaded
    assert loaded[0]["w"].item() == 20


def test_a_newer_format_says_upgrade(checkpoints: Checkpoints, monkeypatch: Any) -> None:
    monkeypatch.setattr(checkpoint, "FORMAT", 99)
    save(checkpoints, 1)
    monkeypatch.setattr(checkpoint, "FORMAT", 1)
    with pytest.raises(WorkingsError, match="newer version"):
        checkpoints.load_last()


@pytest.mark.parametrize("at", range(6))
def test_a_full_disk_leaves_the_last_good_one(
    at: int, checkpoints: Checkpoints, monkeypatch: pytest.MonkeyPatch
) -> None:
    save(checkpoints, 1)
    calls = 0
    real = os.fsync

    def full(handle: int) -> None:
        nonlocal calls
        calls += 1
        if calls > at:
            raise OSError(errno.ENOSPC, "No space left on device")
        real(handle)

    monkeypatch.setattr(os, "fsync", full)
    if at < 5:
        with pytest.raises(WorkingsError, match="disk is full"):
            save(checkpoints, 2)
    monkeypatch.setattr(os, "fsync", real)
    assert loaded_step(checkpoints) in ((1, 2) if at == 4 else (1,))
    assert not list(checkpoints.folder.glob(".*"))


def test_nothing_but_tensors_and_json(tmp_path: Path) -> None:
    checkpoint.write(tmp_path / "one", {"w": torch.ones(2)}, {"step": 1})
    names = {path.name for path in (tmp_path / "one").iterdir()}
    assert names == {checkpoint.TENSORS, checkpoint.STATE, checkpoint.MANIFEST}
    assert json.loads((tmp_path / "one" / checkpoint.STATE).read_bytes())["step"] == 1


def test_when_every_one_is_damaged_nothing_is_thrown_away(checkpoints: Checkpoints) -> None:
    save(checkpoints, 1)
    save(checkpoints, 2)
    for path in checkpoints.folder.glob("last-*"):
        (path / checkpoint.MANIFEST).write_text("[]")
    before = sorted(checkpoints.folder.rglob("*"))
    with pytest.raises(WorkingsError, match="every checkpoint"):
        checkpoints.load_last()
    assert sorted(checkpoints.folder.rglob("*")) == before


def test_a_damaged_one_is_put_aside_until_a_newer_is_written(checkpoints: Checkpoints) -> None:
    save(checkpoints, 1)
    save(checkpoints, 2)
    (newest(checkpoints) / checkpoint.STATE).unlink()
    assert loaded_step(checkpoints) == 1
    assert (checkpoints.folder / "damaged-000002").is_dir()
    save(checkpoints, 3)
    assert loaded_step(checkpoints) == 3
    assert not (checkpoints.folder / "damaged-000002").exists()


def test_pruning_never_leaves_the_folder(tmp_path: Path) -> None:
    """Hidden folders that are not ours stay, and nothing is removed through a symbolic link."""
    elsewhere = tmp_path / "home"
    (elsewhere / ".ssh").mkdir(parents=True)
    (elsewhere / ".last-000001-abc").mkdir()
    folder = tmp_path / "checkpoint"
    folder.symlink_to(elsewhere)
    checkpoints = Checkpoints(folder, lambda text: None)
    for _ in range(4):
        checkpoints.save_last({"w": torch.zeros(1)}, {"best_step": 0})
    assert {".ssh", ".last-000001-abc"} <= {path.name for path in elsewhere.iterdir()}


def test_only_our_own_leftovers_are_removed(tmp_path: Path) -> None:
    folder = tmp_path / "checkpoint"
    linked = tmp_path / "linked"
    linked.mkdir()
    (linked / "file").touch()
    folder.mkdir()
    (folder / ".mine").mkdir()
    (folder / ".last-000009-x1_y").mkdir()
    (folder / "damaged-000003").mkdir()
    (folder / ".best-000009-z").symlink_to(linked)
    checkpoints = Checkpoints(folder, lambda text: None)
    for _ in range(2):
        checkpoints.save_last({"w": torch.zeros(1)}, {"best_step": 0})
    names = {path.name for path in folder.iterdir()}
    assert names == {".mine", ".best-000009-z", "last-000001", "last-000002"}
    assert (linked / "file").exists()


@pytest.mark.parametrize(
    "name", ["last-000001", "best-000001", ".last-000009-x1_y", "damaged-000003"]
)
def test_a_file_of_somebody_elses_stays(name: str, checkpoints: Checkpoints) -> None:
    thesis = checkpoints.folder / name / "thesis.tex"
    inside = checkpoints.folder / name / checkpoint.STATE / "notes.txt"
    for file in (thesis, inside):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("mine")
    (checkpoints.folder / name / checkpoint.MANIFEST).touch()
    for number in (2, 3, 4):
        checkpoint.write(
            checkpoints.folder / f"last-{number:06d}", {}, last_record(best_step=number)
        )
    save(checkpoints, 5)
    assert not checkpoint.is_ours(checkpoints.folder / name)
    assert thesis.read_text() == inside.read_text() == "mine"


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_a_weight_that_is_no_number_is_damage_and_named(
    checkpoints: Checkpoints, said: list[str], value: float
) -> None:
    weight = torch.zeros(3, 4)
    weight[1, 2] = value
    checkpoints.save_best(7, {"layer.weight": weight}, best_record(7))
    assert checkpoints.load_best() is None
    assert said == [
        f"damaged checkpoint: {checkpoints.folder}/best-000007/tensors.safetensors: weight "
        "'layer.weight' is not finite: 1 of its 12 numbers are NaN or infinite"
    ]


def test_only_the_weights_of_the_last_state_must_be_finite(
    checkpoints: Checkpoints, said: list[str]
) -> None:
    """The square of a large gradient overflows, and training goes on."""
    other = {"optimizer.square": torch.full((2,), float("inf"))}
    record = last_record(environment={"step": 1})
    checkpoints.save_last({"model.w": torch.ones(2), **other}, record)
    assert checkpoints.load_last()
    assert not said
    checkpoints.save_last({"model.w": torch.full((2,), float("nan")), **other}, record)
    loaded = checkpoints.load_last()
    assert loaded
    assert torch.equal(loaded[0]["model.w"], torch.ones(2))
    assert "weight 'w' is not finite: 2 of its 2 numbers" in said[0]
