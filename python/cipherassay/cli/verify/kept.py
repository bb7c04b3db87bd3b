"""`assay verify kept`: every kept artefact checked again, stale ones removed on request."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Annotated

import typer

from cipherassay.console.output import Json, nothing_verified, output, show_table, write_json
from cipherassay.console.progress import job_progress
from cipherassay.errors import VerificationError

if TYPE_CHECKING:
    from cipherassay.keeping.verification import Verdict


def kept(
    kinds: Annotated[
        list[str] | None, typer.Argument(metavar="[KIND…]", help="Only these kinds; without them all.")
    ] = None,
    prune: Annotated[
        bool,
        typer.Option("--prune", help="Remove what is stale or damaged, but nothing of an installed package."),
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress.")] = False,
    json: Json = False,
) -> None:
    """Check every kept artefact again, or those of some kinds.

    Kinds: kernels, schedules, x86, layouts, circuits, exhaustion, proofs, grades, simulations, key_jumps.
    Exit 4 if one is damaged or false, or if there is nothing to verify. All kinds take some minutes.
    """
    from cipherassay import keeping
    from cipherassay.keeping import verification

    chosen = list(dict.fromkeys(kinds or keeping.SCHEMAS))
    units = {kind: verification.units(kind) for kind in chosen}
    empty = [kind for kind, work in units.items() if not work]
    if empty:
        raise nothing_verified(f"kept artefacts of the kind {', '.join(empty)}", f"looked in {_places()}")
    work = [unit for of_kind in units.values() for unit in of_kind]
    with job_progress("kept artefacts", quiet=quiet) as bar:
        found = verification.verify(work, bar)
    removed = [one for one in found if prune and one.prune()]
    if json:
        write_json(
            {"counts": _counts(chosen, found), "artefacts": [_document(one, removed) for one in found]}
        )
    else:
        _show(chosen, found, removed)
    bad = [one for one in found if one.state in ("damaged", "false")]
    if bad:
        raise VerificationError(
            "A005", f"{len(bad)} of {len(found)} kept artefacts are damaged or false",
            notes=[f"{one.name}: {one.state}: {one.why}" for one in bad],
        )  # fmt: skip
    if not any(one.state == "holds" for one in found):
        raise nothing_verified("kept artefacts that hold", f"looked in {_places()}")


def _places() -> str:
    from cipherassay import keeping

    return ", ".join(str(place) for place in dict.fromkeys((keeping.home(), keeping.PACKAGE)))


def _counts(kinds: list[str], found: list[Verdict]) -> dict[str, dict[str, int]]:
    from cipherassay.keeping.verification import STATES

    counted = Counter((one.kind, one.state) for one in found)
    return {kind: {state: counted[kind, state] for state in STATES} for kind in kinds}


def _show(kinds: list[str], found: list[Verdict], removed: list[Verdict]) -> None:
    counts = _counts(kinds, found)
    show_table(
        ("kind", *next(iter(counts.values()))), [(kind, *one.values()) for kind, one in counts.items()]
    )
    for one in found:
        if one.state != "holds":
            gone = ", removed" if one in removed else ""
            output().print(f"{one.state}{gone}: {one.name}: {one.why}", markup=False, soft_wrap=True)


def _document(one: Verdict, removed: list[Verdict]) -> dict[str, object]:
    return {
        "kind": one.kind, "name": one.name, "state": one.state, "why": one.why or None,
        "path": str(one.path), "removed": one in removed,
    }  # fmt: skip
