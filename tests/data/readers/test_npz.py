"""Arrays of .npz files: nothing is unpickled, nothing absurd is unpacked, damage is named."""

import io
import pickle
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from workings.data.readers import npz, unpack
from workings.errors import WorkingsError


class Evil:
    """Writes a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return Path.touch, (self.path,)


def header(shape: tuple[int, ...], dtype: str = "|u1") -> bytes:
    file = io.BytesIO()
    described = {"descr": dtype, "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(file, described)
    return file.getvalue()


def archive(path: Path, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in members.items():
            file.writestr(name, content)
    return path


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_arrays_are_read_as_they_were_saved(tmp_path: Path, save: Any) -> None:
    arrays = {"a": np.arange(6).reshape(2, 3), "b": np.float32([1.5])}
    save(tmp_path / "some.npz", **arrays)
    assert npz.names(tmp_path / "some.npz") == ["a", "b"]
    found = npz.read(tmp_path / "some.npz", ["b", "a"])
    for name, array in arrays.items():
        assert np.array_equal(found[name], array)
        assert found[name].dtype == array.dtype


def test_pickled_objects_are_refused_and_not_run(tmp_path: Path) -> None:
    evil = np.empty(1, object)
    evil[0] = Evil(tmp_path / "ran")
    np.savez(tmp_path / "evil.npz", train_images=evil)
    with pytest.raises(WorkingsError, match="train_images holds pickled Python objects"):
        npz.read(tmp_path / "evil.npz", ["train_images"])
    assert not (tmp_path / "ran").exists()


def test_a_pickle_in_the_place_of_an_array_is_not_run(tmp_path: Path) -> None:
    path = archive(tmp_path / "a.npz", {"x.npy": pickle.dumps(Evil(tmp_path / "ran"))})
    with pytest.raises(WorkingsError, match="x is damaged"):
        npz.read(path, ["x"])
    assert not (tmp_path / "ran").exists()


def test_a_member_that_unpacks_to_too_much_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unpack, "BOMB_SIZE", 1 << 20)
    path = archive(tmp_path / "bomb.npz", {"images.npy": header((1 << 24,)) + bytes(1 << 24)})
    with pytest.raises(WorkingsError, match=r"images: unpacks from .* a zip bomb"):
        npz.read(path, ["images"])


def test_members_together_must_fit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    np.savez(tmp_path / "two.npz", a=np.zeros(600, np.uint8), b=np.zeros(600, np.uint8))
    monkeypatch.setattr(unpack, "memory_budget", lambda: 1000)
    assert npz.read(tmp_path / "two.npz", ["a"])["a"].shape == (600,)
    with pytest.raises(WorkingsError, match="more than half"):
        npz.read(tmp_path / "two.npz", ["a", "b"])


def test_a_header_that_claims_more_than_there_is(tmp_path: Path) -> None:
    path = archive(tmp_path / "liar.npz", {"x.npy": header((10**12,)) + b"abc"})
    with pytest.raises(WorkingsError, match=r"x is damaged .* is more than it holds"):
        npz.read(path, ["x"])


@pytest.mark.parametrize("cut", [1, 30, 200, 400])
def test_a_file_cut_short_is_named(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "cut.npz"
    np.savez(path, x=np.arange(50))
    path.write_bytes(path.read_bytes()[:-cut])
    with pytest.raises(WorkingsError, match=r"cut\.npz: is not an \.npz file, or is cut short"):
        npz.names(path)


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
@pytest.mark.parametrize("at", range(0, 300, 11))
def test_a_flipped_byte_is_an_error_in_one_line_or_harmless(
    tmp_path: Path, at: int, method: int
) -> None:
    path = tmp_path / "flipped.npz"
    array = np.arange(200)
    member = io.BytesIO()
    np.save(member, array)
    with zipfile.ZipFile(path, "w", method) as file:
        file.writestr("x.npy", member.getvalue())
    content = bytearray(path.read_bytes())
    content[at] ^= 0xFF
    path.write_bytes(content)
    try:
        found = npz.read(path, ["x"])["x"]
    except WorkingsError as error:
        assert "\n" not in str(error)  # noqa: PT017
        assert "flipped.npz" in str(error)  # noqa: PT017
    else:
        assert np.array_equal(found, array)  # in a part that says nothing, such as a date


def test_what_is_no_archive_is_named(tmp_path: Path) -> None:
    (tmp_path / "text.npz").write_text("not a zip")
    with pytest.raises(WorkingsError, match=r"text\.npz: is not an \.npz file"):
        npz.names(tmp_path / "text.npz")


def test_a_member_that_is_no_array_is_not_one(tmp_path: Path) -> None:
    path = archive(tmp_path / "a.npz", {"x.npy": header((1,)) + b"\x07", "readme": b"text"})
    assert npz.names(path) == ["x"]
    assert npz.read(path, ["x"])["x"].tolist() == [7]
    with pytest.raises(WorkingsError, match=r"a\.npz: has no array 'readme'"):
        npz.read(path, ["readme"])


@pytest.mark.parametrize("shape", ["(True, 1, 1)", f"(0, {10**30})", "(" * 2000, "9" * 4301])
def test_an_absurd_shape_is_damage(shape: str, tmp_path: Path) -> None:
    text = "{'descr': '|u1', 'fortran_order': False, 'shape': " + shape + "}\n"
    content = b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode() + b"7"
    with pytest.raises(WorkingsError, match=r"a\.npz: x is damaged") as error:
        npz.read(archive(tmp_path / "a.npz", {"x.npy": content}), ["x"])
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("dtype", ["<U0", "|S0", "|V0"])
def test_entries_of_no_bytes_are_counted_too(tmp_path: Path, dtype: str) -> None:
    path = archive(tmp_path / "a.npz", {"x.npy": header((2**39,), dtype)})
    with pytest.raises(WorkingsError, match="is more than it holds"):
        npz.read(path, ["x"])


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("number", [0x7FFFFFFF, 0x110000, 0xD800])
def test_a_number_that_is_no_characters_is_damage(tmp_path: Path, order: str, number: int) -> None:
    content = header((2,), f"{order}U1") + np.array([65, number], f"{order}u4").tobytes()
    path = archive(tmp_path / "a.npz", {"x.npy": content})
    with pytest.raises(WorkingsError, match=r"x is damaged .it holds what is no character"):
        npz.read(path, ["x"])


def test_texts_are_read_in_either_byte_order(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    np.savez(path, x=np.array(["é𝛼", ""], ">U2"))
    assert npz.read(path, ["x"])["x"].tolist() == ["é𝛼", ""]


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_an_array_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    with zipfile.ZipFile(path, "w") as file:
        for _ in range(2):
            file.writestr("x.npy", header((0,)))
    with pytest.raises(WorkingsError, match=r"holds 'x.npy' twice"):
        npz.names(path)
