"""`assay study key-jump`: the last key words of an affine key schedule, step by step and by one matrix."""

from __future__ import annotations

from typing import Annotated

import typer

from cipherassay.console.output import Json, show_table, write_json
from cipherassay.console.progress import say


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("key-jump")(key_jump)


def key_jump(
    cipher: Annotated[str, typer.Argument(help="A cipher, for example serpent.", show_default=False)],
    technology: Annotated[str, typer.Option("--technology", "-t", help="The technology.")] = "osu050",
    points: Annotated[int, typer.Option(min=1, max=10, help="Recipes tried.")] = 2,
    approach: Annotated[
        list[str] | None, typer.Option(help="unrolled, single step; both without it.")
    ] = None,
    store: Annotated[bool, typer.Option("--keep", help="Keep the results for the report.")] = False,
    json: Json = False,
) -> None:
    """Synthesize the key words with which decryption starts.

    All steps unrolled, and one matrix over GF(2).
    """
    from cipherassay.ciphers import load
    from cipherassay.hardware.libraries import technology as technologies
    from cipherassay.hardware.rtl.build import choice
    from cipherassay.hardware.synthesis import recipes
    from cipherassay.jobs import executor
    from cipherassay.studies.weeks2000 import key_jump_kept as kept

    wanted = [choice("approach", one, kept.APPROACHES) for one in approach or kept.APPROACHES]
    loaded, names = load(cipher), [one.name for one in recipes.of_points(points)]
    with executor("local") as place:
        document = kept.made(loaded, technologies.load(technology), place, names, wanted)
    if store:
        say(f"kept: {kept.keep(document)}")
    rows = list(kept.rows_of(document, technology))
    if json:
        write_json({"rows": [row.as_dict() for row in rows]})
        return
    lines = [(row.configuration, row.metric, row.value, row.unit) for row in rows]
    show_table(("form", "metric", "value", "unit"), lines, title=f"{loaded.name}, {kept.PART}, {technology}")
