"""The page's routes: what each address answers."""

import threading
from collections import OrderedDict
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from workings.errors import WorkingsError
from workings.page import answers
from workings.page.answers import answer, read_json, stream, text_of
from workings.page.folders import Folders
from workings.page.guard import Guard
from workings.page.worker import Worker
from workings.version import __version__

STATIC = Path(__file__).parent / "static"
WARM = "workings.page.preloaded:nothing"
CHECK_SECONDS = 60.0
MOST_CLIENTS = 4  # whose checks have a process of their own


class Page:
    """What the endpoints share: the folders, the processes, and whether classes are imported."""

    def __init__(self, folders: Folders, trust: bool = False) -> None:
        self.folders, self.trust = folders, trust
        self.general = Worker()
        self.checkers: OrderedDict[str, Worker] = OrderedDict()

    def warm(self) -> None:
        """Import torch where processes are forked from, before the first of them is asked."""
        threading.Thread(target=lambda: list(self.general.ask(WARM, 60.0)), daemon=True).start()

    def checker(self, client: str) -> Worker:
        """The process of a browser window; the one unused for longest makes room."""
        if client not in self.checkers:
            if len(self.checkers) >= MOST_CLIENTS:
                self.checkers.popitem(last=False)[1].end()
            self.checkers[client] = Worker(newest_wins=True)
        self.checkers.move_to_end(client)
        return self.checkers[client]

    async def about(self, request: Request) -> Response:
        """What the page should know first."""
        return answer({"version": __version__, "trust": self.trust})

    async def check(self, request: Request) -> Response:
        """Formulas or a document, drawn and judged."""
        content = await read_json(request)
        worker = self.checker(text_of(content, "client")[:40])
        job = "workings.page.checking:check"
        return stream(worker.ask(job, CHECK_SECONDS, content, self.trust))

    async def examples(self, request: Request) -> Response:
        """The book's claims."""
        return await self.worked("workings.page.checking:examples", 30.0)

    async def worked(self, function: str, seconds: float, *arguments: Any) -> Response:
        """The one thing that a function gives, in the process that is for all but checks."""
        asked = self.general.ask(function, seconds, *arguments)
        return answer((await run_in_threadpool(list, asked))[0])

    def routes(self) -> list[Route | Mount]:
        """Every address."""
        return [
            Route("/api/about", self.about),
            Route("/api/check", self.check, methods=["POST"]),
            Route("/api/examples", self.examples),
            Mount("/", StaticFiles(directory=STATIC, html=True)),
        ]

    def end(self) -> None:
        """End the processes; trainings go on."""
        for worker in (self.general, *self.checkers.values()):
            worker.end()


async def _not_found(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 404
    return JSONResponse({"error": "there is nothing at this address"}, status)


def make_app(page: Page, token: str, host: str = "127.0.0.1", port: int = 80) -> Guard:
    """The server's application, behind its guard."""
    handlers: dict[Any, Any] = {
        WorkingsError: answers.explained,
        answers.TooMuch: answers.explained,
        HTTPException: _not_found,
        Exception: answers.explained,
    }
    return Guard(Starlette(routes=page.routes(), exception_handlers=handlers), token, host, port)
