"""What the Check page asks: a process for each window, in which the newest request wins."""

from collections import OrderedDict

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from workings.page.answers import answer, read_json, stream, text_of
from workings.page.worker import Worker

SECONDS = 60.0
MOST_WINDOWS = 4  # whose checks have a process of their own


class CheckApi:
    """The endpoints about formulas and documents."""

    def __init__(self, worker: Worker, trust: bool) -> None:
        self.worker, self.trust = worker, trust
        self.windows: OrderedDict[str, Worker] = OrderedDict()

    def routes(self) -> list[Route]:
        """Every address."""
        return [
            Route("/api/check", self.check, methods=["POST"]),
            Route("/api/examples", self.examples),
        ]

    def of_window(self, client: str) -> Worker:
        """The process of a window; the idle one, else the one, unused for longest makes room."""
        if client not in self.windows:
            if len(self.windows) >= MOST_WINDOWS:
                oldest = min(self.windows, key=lambda name: self.windows[name].turn.locked())
                self.windows.pop(oldest).retire()
            self.windows[client] = Worker(newest_wins=True)
        self.windows.move_to_end(client)
        return self.windows[client]

    async def check(self, request: Request) -> Response:
        """Formulas or a document, drawn and judged."""
        content = await read_json(request)
        worker = self.of_window(text_of(content, "client")[:40])
        return stream(worker.ask("workings.page.checking:check", SECONDS, content, self.trust))

    async def examples(self, request: Request) -> Response:
        """The book's claims."""
        return answer(await self.worker.one("workings.page.checking:examples", 30.0))

    def end(self) -> None:
        """End the processes."""
        for worker in self.windows.values():
            worker.end()
