"""Attacks on the page's server: strangers' pages, other host names, other paths, too much."""

import socket

import pytest

from tests.page.conftest import Server
from workings.page.guard import Guard


def test_the_first_link_leads_to_the_page_and_is_not_needed_again(server: Server) -> None:
    answer = server.raw("GET", f"/?token={server.token}")
    assert (answer.status, answer.headers["location"]) == (303, "/")
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    page = server.raw("GET", "/", headers={"Cookie": cookie.partition(";")[0]})
    assert page.status == 200
    assert "<title>Workings</title>" in page.text


@pytest.mark.parametrize("path", ["/", "/page.css", "/api/about", "/?token=wrong", "/?token="])
def test_without_the_token_nothing_is_answered(server: Server, path: str) -> None:
    answer = server.raw("GET", path)
    assert answer.status == 401
    assert "Open the link" in answer.text


def test_another_cookie_is_no_token(server: Server) -> None:
    name = f"workings-page-{server.port}"
    secret = server.cookie.partition("=")[2]
    wrong = (f"{name}=x", f"{name}={server.token}", f'{name}="', f"other={secret}", "a=b;;=;\x7f")
    for cookie in wrong:
        assert server.raw("GET", "/api/about", headers={"Cookie": cookie}).status == 401


def test_cookies_of_other_servers_at_this_host_do_no_harm(server: Server) -> None:
    name = server.cookie.partition("=")[0]
    others = ('a="', "[b]=c", 'x={"a": 1}', f"{name}=another", "é=ÿ")
    for other in others:
        for cookies in (f"{other}; {server.cookie}", f"{server.cookie};{other}"):
            headers = {"Cookie": cookies.encode("utf-8").decode("latin-1")}
            assert server.raw("GET", "/api/about", headers=headers).status == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "[::1", ""]
)
def test_a_name_that_a_stranger_points_here_is_refused(server: Server, host: str) -> None:
    headers = server.headers(Host=host.format(port=server.port))
    assert server.raw("GET", "/api/about", headers=headers).status in (400, 403)


def test_two_hosts_are_refused(server: Server) -> None:
    request = (
        f"GET /api/about HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nHost: evil.example\r\n"
        f"Cookie: {server.cookie}\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", server.port), 10) as raw:
        raw.sendall(request.encode())
        assert b"200 OK" not in raw.recv(200)


@pytest.mark.parametrize("name", ["Origin", "Sec-Fetch-Site"])
def test_a_second_word_on_where_it_comes_from_counts_too(server: Server, name: str) -> None:
    both = {"Origin": (server.origin, "null"), "Sec-Fetch-Site": ("same-origin", "cross-site")}
    lines = "".join(f"{name}: {value}\r\n" for value in both[name])
    head = f"Host: 127.0.0.1:{server.port}\r\nCookie: {server.cookie}\r\n{lines}"
    with socket.create_connection(("127.0.0.1", server.port), 10) as raw:
        raw.sendall(f"GET /api/about HTTP/1.1\r\n{head}\r\n".encode())
        assert b"403 Forbidden" in raw.recv(200)


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"},
        {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "cors"},
    ],
)
def test_a_request_of_another_page_is_refused(server: Server, headers: dict[str, str]) -> None:
    both = server.headers(**{"Content-Type": "application/json"}) | headers
    assert server.raw("POST", "/api/check", b"{}", both).status == 403
    assert server.raw("GET", "/api/about", headers=both).status == 403


def test_a_post_must_say_where_it_comes_from_and_be_json(server: Server) -> None:
    cookie = {"Cookie": server.headers()["Cookie"], "Content-Type": "application/json"}
    assert server.raw("POST", "/api/check", b"{}", cookie).status == 403
    form = server.headers(**{"Content-Type": "application/x-www-form-urlencoded"})
    answer = server.raw("POST", "/api/check", b"kind=formulas", form)
    assert (answer.status, answer.json) == (400, {"error": "a JSON object was expected"})
    for method in ("PUT", "DELETE", "OPTIONS", "TRACE"):
        assert server.raw(method, "/api/about", headers=server.headers()).status == 405


def test_every_answer_says_what_a_browser_may_load(server: Server) -> None:
    for path in ("/", "/api/about", "/nothing"):
        headers = server.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "script-src 'self'" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize(
    "path",
    ["/../app.py", "/..%2fapp.py", "/%2e%2e/app.py", "/..%5capp.py", "//etc/passwd", "/%00", "/a"],
)
def test_no_file_but_the_page_s_own_is_sent(server: Server, path: str) -> None:
    answer = server.get(path)
    assert answer.status in (400, 404)
    assert "error" in answer.json


def test_too_much_is_not_read(server: Server) -> None:
    announced = server.headers(**{"Content-Type": "application/json", "Content-Length": "9" * 12})
    answer = server.raw("POST", "/api/check", b"{", announced)
    assert answer.status == 413
    assert "at most" in answer.json["error"]
    sent = server.post("/api/check", {"kind": "formulas", "claims": "x" * 1_000_001})
    assert sent.status == 413


def test_a_name_that_no_file_can_have_is_no_defect(server: Server) -> None:
    (server.folder / "runs").mkdir(exist_ok=True)
    long = "a" * 300
    for path, content in (("/api/run", {"run": f"runs/{long}"}), ("/api/study", {"study": long})):
        answer = server.post(path, content)
        assert answer.status == 400
        assert "there is no such file or folder" in answer.json["error"]
    assert server.get(f"/report/{long}").status == 400


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"\xff", b"[" * 100_000])
def test_what_is_no_request_is_answered_with_one_line(server: Server, body: bytes) -> None:
    headers = server.headers(**{"Content-Type": "application/json"})
    answer = server.raw("POST", "/api/check", body, headers)
    assert answer.status == 400
    assert "\n" not in answer.json["error"]


def test_names_of_a_server_that_is_open_to_others() -> None:
    async def nothing(*_: object) -> None: ...

    guard = Guard(nothing, "token", "secret", "0.0.0.0", 8000)
    assert guard.is_ours("192.0.2.7:8000")
    assert guard.is_ours("localhost:8000")
    assert not guard.is_ours("evil.example:8000")
    assert not guard.is_ours("192.0.2.7:8001")
