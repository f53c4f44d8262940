"""Models through the server: what is asked for is bounded, what is sent is a stranger's."""

from pathlib import Path

import pytest

from tests.page.conftest import Server


def test_text_is_streamed(server: Server, models: Path) -> None:
    asked = {"run": "runs/words", "prompt": "the", "length": 4, "temperature": 1}
    prompt, *tokens = server.post("/api/try/generate", asked).lines
    assert prompt["prompt"] == "the"
    assert 1 <= len(tokens) <= 4
    assert all(0 < token["p"] <= 1 for token in tokens)


@pytest.mark.parametrize(
    "wrong",
    [{"length": 10**6}, {"temperature": 0}, {"temperature": "1"}, {"after": [1]}, {"top_p": True},
     {"run": "runs/../words"}, {"run": "runs/none"}, {"prompt": 3}],
)  # fmt: skip
def test_what_is_out_of_bounds_is_refused(
    server: Server, models: Path, wrong: dict[str, object]
) -> None:
    answer = server.post("/api/try/generate", {"run": "runs/words", "prompt": "the"} | wrong)
    assert answer.status == 400


def test_a_picture_is_sent_and_left_nowhere(server: Server, models: Path) -> None:
    picture = next((models.parent / "data" / "pets").rglob("*.png")).read_bytes()
    headers = server.headers(**{"Content-Type": "image/png"})
    path = "/api/try/send?view=images&run=runs/pets"
    found = server.raw("POST", path, picture, headers)
    assert sum(found.json["probabilities"].values()) == pytest.approx(1)
    for body, status in ((b"no picture", 400), (b"x" * 20_000_001, 413)):
        refused = server.raw("POST", path, body, headers)
        assert refused.status == status
        assert "/tmp" not in refused.json["error"]
    for other in ("view=images&run=runs/..", "view=files&run=runs/pets", ""):
        refused = server.raw("POST", f"/api/try/send?{other}", picture, headers)
        assert refused.status == 400
    clip = server.raw("POST", "/api/try/send?view=speech&run=runs/clips", b"RIFF", headers)
    assert clip.json["error"].startswith("the clip: cannot be read as sound")


@pytest.mark.parametrize(
    ("path", "run", "why"),
    [
        ("graph", "runs/films", "classifies no nodes"),
        ("graph", "runs/shapes", "classifies no nodes"),
        ("graph_set", "runs/karate", "classifies no whole graphs"),
        ("links", "runs/karate", "predicts no edges"),
        ("attention", "runs/pets", "is no language model"),
        ("summary", "runs/pets", "summarise"),
    ],
)
def test_a_view_of_another_task_is_refused_in_one_line(
    server: Server, models: Path, path: str, run: str, why: str
) -> None:
    content = dict.fromkeys(["node", "relation", "graph", "prompt", "text"], "0") | {"run": run}
    answer = server.post(f"/api/try/{path}", content)
    assert answer.status == 400
    assert why in answer.json["error"]
