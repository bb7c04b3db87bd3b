"""`assay doctor`: which outside tools are here, what each is for, how to get the others."""

from __future__ import annotations

import typer

from cipherassay.console.help import HERE
from cipherassay.console.output import Json, show_table, write_json
from cipherassay.console.progress import say


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("doctor", rich_help_panel=HERE)(doctor)


def doctor(json: Json = False) -> None:
    """List the outside tools, and where results are kept.

    Of each tool: found, version, what it is for, how to get it.
    """
    from cipherassay import cache, tools

    store, why = cache.store_root()
    places = {"store": str(store.absolute()), "cache": str(cache.cache_root().absolute())}
    found = tools.find_all()
    if json:
        write_json({"tools": [_record(one) for one in found], **places})
        return
    rows = [
        (one.tool.name, one.trouble or ("yes" if one.place else "no"), one.version or None, one.tool.purpose,
         None if one.place else one.tool.how_to_get())
        for one in found
    ]  # fmt: skip
    show_table(("tool", "found", "version", "what it is for", "how to get it"), rows)
    absent = [one.tool for one in found if not one.place]
    packages = " ".join(sorted({package for tool in absent for package in tool.packages()}))
    for tool in absent:
        say(f"without {tool.name}: {tool.without}")
    if packages:
        say(f"all of them at once: apt-get install {packages}")
    say(f"results are kept in {places['store']} ({why}), what can be made again in {places['cache']}")


def _record(found: object) -> dict[str, object]:
    from cipherassay.tools import ToolStatus

    assert isinstance(found, ToolStatus)
    tool = found.tool
    return {
        "name": tool.name,
        "found": bool(found.place),
        "place": found.place or None,
        "version": found.version or None,
        "trouble": found.trouble or None,
        "purpose": tool.purpose,
        "without": tool.without,
        "how_to_get": tool.how_to_get(),
        "needed": tool.needed,
    }
