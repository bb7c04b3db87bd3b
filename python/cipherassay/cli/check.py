"""`assay check`: the check of a cipher file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cipherassay.console.output import Json, write_json
from cipherassay.limits import Limits

_MARKS = {"pass": "pass   ", "fail": "FAIL   ", "missing": "missing", "note": "note   "}


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("check")(check)


def check(
    file: Annotated[str, typer.Argument(help="A cipher file, or the name of a cipher.", show_default=False)],
    vectors: Annotated[
        list[Path] | None,
        typer.Option(
            "--vectors", help="A file of known answers (default: NAME*.kat.txt beside the cipher file)."
        ),
    ] = None,
    draft: Annotated[
        bool, typer.Option("--draft", help="Let pass what is still missing: citations, known answers.")
    ] = False,
    seconds: Annotated[
        float, typer.Option("--seconds", help="Wall time for each step: loading, compiling for a key size, …")
    ] = 60.0,
    memory: Annotated[float, typer.Option("--memory", help="Memory that the file may take, in GiB.")] = 2.0,
    operations: Annotated[
        int, typer.Option("--operations", help="Operations that a key size may have as it is written.")
    ] = Limits.operations,
    json: Json = False,
) -> None:
    """Check a cipher file: sources cited, known answers pass, decryption inverts encryption, it compiles.

    The file runs in a process of its own, with limits of time and memory; only a finished check passes.
    Exits with 0 if all is well, 3 for a fault of the description, 4 for a wrong or missing answer.
    """
    from cipherassay.review import check_apart

    review = check_apart(file, vectors or [], seconds=seconds, memory=memory, operations=operations)
    review = review.as_draft() if draft else review
    code = review.exit_code(draft=draft)
    left_out = [v.what for v in review.verdicts if v.state == "missing"] if draft else []
    if json:
        verdicts = [
            {"what": v.what, "state": v.state, "text": v.text, "places": [str(place) for place in v.places]}
            for v in review.verdicts
        ]
        write_json(
            {
                "file": review.file,
                "cipher": review.cipher,
                "ok": code == 0,
                "left_out": left_out,
                "verdicts": verdicts,
            }
        )
    else:
        for verdict in review.verdicts:
            first, *more = verdict.text.splitlines()
            typer.echo(f"{_MARKS[verdict.state]}  {verdict.what}: {first}")
            for line in more:
                typer.echo(f"           {line}")
            for place in verdict.places:
                typer.echo(f"           --> {place}  {place.text.strip()}".rstrip())
        if left_out:
            typer.echo(f"a draft may lack it, a finished file not: {', '.join(left_out)}")
    raise typer.Exit(code)
