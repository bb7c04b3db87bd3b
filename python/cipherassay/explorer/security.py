"""Who may talk to the server: whoever has the token, from this machine, on a page of this server.

The token is the first part of every path, so that no page of another origin can name an address here.
``Host`` keeps away names that other sites let point here (DNS rebinding), ``Origin`` what other pages send.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOOPBACK = "127.0.0.1"
"""The only address that the server listens at."""


@dataclass(frozen=True)
class Access:
    """What a request must show."""

    port: int
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24))

    @property
    def hosts(self) -> tuple[str, ...]:
        """Return the values of ``Host`` that mean this server."""
        return tuple(f"{name}:{self.port}" for name in (LOOPBACK, "localhost"))

    @property
    def url(self) -> str:
        """Return the page's address."""
        return f"http://{LOOPBACK}:{self.port}/{self.token}/"

    def refusal(self, method: str, path: str, headers: Mapping[str, str]) -> tuple[int, str] | None:
        """Return status and reason for a request that is not answered; None for one that is."""
        if headers.get("host", "") not in self.hosts:
            return 421, "this server answers at its loopback address alone"
        origin, needed = headers.get("origin"), method not in ("GET", "HEAD")
        if origin not in ([] if needed else [None]) + [f"http://{host}" for host in self.hosts]:
            return 403, "a page of another origin asks"
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return 403, "a page of another site asks"
        given = path.split("/", 2)[1] if "/" in path else ""
        if not hmac.compare_digest(given.encode(), self.token.encode()):
            return 403, "the address has no token, or a wrong one: `assay explore` prints the right one"
        return None


class Guard:
    """Answers what `Access` refuses, and adds the headers that keep a page to itself."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self.app, self.access = app, access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # no other protocol is served
        nonce = secrets.token_urlsafe(16)
        scope.setdefault("state", {})["nonce"] = nonce

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _headers(nonce).items():
                    headers[name] = value
            await send(message)

        refused = self.access.refusal(scope["method"], scope["path"], Headers(scope=scope))
        if refused is not None:
            answer = JSONResponse({"error": {"code": "", "message": refused[1]}}, refused[0])
            await answer(scope, receive, with_headers)
            return
        await self.app(scope, receive, with_headers)


def _headers(nonce: str) -> dict[str, str]:
    policy = (
        "default-src 'none'", "script-src 'self'", f"style-src 'self' 'nonce-{nonce}'",
        "img-src 'self' data:", "connect-src 'self'", "base-uri 'none'", "form-action 'none'",
        "frame-ancestors 'none'",
    )  # fmt: skip
    return {
        "Content-Security-Policy": "; ".join(policy),
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
        "Cache-Control": "no-store",
    }
