"""GraphML and GML of anybody's: what each node alone has would be a table of nodes squared."""

from pathlib import Path

import pytest

from workings.errors import WorkingsError
from workings.tasks.graph.reading import markup_files


@pytest.mark.parametrize("suffix", [".gml", ".graphml"])
def test_attributes_that_hardly_any_node_has_are_refused(
    suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(markup_files, "MOST_CELLS", 1_000)
    path, numbers = tmp_path / f"g{suffix}", range(40)
    if suffix == ".gml":
        nodes = "".join(f"node [ id {i} a{i} 1 ]\n" for i in numbers)
        path.write_text(f"graph [ {nodes} edge [ source 0 target 1 ] ]")
    else:
        keys = "".join(
            f'<key id="k{i}" for="node" attr.name="a{i}" attr.type="int"/>' for i in numbers
        )
        nodes = "".join(f'<node id="{i}"><data key="k{i}">1</data></node>' for i in numbers)
        path.write_text(f"<graphml>{keys}<graph edgedefault='directed'>{nodes}</graph></graphml>")
    with pytest.raises(WorkingsError, match="40 attributes of 40 nodes, of which most nodes lack"):
        markup_files.read(path, False, False)
    monkeypatch.setattr(markup_files, "MOST_CELLS", 1_600)
    if suffix == ".gml":
        assert markup_files.read(path, False, False).nodes == 40
