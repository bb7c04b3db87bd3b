"""Who is answered: whoever has the token, from this machine, on a page of this server."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from cipherassay.explorer import protocol
from cipherassay.explorer.security import Access
from support.explorer import Running, request

ACCESS = Access(8000, "token")
OWN = {"host": "127.0.0.1:8000"}


@pytest.mark.parametrize(
    ("method", "path", "headers"),
    [
        ("GET", "/token/", OWN),
        ("GET", "/token/", {"host": "localhost:8000", "sec-fetch-site": "none"}),
        ("GET", "/token/files/page.js", OWN | {"sec-fetch-site": "same-origin"}),
        ("POST", "/token/api/run", OWN | {"origin": "http://127.0.0.1:8000"}),
        ("POST", "/token/api/run", OWN | {"origin": "http://localhost:8000"}),
    ],
)
def test_what_is_answered(method: str, path: str, headers: dict[str, str]) -> None:
    assert ACCESS.refusal(method, path, headers) is None


@pytest.mark.parametrize(
    ("status", "method", "path", "headers"),
    [
        (421, "GET", "/token/", {}),
        (421, "GET", "/token/", {"host": "127.0.0.1"}),
        (421, "GET", "/token/", {"host": "evil.example:8000"}),
        (421, "GET", "/token/", {"host": "127.0.0.1:8001"}),
        (403, "GET", "/", OWN),
        (403, "GET", "", OWN),
        (403, "GET", "/tokens/", OWN),
        (403, "GET", "/töken/", OWN),
        (403, "GET", "/token/", OWN | {"origin": "http://evil.example"}),
        (403, "GET", "/token/", OWN | {"sec-fetch-site": "cross-site"}),
        (403, "GET", "/token/", OWN | {"sec-fetch-site": "same-site"}),
        (403, "POST", "/token/api/run", OWN),
        (403, "POST", "/token/api/run", OWN | {"origin": "null"}),
        (403, "POST", "/token/api/run", OWN | {"origin": "http://127.0.0.1:8001"}),
        (403, "POST", "/token/api/run", OWN | {"origin": "https://127.0.0.1:8000"}),
    ],
)
def test_what_is_refused(status: int, method: str, path: str, headers: dict[str, str]) -> None:
    refused = ACCESS.refusal(method, path, headers)
    assert refused is not None
    assert refused[0] == status


def test_tokens_differ_and_are_long() -> None:
    found = {Access(1).token for _ in range(50)}
    assert len(found) == 50
    assert min(map(len, found)) >= 32


def test_the_page_keeps_to_itself(served: Running) -> None:
    answer = served.get()
    assert answer.status_code == 200
    policy = answer.headers["content-security-policy"]
    nonce = re.search(r'name="csp-nonce" content="([\w-]{20,})"', answer.text)
    assert nonce
    assert policy == (
        "default-src 'none'; script-src 'self'; "
        f"style-src 'self' 'nonce-{nonce[1]}'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'none'"
    )
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["cross-origin-opener-policy"] == "same-origin"
    assert "server" not in answer.headers
    assert nonce[1] not in served.get().text


def test_without_the_token_nothing_is_answered(served: Running) -> None:
    for path in ("", "files/page.js", "api/catalogue", "wrong/api/catalogue", "../api/catalogue"):
        answer = served.client.get(f"{served.origin}/{path}")
        assert answer.status_code == 403, path
        assert answer.json()["error"]["message"].startswith("the address has no token, or a wrong one")


def test_another_host_or_origin_is_refused(served: Running) -> None:
    assert served.get(host="evil.example").status_code == 421
    assert served.get(origin="http://evil.example").status_code == 403
    body = json.dumps(request("x = 1")).encode()
    assert served.post(body, origin="http://evil.example").status_code == 403
    assert served.post(body, origin="null").status_code == 403
    bare = served.client.post(served.url + "api/run", content=body)
    assert bare.status_code == 403


def test_a_form_of_another_page_is_no_request(served: Running) -> None:
    answer = served.post(b"{}", **{"content-type": "text/plain"})
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == "W001"


def test_what_is_too_large_is_not_read(served: Running) -> None:
    for size in (protocol.MOST_TEXT + 1, protocol.MOST_BODY * 4):
        answer = served.post(json.dumps(request("#" * size)).encode())
        assert answer.status_code == 413
        assert answer.json()["error"]["code"] == "W002"


def test_only_the_loopback_address_listens(served: Running) -> None:
    rows = Path("/proc/net/tcp").read_text().splitlines()[1:]
    listening = [row.split()[1] for row in rows if row.split()[3] == "0A"]
    assert [one for one in listening if one.endswith(f":{served.port:04X}")] == [f"0100007F:{served.port:04X}"]
    assert f":{served.port:04X} " not in Path("/proc/net/tcp6").read_text()


def test_only_files_of_the_page_are_served(served: Running) -> None:
    assert served.get("files/style.css").headers["content-type"].startswith("text/css")
    for name in ("main.js", "..%2fserver.py", "%2e%2e/server.py", "index.html"):
        assert served.get(f"files/{name}").status_code == 404, name
