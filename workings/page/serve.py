"""Starting the page's server: a socket, a token, a link; until Ctrl-C."""

import socket
from collections.abc import Callable

import uvicorn

from workings.data.sources import cache
from workings.errors import WorkingsError
from workings.page.app import Page, make_app
from workings.page.connections import Connection
from workings.page.folders import Folders
from workings.page.secret import kept_secret, new_secret

FIRST_PORT, PORTS = 8765, 20  # tried one after the other where none is asked for


def listening(host: str, port: int | None) -> socket.socket:
    """A socket at this port, or at the first free one; 0 is any free one."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    wanted = range(FIRST_PORT, FIRST_PORT + PORTS) if port is None else [port]
    for each in wanted:
        opened = socket.socket(family, socket.SOCK_STREAM)
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            opened.bind((host, each))
            opened.listen(128)  # from now on: whoever has the link may be fast
            return opened
        except OSError as error:
            opened.close()
            reason = error.strerror
    where = f"port {port}" if port is not None else f"ports {FIRST_PORT} to {wanted[-1]}"
    raise WorkingsError(f"{host}, {where}: cannot be listened on ({reason}); choose another --port")


def serve(
    folders: Folders,
    host: str = "127.0.0.1",
    port: int | None = None,
    trust: bool = False,
    opened: Callable[[str], None] = print,
) -> None:
    """Serve the page until it is interrupted; `opened` is told the link."""
    with listening(host, port) as bound:
        number = bound.getsockname()[1]
        token = new_secret()
        kept = cache() / "page" / f"cookie-{folders.digest}-{number}"
        secret = kept_secret(kept) if port != 0 else new_secret()
        page = Page(folders, trust)
        page.warm()
        named = host if host not in ("0.0.0.0", "::") else socket.gethostname()
        opened(f"http://{f'[{named}]' if ':' in named else named}:{number}/?token={token}")
        config = uvicorn.Config(
            make_app(page, token, secret, host, number),
            http=Connection,
            log_level="error",  # strangers' requests are no news
            access_log=False,
            server_header=False,
            proxy_headers=False,  # nobody may say where another came from
            timeout_keep_alive=30,
            timeout_graceful_shutdown=1,  # a page that listens for events never hangs up by itself
            ws="none",
        )
        try:
            uvicorn.Server(config).run(sockets=[bound])
        finally:
            page.end()
