"""What `assay check` says of a cipher's file: citations, known answers, decryption, compilation."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import typer

from cipherassay.console.output import write_json

_MARKS = {"pass": "pass   ", "fail": "FAIL   ", "missing": "missing", "note": "note   "}


def check(
    file: str, vectors: Sequence[Path], *, draft: bool, seconds: float, memory: float, operations: int,
    json: bool,
) -> None:  # fmt: skip
    """Check a cipher's file in a process of its own, print the verdicts, end with their exit code."""
    from cipherassay.review import check_apart

    review = check_apart(file, vectors, seconds=seconds, memory=memory, operations=operations)
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
