"""The server: the page, its catalogue and documents, and runs as streams of JSON lines."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from pathlib import Path

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Mount, Route

from cipherassay import __version__
from cipherassay.errors import AssayError, ToolError, error_document
from cipherassay.explorer import protocol
from cipherassay.explorer.security import Access, Guard
from cipherassay.explorer.session import Message, Sessions
from cipherassay.explorer.sources import document, documents
from cipherassay.explorer.workers import Workers

STATIC = Path(__file__).with_name("static")
PAGE = Path(__file__).with_name("page")
FILES = {
    "page.js": (STATIC, "text/javascript"), "style.css": (PAGE, "text/css"),
    "icon.svg": (PAGE, "image/svg+xml"), "LICENSES.txt": (STATIC, "text/plain"),
}  # fmt: skip
"""The files of the page, where they lie, and their types."""
_POLL = 0.5
"""Seconds between looks whether the page still listens."""


def require_page() -> None:
    """Check that the page was built.

    Raises
    ------
    ToolError
        ``W009``: it was not; a wheel has it, a checkout builds it.
    """
    if not (STATIC / "page.js").is_file():
        raise ToolError(
            "W009",
            "the explorer's page is not built",
            notes=["wheels have it; in a checkout the setup builds it with Node.js"],
            help="bash scripts/explorer/build",
        )


def application(access: Access, files: Sequence[Path] = (), workers: Workers | None = None) -> Guard:
    """Return the application behind its guard.

    Parameters
    ----------
    access : Access
        Token and port.
    files : sequence of Path
        Descriptions of the user that the page offers; it begins with the first.
    workers : Workers, optional
        What runs descriptions.
    """
    return Guard(Starlette(routes=_Explorer(access, files, workers or Workers()).routes()), access)


class _Explorer:
    """The answers."""

    def __init__(self, access: Access, files: Sequence[Path], workers: Workers) -> None:
        self.access, self.workers = access, workers
        self.known = documents(files)
        self.sessions = Sessions(workers, self.known)

    def routes(self) -> list[Mount]:
        """Return the routes, all below the token."""
        inner = [
            Route("/", self.page),
            Route("/files/{name}", self.file),
            Route("/api/catalogue", self.catalogue),
            Route("/api/document/{name}", self.document),
            Route("/api/run", self.run, methods=["POST"]),
        ]
        return [Mount(f"/{self.access.token}", routes=inner)]

    async def page(self, request: Request) -> Response:
        """Answer with the page."""
        text = (PAGE / "index.html").read_text(encoding="utf-8")
        return HTMLResponse(text.replace("{{nonce}}", request.scope["state"]["nonce"]))

    async def file(self, request: Request) -> Response:
        """Answer with a file of the page."""
        name = request.path_params["name"]
        if name not in FILES:
            return Response(status_code=404)
        folder, kind = FILES[name]
        return FileResponse(folder / name, media_type=kind)

    async def catalogue(self, request: Request) -> Response:
        """Answer with what can be chosen and what can be opened."""
        try:
            await self.workers.ready()
        except AssayError as error:
            return _refused(error, 503)
        listed = [
            {"name": one.name, "title": one.path.name if one.own else one.name, "own": one.own}
            for one in self.known.values()
        ]  # fmt: skip
        about = {"version": __version__, "most_text": protocol.MOST_TEXT, "documents": listed}
        return JSONResponse({**self.workers.catalogue, **about})

    async def document(self, request: Request) -> Response:
        """Answer with a description."""
        try:
            found = document(self.known, request.path_params["name"])
            return JSONResponse({"name": found.name, "stem": found.path.stem, "text": found.text})
        except AssayError as error:
            return _refused(error, 404 if error.code == "W003" else 400)

    async def run(self, request: Request) -> Response:
        """Answer with a stream of what becomes of a description."""
        try:
            asked = protocol.read(await _body(request))
            jobs = await self.sessions.jobs(asked)
        except ClientDisconnect:
            return Response(status_code=400)
        except AssayError as error:
            return _refused(error, 413 if error.code == "W002" else 400)
        lines = _lines(request, self.sessions.run(asked, jobs))
        return StreamingResponse(lines, media_type="application/x-ndjson")


async def _body(request: Request) -> bytes:
    """Return the body; raises UsageError ``W001`` if it is said to be no JSON, ``W002`` if it is too long."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip()
    if kind != "application/json":
        raise protocol.refused("its type is not JSON")
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > protocol.MOST_BODY:
            raise protocol.too_long()
    return body


async def _lines(request: Request, messages: AsyncGenerator[Message, None]) -> AsyncIterator[bytes]:
    """Yield messages as lines until there are no more, or nobody listens any more."""
    waiting: asyncio.Future[Message | None] = asyncio.ensure_future(anext(messages, None))
    try:
        while True:
            done, _ = await asyncio.wait({waiting}, timeout=_POLL)
            if not done:
                if await request.is_disconnected():
                    return
                continue
            message = waiting.result()
            if message is None:
                return
            waiting = asyncio.ensure_future(anext(messages, None))
            yield json.dumps(message).encode() + b"\n"
    finally:
        waiting.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await waiting
        await messages.aclose()


def _refused(error: AssayError, status: int) -> Response:
    return JSONResponse({"error": error_document(error)}, status)

