"""What the server answers with: JSON, a stream of JSON lines, or one line that says what is wrong.

Every endpoint is a plain function of a request, run in a thread of its own.
"""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Generator, Mapping
from typing import overload

import anyio
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from workings.errors import WorkingsError, first_line
from workings.json_files import finite
from workings.names import escaped
from workings.page.worker import Defect, Stopped, in_thread

LARGEST_TEXT = 1_000_000  # bytes of a request
LARGEST_UPLOAD = 40_000_000
DEEPEST = 50  # nested lists and objects of a request
UPLOAD_SECONDS = 60.0
_END = object()  # of a stream
log = logging.getLogger("workings.page")


class TooMuch(Exception):
    """A request is larger, or slower, than it may be."""


async def read_body(request: Request, most: int, seconds: float = UPLOAD_SECONDS) -> bytes:
    """What was sent, if it is not too much and does not take too long."""
    try:
        announced = int(request.headers.get("content-length", "0"))
    except ValueError:
        raise TooMuch("the length of the request is no number") from None
    if announced > most:
        raise TooMuch(f"{announced:,} bytes were sent; at most {most:,} are read")
    content = bytearray()
    try:
        async with asyncio.timeout(seconds):
            async for part in request.stream():
                content += part
                if len(content) > most:
                    raise TooMuch(f"more than {most:,} bytes were sent")
    except TimeoutError:
        raise TooMuch(f"the request took longer than {seconds:.0f} s to arrive") from None
    return bytes(content)


async def read_json(request: Request, most: int = LARGEST_TEXT) -> dict[str, object]:
    """The JSON object that was sent."""
    if request.headers.get("content-type", "").partition(";")[0] != "application/json":
        raise WorkingsError("a JSON object was expected")
    try:
        content = json.loads(await read_body(request, most))
    except (ValueError, RecursionError):
        raise WorkingsError("what was sent is no JSON") from None
    if not isinstance(content, dict):
        raise WorkingsError("a JSON object was expected")
    _require_shallow(content)
    try:
        json.dumps(content, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise WorkingsError("what was sent has half of a character in it") from None
    return content


def _require_shallow(content: dict[str, object]) -> None:
    """What goes on to a process is pickled, which Python does by recursion."""
    level: list[dict[str, object] | list[object]] = [content]
    for _ in range(DEEPEST):
        lists = [each.values() if isinstance(each, dict) else each for each in level]
        level = [part for parts in lists for part in parts if isinstance(part, dict | list)]
        if not level:
            return
    raise WorkingsError(f"what was sent is nested more than {DEEPEST} times")


def text_of(content: Mapping[str, object], key: str, otherwise: str = "") -> str:
    """A text of a request."""
    value = content.get(key, otherwise)
    if not isinstance(value, str):
        raise WorkingsError(f"{key}: a text was expected")
    return value


@overload
def number_of(
    content: Mapping[str, object], key: str, otherwise: int, low: float, high: float
) -> int: ...


@overload
def number_of(
    content: Mapping[str, object], key: str, otherwise: float, low: float, high: float
) -> float: ...


def number_of(
    content: Mapping[str, object], key: str, otherwise: float, low: float, high: float
) -> float:
    """A number of a request, within bounds; a whole one where its default is whole."""
    value = content.get(key, otherwise)
    kinds: tuple[type[int] | type[float], ...] = (
        (int,) if isinstance(otherwise, int) else (int, float)
    )
    if isinstance(value, bool) or not isinstance(value, kinds) or not low <= value <= high:
        raise WorkingsError(f"{key}: a number from {low:g} to {high:g} was expected")
    return value


def written(content: object) -> str:
    """A value as JSON that every browser reads.

    What a stranger's run holds may be no finite number, which becomes null; a byte that is not
    UTF-8, which is escaped; or a date.
    """
    try:
        return json.dumps(content, allow_nan=False, default=str)
    except ValueError:
        return json.dumps(finite(content), default=str)


def answer(content: object, status: int = 200) -> Response:
    """A value as JSON."""
    return Response(written(content), status, media_type="application/json")


def stream(parts: Generator[object, None, None]) -> Response:
    """Values as lines of JSON, each as it comes; an error is the last line."""

    async def lines() -> AsyncIterator[str]:
        try:
            while (part := await in_thread(next, parts, _END)) is not _END:
                yield written(part) + "\n"
        except Stopped:
            yield written({"stopped": True}) + "\n"
        except Exception as error:  # the answer has begun: its last line says what went wrong
            yield written({"error": one_line(error)}) + "\n"
        finally:  # also where the browser has hung up: the work is given up, in a thread
            with anyio.CancelScope(shield=True):
                await in_thread(parts.close)

    return StreamingResponse(lines(), media_type="application/x-ndjson")


async def explained(request: Request, error: Exception) -> Response:
    """An exception as one line, with the status that fits it."""
    status = 400 if isinstance(error, WorkingsError) else 413 if isinstance(error, TooMuch) else 500
    return answer({"error": one_line(error)}, status)


def one_line(error: Exception) -> str:
    """What the user is told; a defect of ours is logged whole where the server runs."""
    if isinstance(error, WorkingsError | TooMuch):
        return escaped(first_line(error))
    log.error("a defect of workings", exc_info=error)
    what = first_line(error) if isinstance(error, Defect) else repr(error)
    return f"a defect of workings ({escaped(what)}); the server has printed its traceback"
