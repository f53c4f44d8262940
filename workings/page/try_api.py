"""What the Try page asks: a model's view, tokens as they come, pictures and clips that are sent."""

import os
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TypedDict

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from workings.errors import WorkingsError
from workings.page.answers import (
    LARGEST_UPLOAD,
    answer,
    number_of,
    read_body,
    read_json,
    stream,
    text_of,
)
from workings.page.folders import Folders
from workings.page.worker import Worker, in_thread

SECONDS = 120.0
MOST_TOKENS = 400  # in one request
LARGEST_PICTURE = 20_000_000
SENT = {  # what is sent, by view: the function that reads it, what its file is called, how much
    "images": ("workings.page.trying.images:picture", ".png", LARGEST_PICTURE),
    "speech": ("workings.page.trying.speech:clip", ".wav", LARGEST_UPLOAD),
}


class TextAsked(TypedDict):
    """A text to go on with: `after` are tokens that go on from the prompt already."""

    prompt: str
    after: list[str]
    length: int
    seed: int
    temperature: float
    top_k: int
    top_p: float
    greedy: bool


class TryApi:
    """The endpoints about trained models; they live in a process of their own."""

    def __init__(self, folders: Folders, trust: bool) -> None:
        self.folders, self.trust = folders, trust
        self.worker = Worker()

    def routes(self) -> list[Route]:
        """Every address."""
        return [
            Route("/api/try/open", self.open, methods=["POST"]),
            Route("/api/try/generate", self.generate, methods=["POST"]),
            Route("/api/try/attention", self.attention, methods=["POST"]),
            Route("/api/try/gates", self.gates, methods=["POST"]),
            Route("/api/try/example", self.example, methods=["POST"]),
            Route("/api/try/send", self.send, methods=["POST"]),
            Route("/api/try/graph", self.graph, methods=["POST"]),
            Route("/api/try/graph_set", self.graph_set, methods=["POST"]),
            Route("/api/try/links", self.links, methods=["POST"]),
            Route("/api/try/summary", self.summary, methods=["POST"]),
        ]

    def _path(self, content: Mapping[str, object]) -> str:
        return str(self.folders.run(text_of(content, "run")).absolute())

    async def _one(self, function: str, path: str, *arguments: object) -> Response:
        name = f"workings.page.trying.{function}"
        return answer(await self.worker.one(name, SECONDS, path, self.trust, *arguments))

    async def open(self, request: Request) -> Response:
        """What can be tried with a run."""
        return await self._one("opened:about", self._path(await read_json(request)))

    async def generate(self, request: Request) -> Response:
        """Text that goes on, token by token."""
        content = await read_json(request)
        after = content.get("after", [])
        if not isinstance(after, list) or not all(isinstance(token, str) for token in after):
            raise WorkingsError("after: tokens were expected")
        asked: TextAsked = {
            "prompt": text_of(content, "prompt"),
            "after": after[:2000],
            "length": number_of(content, "length", 60, 1, MOST_TOKENS),
            "seed": number_of(content, "seed", 1, 0, 2**31),
            "temperature": float(number_of(content, "temperature", 1.0, 0.01, 10)),
            "top_k": number_of(content, "top_k", 0, 0, 1_000_000),
            "top_p": float(number_of(content, "top_p", 1.0, 0.001, 1)),
            "greedy": content.get("greedy") is True,
        }
        name = "workings.page.trying.language:generate"
        path = self._path(content)
        return stream(self.worker.ask(name, SECONDS, path, self.trust, asked))

    async def attention(self, request: Request) -> Response:
        """What each token of a text attends to."""
        content = await read_json(request)
        path, prompt = self._path(content), text_of(content, "prompt")
        return await self._one("language:attention", path, prompt)

    async def gates(self, request: Request) -> Response:
        """How far an LSTM's gates are open at each token of a text."""
        content = await read_json(request)
        path, prompt = self._path(content), text_of(content, "prompt")
        return await self._one("language:gates", path, prompt)

    async def example(self, request: Request) -> Response:
        """What the model makes of one of its test examples."""
        content = await read_json(request)
        view = text_of(content, "view")
        if view not in SENT:
            raise WorkingsError("view: images or speech was expected")
        number = number_of(content, "number", 0, 0, 10**9)
        return await self._one(f"{view}:example", self._path(content), number)

    async def send(self, request: Request) -> Response:
        """What the model makes of a picture or a clip that was sent."""
        given = dict(request.query_params)
        if given.get("view") not in SENT:
            raise WorkingsError("view: images or speech was expected")
        function, suffix, most = SENT[given["view"]]
        path = self._path(given)
        body = await read_body(request, most)

        def asked() -> Iterator[object]:
            handle, name = tempfile.mkstemp(suffix=suffix, prefix="workings-page-")
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(body)
                yield from self.worker.ask(function, SECONDS, path, self.trust, name)
            finally:
                Path(name).unlink(missing_ok=True)

        return answer((await in_thread(list, asked()))[0])

    async def graph(self, request: Request) -> Response:
        """A graph around one of its nodes."""
        content = await read_json(request)
        return await self._one("graph:around", self._path(content), text_of(content, "node"))

    async def graph_set(self, request: Request) -> Response:
        """One graph of a set."""
        content = await read_json(request)
        return await self._one("graph_set:graph", self._path(content), text_of(content, "graph"))

    async def links(self, request: Request) -> Response:
        """The likeliest new edges of a node."""
        content = await read_json(request)
        node, relation = text_of(content, "node"), text_of(content, "relation")
        return await self._one("links:likely", self._path(content), node, relation)

    async def summary(self, request: Request) -> Response:
        """A few words for a text."""
        content = await read_json(request)
        text, suffix = text_of(content, "text"), text_of(content, "as", "python")
        return await self._one("summary:summarise", self._path(content), text, suffix)

    def end(self) -> None:
        """End the process."""
        self.worker.end()
