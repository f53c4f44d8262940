"""Fetching a named graph: raw files in, one archive out, or nothing at all."""

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from workings.data import sources
from workings.errors import WorkingsError
from workings.tasks.graph.reading import heterophilous, named_graphs, npz_files
from workings.tasks.graph.whole import named_sets


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("WORKINGS_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("WORKINGS_DATA", raising=False)
    return tmp_path / "cache"


def served(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is on the network is in this folder."""

    def retrieve(one: Any, file: str, known: Any, to: Path) -> Path:
        to.mkdir(parents=True, exist_ok=True)
        return Path(shutil.copy(folder / file, to / file))

    monkeypatch.setattr(sources, "retrieve", retrieve)


def test_planetoids_files_become_the_archive(
    shared: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    served(shared / "graphs" / "planetoid", monkeypatch)
    assert sources.find("cora") is None
    named_graphs.fetch("cora")
    assert [path.name for path in (cache / "graphs").iterdir()] == ["cora_planetoid.npz"]
    assert named_graphs.load("cora").edges == 5278


def test_a_changed_raw_file_is_refused_and_leaves_nothing(
    shared: Path, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "raw"
    shutil.copytree(shared / "graphs" / "planetoid", folder)
    for path in (folder, *folder.iterdir()):
        path.chmod(0o755)
    index = folder / "ind.cora.test.index"
    first, second, *rest = index.read_text().split()
    index.write_text("\n".join([second, first, *rest]) + "\n")
    served(folder, monkeypatch)
    with pytest.raises(WorkingsError, match="is not the published cora"):
        named_graphs.fetch("cora")
    assert not list(cache.rglob("*.npz"))


def test_gnn_benchmarks_archive_becomes_ours(
    shared: Path, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Given one way only and with a self-loop, as that archive is."""
    graph = npz_files.read(shared / "graphs" / "amazon_photo.npz", False, False)
    j_E, i_E = graph.edges_2E[:, graph.edges_2E[0] < graph.edges_2E[1]]
    j_E, i_E = np.append(j_E, 5), np.append(i_E, 5)
    order = np.lexsort((i_E, j_E))
    assert graph.features is not None
    rows = graph.features
    np.savez(
        tmp_path / "amazon_electronics_photo.npz",
        adj_data=np.ones(len(j_E)),
        adj_indices=i_E[order],
        adj_indptr=np.concatenate([[0], np.cumsum(np.bincount(j_E, minlength=graph.nodes))]),
        adj_shape=np.array([graph.nodes, graph.nodes]),
        attr_data=rows.values,
        attr_indices=rows.columns,
        attr_indptr=rows.starts,
        attr_shape=np.array(rows.shape),
        labels=graph.labels_N,
    )
    served(tmp_path, monkeypatch)
    named_graphs.fetch("amazon-photo")
    assert named_graphs.load("amazon-photo").checksum() == graph.checksum()


def test_every_named_graph_with_files_is_made_from_raw_ones_and_has_a_checksum() -> None:
    graphs = [source for source in sources.SOURCES.values() if source.task == "graph"]
    assert {source.name for source in graphs if source.raw} == set(named_graphs.CHECKSUMS)
    sets = {source.name for source in graphs if source.defaults.get("predict") == "graphs"}
    assert sets == set(named_sets.CHECKSUMS)
    as_published = {*sets, *heterophilous.NAMES}  # their files are kept as they are
    assert all(bool(s.raw) == bool(s.folder) for s in graphs if s.name not in as_published)


def test_a_graph_that_is_made_from_raw_files_is_not_downloaded_as_it_is(cache: Path) -> None:
    with pytest.raises(WorkingsError, match="`workings data get cora`"):
        sources.download("cora")
