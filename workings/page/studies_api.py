"""What the Studies page asks: plans, progress, tables and reports; starting and stopping."""

from typing import TypedDict

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from workings.errors import WorkingsError, nearest
from workings.files import read_file
from workings.json_files import conform
from workings.page.answers import answer, number_of, read_json, text_of
from workings.page.folders import Folders, inside
from workings.page.trainings import Trainings, log_of
from workings.page.worker import Worker
from workings.run.folder import listing

LARGEST_REPORT = 100_000_000
MOST_JOBS = 64
# A report is a page of its own with scripts in it: in a sandbox it is a stranger to this server.
SANDBOX = (
    "sandbox allow-scripts allow-downloads; default-src 'none'; img-src data:; font-src data:; "
    "script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; frame-ancestors 'none'"
)


class KnownRow(TypedDict):
    """A row of a shipped study, as far as starting it needs it."""

    name: str


class KnownStudy(TypedDict):
    """A shipped study: its name and its rows; the page is sent all that `studying.known` says."""

    name: str
    rows: list[KnownRow]


class StudiesApi:
    """The endpoints about studies."""

    def __init__(self, folders: Folders, worker: Worker, trainings: Trainings) -> None:
        self.folders, self.worker, self.trainings = folders, worker, trainings

    def routes(self) -> list[Route]:
        """Every address."""
        return [
            Route("/api/studies", self.listed),
            Route("/api/study", self.study, methods=["POST"]),
            Route("/api/study/start", self.start, methods=["POST"]),
            Route("/api/study/stop", self.stop, methods=["POST"]),
            Route("/report/{name}", self.report),
        ]

    async def _known(self) -> list[KnownStudy]:
        known = await self.worker.one("workings.page.studying:known", 30.0)
        return conform(known, list[KnownStudy])

    async def listed(self, request: Request) -> Response:
        """The studies that have begun, and those that are shipped."""
        begun = await run_in_threadpool(self._begun)
        studies = self.folders.studies
        known = await self._known()
        why = {each["name"]: self.trainings.refused(studies / each["name"]) for each in known}
        refused = {name: line for name, line in why.items() if line}
        return answer({"begun": begun, "shipped": known, "refused": refused})

    def _begun(self) -> list[dict[str, object]]:
        studies: list[dict[str, object]] = []
        for name in self.folders.study_names():
            folder = self.folders.studies / name
            if "/" not in name and (folder / "study.json").is_file():
                report = (folder / "report.html").is_file()
                studies.append({"name": name, "running": listing.held(folder), "report": report})
        return studies

    async def study(self, request: Request) -> Response:
        """One study's progress and table."""
        name = text_of(await read_json(request), "study")
        folder = self.folders.study(name)
        table = await self.worker.one("workings.page.studying:table", 60.0, str(folder.absolute()))
        running = await run_in_threadpool(listing.held, folder)
        report = (folder / "report.html").is_file()
        shown = conform(table, dict[str, object])
        return answer({**shown, "running": running, "report": report, "log": log_of(folder)})

    async def start(self, request: Request) -> Response:
        """Start a shipped study, or go on with it: all of it, or some rows, with some seeds."""
        content = await read_json(request)
        name = text_of(content, "study")
        known = {each["name"]: each for each in await self._known()}
        if name not in known:
            raise WorkingsError(f"no shipped study {name!r}{nearest(name, list(known))}")
        rows = [row["name"] for row in known[name]["rows"]]
        options = ["--jobs", str(number_of(content, "jobs", 1, 1, MOST_JOBS))]
        if wanted := content.get("rows"):
            options += ["--rows", ",".join(str(number) for number in _numbers_of(rows, wanted))]
        if seeds := content.get("seeds"):
            options += ["--seeds", ",".join(map(str, _seeds(seeds)))]
        await run_in_threadpool(self.trainings.study, name, options)
        return answer({})

    async def stop(self, request: Request) -> Response:
        """Stop one; the runs under way leave checkpoints."""
        name = text_of(await read_json(request), "study")
        await run_in_threadpool(self.trainings.stop, self.folders.study(name))
        return answer({})

    async def report(self, request: Request) -> Response:
        """A study's report, as a page of its own."""
        path = inside(self.folders.studies, request.path_params["name"], "report.html")
        try:
            content = await run_in_threadpool(read_file, path, LARGEST_REPORT)
        except OSError as error:
            raise WorkingsError(f"{path}: cannot be read ({error.strerror})") from None
        headers = {"Content-Security-Policy": SANDBOX}
        return Response(content, media_type="text/html", headers=headers)


def _numbers_of(rows: list[str], wanted: object) -> list[int]:
    """The numbers of some rows, from 1: a name may have commas in it."""
    if not isinstance(wanted, list) or not all(row in rows for row in wanted):
        raise WorkingsError(f"rows: some of the study's rows were expected: {', '.join(rows)}")
    return sorted(rows.index(row) + 1 for row in wanted)


def _seeds(seeds: object) -> list[int]:
    if not isinstance(seeds, list) or not all(
        isinstance(seed, int) and not isinstance(seed, bool) and 0 <= seed < 2**31 for seed in seeds
    ):
        raise WorkingsError("seeds: numbers from 0 were expected, as in 1, 2, 3")
    return seeds
