"""Requests that are slow, and answers that nobody waits for any more."""

import asyncio
import datetime
import http.client
import json
from collections.abc import AsyncIterator
from typing import Any, cast

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Message

from tests.page.conftest import Server
from workings.errors import WorkingsError
from workings.page.answers import TooMuch, answer, number_of, read_body, read_json, written
from workings.page.app import HANDLERS


class Slow:
    """A request whose bytes come one by one."""

    headers: dict[str, str] = {}  # noqa: RUF012

    async def stream(self) -> AsyncIterator[bytes]:
        while True:
            await asyncio.sleep(0.02)
            yield b"x"


@pytest.mark.parametrize(("most", "seconds", "why"), [(10**6, 0.1, "longer than"), (3, 5, "more")])
def test_a_request_that_drips_is_given_up(most: int, seconds: float, why: str) -> None:
    with pytest.raises(TooMuch, match=why):
        asyncio.run(read_body(cast(Request, Slow()), most, seconds))


@pytest.mark.parametrize("value", ["1", None, True, float("nan"), float("inf"), -1, 11, [1]])
def test_a_number_is_a_number_within_its_bounds(value: Any) -> None:
    with pytest.raises(WorkingsError, match="from 0 to 10"):
        number_of({"key": value}, "key", 1.0, 0, 10)
    assert number_of({"key": 2.5}, "key", 1.0, 0, 10) == 2.5
    with pytest.raises(WorkingsError):
        number_of({"key": 2.5}, "key", 1, 0, 10)


def test_after_a_browser_has_hung_up_its_next_request_is_answered(server: Server) -> None:
    claims = "\n".join(f"[[claims]]\ncost = 'O(n^{i})'\nmodel = 'attention'" for i in range(1, 99))
    content = json.dumps({"kind": "claims", "client": "gone", "text": claims}).encode()
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=240)
    headers = server.headers(**{"Content-Type": "application/json"})
    connection.request("POST", "/api/check", content, headers)
    connection.getresponse().readline()
    connection.close()
    assert server.get("/api/about").status == 200
    again = server.post("/api/check", {"kind": "formulas", "client": "gone", "claims": "1 = 1"})
    assert again.lines[-1]["verdict"] in ("trivial", "holds")


def test_a_request_that_ends_half_way_is_no_defect(caplog: pytest.LogCaptureFixture) -> None:
    app = Starlette(
        routes=[Route("/", read_json_of, methods=["POST"])], exception_handlers=HANDLERS
    )
    scope = {"type": "http", "method": "POST", "path": "/", "query_string": b""}
    headers = [(b"content-type", b"application/json")]
    sent: list[Any] = []

    async def receive() -> Message:
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        sent.append(message)

    asyncio.run(app({**scope, "headers": headers}, receive, send))
    assert sent[0]["status"] == 400
    assert not caplog.records


@pytest.mark.parametrize("part", ["[%s]", '{"a": %s}'])
@pytest.mark.parametrize(("depth", "fits"), [(45, True), (60, False), (900, False)])
def test_a_request_is_nested_only_so_deep(part: str, depth: int, fits: bool) -> None:
    """It goes on to a process by recursion, at a depth where Python refuses to."""
    body = "1"
    for _ in range(depth):
        body = part % body

    async def receive() -> Message:
        return {"type": "http.request", "body": b'{"b": %s}' % body.encode()}

    headers = [(b"content-type", b"application/json")]
    request = Request({"type": "http", "method": "POST", "headers": headers}, receive)
    if fits:
        assert asyncio.run(read_json(request)) == {"b": json.loads(body)}
    else:
        with pytest.raises(WorkingsError, match="nested more than 50 times"):
            asyncio.run(read_json(request))


async def read_json_of(request: Request) -> Response:
    return answer(await read_json(request))


def test_what_no_browser_reads_is_written_otherwise() -> None:
    odd = {"a": [float("nan"), (float("inf"), 1.5)], "b": "\udcff", "c": datetime.date(2026, 1, 2)}
    text = written(odd)
    text.encode("ascii")
    assert json.loads(text, parse_constant=pytest.fail) == {
        "a": [None, [None, 1.5]],
        "b": "\udcff",
        "c": "2026-01-02",
    }


def test_half_of_a_character_is_refused_and_the_next_request_is_answered(server: Server) -> None:
    for content in ({"kind": "markdown", "text": "$$\ud800 = 1$$"}, {"kind": "\ud800"}):
        answer = server.post("/api/check", {"client": "half", **content})
        assert (answer.status, "half of a character" in answer.text) == (400, True)
    again = server.post("/api/check", {"kind": "formulas", "client": "half", "claims": "1 = 1"})
    assert again.lines[-1]["verdict"] in ("trivial", "holds")
