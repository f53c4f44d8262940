"""The page's application: its endpoints and its own files, behind the guard."""

import threading
from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ExceptionHandler

from workings.errors import WorkingsError
from workings.page import answers
from workings.page.answers import answer
from workings.page.check_api import CheckApi
from workings.page.cost_api import CostApi
from workings.page.folders import Folders
from workings.page.guard import Guard
from workings.page.runs_api import RunsApi
from workings.page.studies_api import StudiesApi
from workings.page.try_api import TryApi
from workings.page.worker import Worker
from workings.version import __version__

STATIC = Path(__file__).parent / "static"


class Page:
    """The endpoints, and the processes behind them."""

    def __init__(self, folders: Folders, trust: bool = False) -> None:
        self.trust = trust
        self.worker = Worker()  # for all but checks
        self.checks = CheckApi(self.worker, trust)
        self.runs = RunsApi(folders, self.worker, trust)
        self.models = TryApi(folders, trust)
        self.costs = CostApi(trust)
        self.studies = StudiesApi(folders, self.worker, self.runs.trainings)

    def routes(self) -> list[Route | Mount]:
        """Every address."""
        return [
            Route("/api/about", self.about),
            *self.checks.routes(),
            *self.runs.routes(),
            *self.models.routes(),
            *self.costs.routes(),
            *self.studies.routes(),
            Mount("/", StaticFiles(directory=STATIC, html=True)),
        ]

    async def about(self, request: Request) -> Response:
        """What the page should know first."""
        return answer({"version": __version__, "trust": self.trust})

    def warm(self) -> None:
        """Import torch where processes are forked from, before the first of them is asked."""
        asked = self.worker.ask("workings.page.preloaded:nothing", 60.0)
        threading.Thread(target=list, args=(asked,), daemon=True).start()

    def end(self) -> None:
        """End the processes; trainings go on."""
        for each in (self.checks, self.models, self.costs, self.worker):
            each.end()


async def _not_found(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 404
    return answer({"error": "there is nothing at this address"}, status)


async def _hung_up(request: Request, error: Exception) -> Response:
    return answer({"error": "the request has not come to its end"}, 400)  # nobody reads it


HANDLERS: dict[int | type[Exception], ExceptionHandler] = {
    WorkingsError: answers.explained,
    answers.TooMuch: answers.explained,
    HTTPException: _not_found,
    ClientDisconnect: _hung_up,
    Exception: answers.explained,
}


def make_app(page: Page, token: str, secret: str, host: str, port: int) -> Guard:
    """The server's application behind its guard; token: of the link, secret: of the cookie."""
    app = Starlette(routes=page.routes(), exception_handlers=HANDLERS)
    return Guard(app, token, secret, host, port)
