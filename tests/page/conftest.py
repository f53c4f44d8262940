"""A server of the page, as a user starts it, and a browser; one of each for all tests."""

import http.client
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

from tests.tasks.images.image_sets import class_folders
from tests.tasks.speech.speech_sets import lj_speech
from tests.tasks.speech.speech_sets import words as tones
from tests.tasks.speech.test_task import values as speech_values
from workings.page.trainings import holder_of
from workings.run import train

ROOT = Path(__file__).parents[2]


@dataclass
class Answer:
    """What the server answered."""

    status: int
    headers: dict[str, str]
    text: str

    @property
    def json(self) -> Any:
        return json.loads(self.text)

    @property
    def lines(self) -> list[Any]:
        return [json.loads(line) for line in self.text.splitlines()]


@dataclass
class Server:
    """A running server: its link, where its folders are, and a way to ask it."""

    link: str
    folder: Path
    process: "subprocess.Popen[str]"

    @property
    def port(self) -> int:
        return int(self.link.split(":")[2].partition("/")[0])

    @property
    def token(self) -> str:
        return self.link.partition("token=")[2]

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def raw(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        headers: dict[str, str] | None = None,
    ) -> Answer:
        """A request with exactly these headers, besides Host and the length."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=300)
        try:
            connection.request(method, path, body, headers or {})
            found = connection.getresponse()
            return Answer(found.status, dict(found.getheaders()), found.read().decode())
        finally:
            connection.close()

    @cached_property
    def cookie(self) -> str:
        """What the first link is exchanged for."""
        answer = self.raw("GET", f"/?token={self.token}")
        return answer.headers["set-cookie"].partition(";")[0]

    def headers(self, **more: str) -> dict[str, str]:
        """Those of a request of the page itself."""
        return {"Cookie": self.cookie, "Origin": self.origin} | more

    def get(self, path: str) -> Answer:
        return self.raw("GET", path, headers=self.headers())

    def post(self, path: str, content: Any) -> Answer:
        headers = self.headers(**{"Content-Type": "application/json"})
        return self.raw("POST", path, json.dumps(content).encode(), headers)


def started(folder: Path, port: int = 0) -> Server:
    """A server over the runs and studies in a folder; port 0: any free one."""
    command = [sys.executable, "-m", "workings", "page", "--port", str(port), "--no-browser"]
    process = subprocess.Popen(
        command,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    link = process.stdout.readline().rpartition(" ")[2].strip()
    return Server(link, folder, process)


def ended(server: Server) -> None:
    for lock in server.folder.glob("runs/*/lock"):
        if holder := holder_of(lock):  # a training that a failed test has left
            os.kill(holder, signal.SIGKILL)
    server.process.send_signal(signal.SIGINT)
    server.process.wait(120)
    assert server.process.stdout is not None
    server.process.stdout.close()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The page's server, over an empty folder that tests may fill."""
    made = started(tmp_path_factory.mktemp("page"))
    yield made
    ended(made)


@pytest.fixture(scope="session")
def models(server: Server) -> Path:
    """The server's runs, with a tiny trained one of every task among them."""
    runs, data = server.folder / "runs", server.folder / "data"
    cpu = {"epochs": 1, "device": "cpu"}
    data.mkdir()
    text = data / "book.txt"
    text.write_text("the old fox saw the hen .\na red dog bit the cow .\n" * 60)
    attention = {"kind": "attention", "width": 16, "heads": 2, "layers": 1, "context": 16}
    words = {"task": "language", "data": {"train": [str(text)]}, "model": attention}
    train({**words, "train": {**cpu, "batch": 4}}, str(runs / "words"))
    class_folders(data / "pets", 20)
    pets = {"task": "images", "data": {"train": [str(data / "pets")]}}
    small = {"model": {"channels": [4], "dense": [8]}, "train": {**cpu, "epochs": 2, "batch": 8}}
    train({**pets, **small}, str(runs / "pets"))
    karate = {"task": "graph", "data": {"name": "karate"}, "model": {"kind": "gat"}}
    train({**karate, "train": {**cpu, "epochs": 5}}, str(runs / "karate"))
    ring = [[node, (node + 1) % 6] for node in range(6)]
    shapes = {"ring": ring, "path": ring[:-1]}
    lines = [
        {"edges": edges, "tags": list("CCNCCO"), "label": name, "name": f"{name}-{number}"}
        for number in range(12)
        for name, edges in shapes.items()
    ]
    (data / "shapes.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    shapes_values = {"path": str(data / "shapes.jsonl"), "predict": "graphs", "allow_overlap": True}
    set_values = {"task": "graph", "data": shapes_values, "train": {**cpu, "epochs": 3}}
    train(set_values, str(runs / "shapes"))
    likes = {"name": "movies", "predict": "edges", "relation": "likes"}
    films = {"task": "graph", "data": likes, "model": {"kind": "distmult", "embed": 4}}
    train({**films, "train": cpu}, str(runs / "films"))
    clips = lj_speech(data / "clips", tones(48))
    train(speech_values(clips, train={"epochs": 1}), str(runs / "clips"))
    return runs


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Debian's Chromium, or the one in CHROMIUM; a skip where there is none."""
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium")
    if not chromium:
        pytest.skip("no chromium here: apt-get install chromium, or set CHROMIUM to its path")
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as driver:
        made = driver.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-gpu"]
        )
        yield made
        made.close()


@dataclass
class Window:
    """A browser's window on the page, and what went wrong in it."""

    page: Any
    problems: list[str]


@contextmanager
def opened(server: Server, browser: Any) -> Iterator[Window]:
    """A fresh window with cookies of its own, opened with the link."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.set_default_timeout(180_000)  # a busy machine is slow
    found = Window(page, [])
    page.on("console", lambda message: _note(found, message))
    page.on("pageerror", lambda error: found.problems.append(f"error: {error}"))
    page.on("request", lambda request: _outside(found, request.url, server))
    page.goto(server.link)
    yield found
    context.close()


@pytest.fixture
def window(server: Server, browser: Any) -> Iterator[Window]:
    """A fresh window; nothing may go wrong in it, or leave here."""
    with opened(server, browser) as found:
        yield found
    assert found.problems == []


def _note(window: Window, message: Any) -> None:
    if message.type in ("error", "warning"):
        window.problems.append(f"{message.type}: {message.text}")


def _outside(window: Window, url: str, server: Server) -> None:
    if not url.startswith((server.origin, "data:", "blob:")):
        window.problems.append(f"asked for {url}")
