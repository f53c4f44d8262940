"""What the Cost page asks: architectures, their formulas, counts and times."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from workings.errors import WorkingsError
from workings.page.answers import answer, read_json, text_of
from workings.page.worker import Worker

SECONDS = 60.0


class CostApi:
    """The endpoints about costs; counting an own class may take long, so it has its own process."""

    def __init__(self, trust: bool) -> None:
        self.trust = trust
        self.worker = Worker()

    def routes(self) -> list[Route]:
        """Every address."""
        return [
            Route("/api/architectures", self.architectures),
            Route("/api/cost", self.formulas, methods=["POST"]),
            Route("/api/cost/counted", self.counted, methods=["POST"]),
            Route("/api/cost/measured", self.measured, methods=["POST"]),
        ]

    async def _one(self, function: str, *arguments: object) -> Response:
        name = f"workings.page.costing:{function}"
        return answer(await self.worker.one(name, SECONDS, *arguments))

    async def architectures(self, request: Request) -> Response:
        """The named ones."""
        return await self._one("architectures")

    async def formulas(self, request: Request) -> Response:
        """All of one model."""
        return await self._one("formulas", _asked(await read_json(request)), self.trust)

    async def counted(self, request: Request) -> Response:
        """The counts at some sizes."""
        content = await read_json(request)
        return await self._one("counted", _asked(content), self.trust, _sizes(content))

    async def measured(self, request: Request) -> Response:
        """The times at growing sizes."""
        content = await read_json(request)
        symbol, sizes = text_of(content, "symbol"), _sizes(content)
        return await self._one("measured", _asked(content), self.trust, symbol, sizes)

    def end(self) -> None:
        """End the process."""
        self.worker.end()


def _asked(content: dict[str, object]) -> dict[str, str]:
    return {key: text_of(content, key)[:2000] for key in ("model", "symbols", "args", "inputs")}


def _sizes(content: dict[str, object]) -> dict[str, int]:
    sizes = content.get("sizes")
    if not isinstance(sizes, dict) or not all(
        isinstance(size, int) and not isinstance(size, bool) and 0 < size <= 10**7
        for size in sizes.values()
    ):
        raise WorkingsError("sizes: a whole number for each symbol was expected")
    return sizes
