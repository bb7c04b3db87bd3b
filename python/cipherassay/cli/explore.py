"""`assay explore`: a page at localhost that shows, as one types, what becomes of a description."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cipherassay.console.help import DESCRIBE
from cipherassay.console.output import Json, write_json
from cipherassay.console.progress import say

_LAST_PORT = 65535


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("explore", rich_help_panel=DESCRIBE)(explore)


def explore(
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[FILE]…", show_default=False,
            help="Your descriptions, opened in the page; the project's ciphers are there anyway.",
        ),
    ] = None,
    port: Annotated[
        int, typer.Option("--port", min=0, max=_LAST_PORT, help="Where the page listens (0: a free port).")
    ] = 0,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the page in the browser.")
    ] = True,
    json: Json = False,
) -> None:
    """Show in the browser what becomes of a description, as you type.

    Checks, program, C, assembly with cycles, RTL, operations and costs; line tied to line, two versions side
    by side. It listens at this machine's loopback address alone, and ends with Ctrl-C.
    """
    from cipherassay.tools import require_packages

    require_packages("starlette", "uvicorn")
    from cipherassay.explorer.serving import serve

    def begun(url: str, port: int) -> None:
        if json:
            write_json({"url": url, "port": port})
        else:
            say(f"the explorer listens at {url}\nCtrl-C ends it")

    serve(files or [], port, begun, browser=browser)
