"""Clients that hold connections and ask for nothing, or read nothing: others notice nothing."""

import asyncio
import socket
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
import uvicorn
from starlette.types import Receive, Scope, Send
from uvicorn.server import ServerState

from tests.page.conftest import Server
from workings.page import connections
from workings.page.connections import MOST_CONNECTIONS, Connection

LONG = b"x" * 8_000_000


def is_closed(client: socket.socket) -> bool:
    """Whether the server has closed a connection, on which it may have sent something before."""
    client.settimeout(0.02)
    try:
        while client.recv(65_536):
            pass
    except TimeoutError:
        return False
    except OSError:
        return True
    return True


@pytest.mark.parametrize("what", ["nothing", "half a head", "half a body", "events"])
def test_the_oldest_of_too_many_connections_make_room(server: Server, what: str) -> None:
    head = f"Host: 127.0.0.1:{server.port}\r\nCookie: {server.cookie}\r\n"
    sent = {
        "nothing": "",
        "half a head": "GET / HTTP/1.1\r\n",
        "half a body": f"POST /api/check HTTP/1.1\r\n{head}Origin: {server.origin}\r\n"
        "Content-Type: application/json\r\nContent-Length: 9\r\n\r\n{",
        "events": f"GET /api/events HTTP/1.1\r\n{head}\r\n",
    }[what]
    clients = []
    try:
        for _ in range(MOST_CONNECTIONS + 40):
            clients.append(socket.create_connection(("127.0.0.1", server.port), 10))
            clients[-1].sendall(sent.encode())
        assert server.get("/api/about").status == 200
        assert all(is_closed(client) for client in clients[:20])
        assert not any(is_closed(client) for client in clients[-20:])
    finally:
        for client in clients:
            client.close()
    assert server.get("/api/runs").status == 200


def served(ask: Callable[[int, ServerState], Awaitable[None]]) -> None:
    """Do something with a small server whose connections are the page's."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": LONG, "more_body": True})
        await send({"type": "http.response.body", "body": b"end"})

    async def run() -> None:
        config = uvicorn.Config(app, http=Connection, lifespan="off")
        config.load()
        state = ServerState()
        loop = asyncio.get_running_loop()
        listening = await loop.create_server(lambda: Connection(config, state, {}), "127.0.0.1", 0)
        async with listening:
            await asyncio.wait_for(ask(listening.sockets[0].getsockname()[1], state), 60)

    with ThreadPoolExecutor() as pool:  # the browser of other tests has a loop in this thread
        pool.submit(lambda: asyncio.run(run())).result()


def test_a_client_that_sends_a_byte_at_a_time_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "ASK_SECONDS", 0.1)

    async def drip(port: int, state: ServerState) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET / HTTP/1.1\r\n")
        while not reader.at_eof():
            writer.write(b"X")
            try:
                await asyncio.wait_for(reader.read(10), 0.01)
            except TimeoutError:
                continue
            except ConnectionError:
                break
        assert not state.connections
        writer.close()

    served(drip)


@pytest.mark.parametrize("reads", [True, False])
def test_an_answer_waits_for_its_reader_as_long_as_he_reads(
    reads: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "READ_SECONDS", 1.0 if reads else 0.2)
    monkeypatch.setattr(connections, "ASK_SECONDS", 0.1)

    async def ask(port: int, state: ServerState) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=65_536)
        writer.write(b"GET / HTTP/1.1\r\nHost: here\r\n\r\n")
        if reads:
            content = b""
            while not content.endswith(b"end\r\n0\r\n\r\n"):
                await asyncio.sleep(0.05)  # longer in all than one may wait, on a busy machine too
                part = await reader.read(300_000)
                assert part
                content += part
            assert LONG[:1000] in content
        else:
            await reader.read(10)
            while state.connections:  # it is given up
                await asyncio.sleep(0.02)
        writer.transport.abort()

    served(ask)
