"""Who may ask the page's server (Host, Origin, token), and what a browser may load for it.

A page of a stranger, open in the same browser, can send requests to this machine. So every request
must name this server as its host (else a stranger's name could be made to point here), must come
from this page where it says where it comes from, and must have the token of the first link, or the
cookie that it was exchanged for.
"""

import hmac
import ipaddress
import socket
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "media-src 'self' blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-cache",
}
LOOPBACK = ("localhost", "127.0.0.1", "::1")


class Guard:
    """Lets a request through to the app, or answers it with the reason why not."""

    def __init__(self, app: ASGIApp, token: str, secret: str, host: str, port: int) -> None:
        """token: of the link; secret: of the cookie; host: that the server listens on."""
        self.app, self.token, self.secret = app, token, secret
        self.host, self.port = host, port
        self.cookie = f"workings-page-{port}"  # a browser's cookies are of all ports of a host

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.setdefault("Content-Security-Policy", POLICY)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        answer = self.refusal(scope) or self.first_link(scope)
        await (answer or self.app)(scope, receive, send_with_headers)

    def refusal(self, scope: Scope) -> Response | None:
        """Why a request is not answered; None where it is."""
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if len(headers.getlist("host")) != 1 or not self.is_ours(host):
            return PlainTextResponse("this host name is not this server's", 403)
        origins = headers.getlist("origin")
        if not {*origins} <= {f"http://{host}", f"https://{host}"}:
            return PlainTextResponse("a request from another page", 403)
        if not {*headers.getlist("sec-fetch-site")} <= {"same-origin", "none"}:
            navigates = headers.get("sec-fetch-mode") == "navigate" and scope["method"] == "GET"
            if not navigates:  # a link on another page may lead here
                return PlainTextResponse("a request from another page", 403)
        if scope["method"] not in ("GET", "HEAD"):
            if scope["method"] != "POST":
                return PlainTextResponse("GET or POST was expected", 405)
            if not origins:
                return PlainTextResponse("a request that does not say where it comes from", 403)
        return None

    def first_link(self, scope: Scope) -> Response | None:
        """From the link with the token to the page with the cookie; a refusal without either."""
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        given = dict(query).get("token")
        if given is not None and scope["method"] == "GET" and is_same(given, self.token):
            rest = urlencode([(name, value) for name, value in query if name != "token"])
            answer = RedirectResponse(f"/{'?' if rest else ''}{rest}", 303)
            answer.set_cookie(self.cookie, self.secret, httponly=True, samesite="lax", path="/")
            return answer
        if any(is_same(each, self.secret) for each in self._cookies(Headers(scope=scope))):
            return None
        return PlainTextResponse(
            "Open the link that `workings page` has printed: it has a token in it.", 401
        )

    def _cookies(self, headers: Headers) -> list[str]:
        """The values of our cookie, among those of every server that this host name ever had.

        What other servers have set need not be what the standard asks for, and one of them may
        have our name: any that is right will do.
        """
        pairs = [each.partition("=") for each in ";".join(headers.getlist("cookie")).split(";")]
        return [value.strip() for name, _, value in pairs if name.strip() == self.cookie]

    def is_ours(self, host: str) -> bool:
        """Whether a Host header names this server: by a name that no stranger can make his own."""
        name, _, port = host.rpartition(":")
        if not name or (host.endswith("]")):  # without a port: the default one of http
            name, port = host, "80"
        if port != str(self.port):
            return False
        name = name.strip("[]").lower()
        if self.host in LOOPBACK:
            return name in LOOPBACK
        if name in (self.host.lower(), socket.gethostname().lower(), *LOOPBACK):
            return True
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True  # a number is no name that could be made to point elsewhere


def is_same(given: str, secret: str) -> bool:
    """Whether two texts are equal, in a time that does not tell how much of them is."""
    return hmac.compare_digest(given.encode(), secret.encode())
