"""What the Runs page asks: the table, events, curves, settings; start, stop and resume."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TypedDict

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from workings.errors import WorkingsError, first_line
from workings.page import run_details
from workings.page.answers import answer, read_json, text_of, written
from workings.page.folders import Folders
from workings.page.run_index import Row, RunIndex
from workings.page.trainings import Trainings, last_line, log_of
from workings.page.worker import Worker

EVERY = 1.0  # seconds between two looks at the folders, while somebody looks at the page


class Starting(TypedDict):
    """A training that the page has started and that goes on, or that was refused."""

    says: str  # its last line
    refused: bool


class Changes(TypedDict):
    """What the table of runs has to change since a version that the browser has seen."""

    version: int
    whole: bool  # all runs, to replace what the browser has
    rows: list[Row]
    gone: list[str]
    starting: dict[str, Starting]


class RunsApi:
    """The endpoints about runs."""

    def __init__(self, folders: Folders, worker: Worker, trust: bool) -> None:
        self.folders, self.worker, self.trust = folders, worker, trust
        self.index = RunIndex(folders)
        self.trainings = Trainings(folders, trust)

    def routes(self) -> list[Route]:
        """Every address."""
        return [
            Route("/api/runs", self.listed),
            Route("/api/events", self.events),
            Route("/api/curves", self.curves, methods=["POST"]),
            Route("/api/run", self.run, methods=["POST"]),
            Route("/api/tasks", self.tasks),
            Route("/api/config", self.config, methods=["POST"]),
            Route("/api/start", self.start, methods=["POST"]),
            Route("/api/stop", self.stop, methods=["POST"]),
            Route("/api/resume", self.resume, methods=["POST"]),
        ]

    async def listed(self, request: Request) -> Response:
        """Every run, and the version that events go on from."""
        return answer(await run_in_threadpool(self.changes, 0))

    def changes(self, version: int) -> Changes:
        """What has changed since a version; all runs, where this server has not counted it."""
        self.index.refresh(EVERY / 2)
        rows, gone = self.index.since(version)
        return {
            "version": self.index.version,
            "whole": version < self.index.first,
            "rows": [self._with_end(row) for row in rows],
            "gone": gone,
            "starting": self._starting(),
        }

    def _with_end(self, row: Row) -> Row:
        if row["state"] == "stopped" and (
            why := self.trainings.ended(self._path(str(row["name"])))
        ):
            return {**row, "state": "killed", "problem": why}
        return row

    def _path(self, name: str) -> Path:
        head, _, rest = name.partition("/")
        return (self.folders.runs if head == "runs" else self.folders.studies) / rest

    def _starting(self) -> dict[str, Starting]:
        """Trainings of the page that go on or were refused, with the last line of each."""
        latest: dict[str, Starting] = {}
        for folder in [*self.trainings.processes]:
            if folder.parent != self.folders.runs:
                continue
            if why := self.trainings.refused(folder):
                latest[f"runs/{folder.name}"] = {"says": why, "refused": True}
            elif self.trainings.starting(folder):
                latest[f"runs/{folder.name}"] = {"says": last_line(folder), "refused": False}
        return latest

    async def events(self, request: Request) -> Response:
        """Changes as they happen, as server-sent events."""
        try:
            version = int(request.query_params.get("version", "0"))
        except ValueError:
            raise WorkingsError("version: a number was expected") from None

        async def parts() -> AsyncIterator[str]:
            seen: int = version
            starting: dict[str, Starting] | None = None
            yield "retry: 2000\n\n"
            while True:
                latest = await run_in_threadpool(self.changes, seen)
                if latest["version"] != seen or latest["starting"] != starting:
                    seen, starting = latest["version"], latest["starting"]
                    yield f"data: {written(latest)}\n\n"
                else:
                    yield ": still here\n\n"
                await asyncio.sleep(EVERY)

        return StreamingResponse(parts(), media_type="text/event-stream")

    async def curves(self, request: Request) -> Response:
        """The curves of some runs; one of several that cannot be read, or is gone, is left out."""
        content = await read_json(request)
        names = content.get("runs")
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise WorkingsError("runs: names of runs were expected")
        if len(names) > run_details.MOST_RUNS:
            raise WorkingsError(f"runs: at most {run_details.MOST_RUNS} fit into a chart")

        def gathered() -> dict[str, object]:
            drawn: dict[str, object] = {}
            for name in names:
                try:
                    drawn[name] = run_details.curves(self.folders.run(name))
                except WorkingsError:
                    if len(names) == 1:
                        raise
            return drawn

        return answer(await run_in_threadpool(gathered))

    async def run(self, request: Request) -> Response:
        """All of one run but its curves."""
        name = text_of(await read_json(request), "run")

        def gathered() -> dict[str, object]:
            folder = self.folders.run(name)
            return {**run_details.details(folder), "log": log_of(folder)}

        return answer(await run_in_threadpool(gathered))

    async def tasks(self, request: Request) -> Response:
        """The forms of every task."""
        return answer(await self.worker.one("workings.page.forms:tasks", 30.0))

    async def _checked(self, text: str) -> object:
        root = str(Path.cwd())
        return await self.worker.one("workings.page.forms:checked", 30.0, text, root, self.trust)

    async def config(self, request: Request) -> Response:
        """Whether a config can be trained."""
        try:
            return answer(await self._checked(text_of(await read_json(request), "config")))
        except WorkingsError as error:  # a config that is being typed is no failed request
            return answer({"wrong": first_line(error)})

    async def start(self, request: Request) -> Response:
        """Start a training."""
        content = await read_json(request)
        text, name = text_of(content, "config"), text_of(content, "name")
        await self._checked(text)
        return answer({"run": await run_in_threadpool(self.trainings.start, text, name)})

    async def stop(self, request: Request) -> Response:
        """Stop one."""
        name = text_of(await read_json(request), "run")
        if name.startswith("studies/"):
            raise WorkingsError("a study would start this run again: stop the study")
        await run_in_threadpool(self.trainings.stop, self.folders.run(name))
        return answer({})

    async def resume(self, request: Request) -> Response:
        """Go on with one."""
        name = text_of(await read_json(request), "run")
        await run_in_threadpool(self.trainings.resume, name)
        return answer({})
