"""The server's process: a socket at the loopback address, the server on it, the browser."""

from __future__ import annotations

import asyncio
import socket
import webbrowser
from collections.abc import Callable, Sequence
from pathlib import Path

import uvicorn

from cipherassay.errors import UsageError
from cipherassay.explorer.security import LOOPBACK, Access
from cipherassay.explorer.server import application, require_page
from cipherassay.explorer.sources import documents
from cipherassay.explorer.workers import Workers

_GRACE = 2
"""Seconds that open streams have after Ctrl-C."""

_KEEP_ALIVE = 600
"""Seconds that an idle connection stays open: longer than browsers and HTTP clients keep theirs, so that
no request meets a connection that is being closed."""


def serve(files: Sequence[Path], port: int, begun: Callable[[str, int], None], *, browser: bool) -> None:
    """Serve the page until Ctrl-C.

    Parameters
    ----------
    files : sequence of Path
        Descriptions of the user.
    port : int
        0: a free one.
    begun : callable
        Called with address and port as soon as the page can be opened.
    browser : bool
        Whether to open it.

    Raises
    ------
    UsageError
        ``W010``: the port is in use; ``U018``, ``U023`` to ``U027``: a file cannot be read, ``W002``: it is
        too long.
    ToolError
        ``W009``: the page is not built.
    """
    require_page()
    for one in documents(files).values():
        if one.own:
            _ = one.text
    with _bound(port) as listening:
        access = Access(listening.getsockname()[1])
        asyncio.run(_served(listening, access, files, begun, browser=browser))


def _bound(port: int) -> socket.socket:
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((LOOPBACK, port))
    except OSError as error:
        listening.close()
        help = "give another with --port N, or none for a free one"
        raise UsageError("W010", f"port {port} cannot be used: {error.strerror}", help=help) from None
    return listening


async def _served(
    listening: socket.socket, access: Access, files: Sequence[Path], begun: Callable[[str, int], None],
    *, browser: bool,
) -> None:  # fmt: skip
    async with Workers() as workers:
        settings = uvicorn.Config(
            application(access, files, workers), log_level="warning", access_log=False, ws="none",
            lifespan="off", timeout_graceful_shutdown=_GRACE, timeout_keep_alive=_KEEP_ALIVE,
            server_header=False,
        )  # fmt: skip
        server = uvicorn.Server(settings)
        loading = asyncio.create_task(workers.ready())
        begun(access.url, access.port)
        if browser:
            await asyncio.to_thread(webbrowser.open, access.url)
        await server.serve(sockets=[listening])
        await asyncio.gather(loading, return_exceptions=True)
