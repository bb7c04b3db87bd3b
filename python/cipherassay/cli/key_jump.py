"""`assay key-jump`: the last key words of an affine key schedule, step by step and by one matrix."""

from __future__ import annotations

from typing import Annotated

import typer

from cipherassay.cli._shared.common import Json, say, show_table, write_json


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
    store: Annotated[bool, typer.Option("--store", help="Keep the results for the report.")] = False,
    json: Json = False,
) -> None:
    """Synthesize the words with which decryption starts: all steps unrolled, and one GF(2) matrix."""
    from cipherassay.ciphers import load
    from cipherassay.hardware import key_jump_kept as kept
    from cipherassay.hardware.libraries import technology as technologies
    from cipherassay.hardware.rtl.build import choice
    from cipherassay.hardware.synthesis import recipes
    from cipherassay.jobs import executor

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
