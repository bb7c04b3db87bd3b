"""`assay verify circuits`: the stored circuits, and the stored proofs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cipherassay.console.output import Json, nothing_verified, write_json
from cipherassay.console.progress import job_progress, progress, say
from cipherassay.errors import AssayError, UsageError, VerificationError, nearest


def circuits(
    family: Annotated[str, typer.Argument(help="Only this cipher.")] = "",
    folder: Annotated[
        Path | None, typer.Option(help="Another library.", file_okay=False, exists=True)
    ] = None,
    jobs: Annotated[int, typer.Option(help="Circuits checked side by side; 0: one per core.", min=0)] = 0,
    proofs: Annotated[
        bool, typer.Option("--proofs", help="The stored proofs instead: clauses made anew, proofs checked.")
    ] = False,
    remake: Annotated[
        bool, typer.Option("--remake", help="Remake proofs too long to keep, too: minutes to hours.")
    ] = False,
    json: Json = False,
) -> None:
    """Check every stored circuit, or the stored proofs.

    Of a circuit: its table, all inputs, its metrics measured anew, its published count.
    """
    from cipherassay.circuits.boxes import families

    if family and folder is None and family not in families():
        raise UsageError("C127", f"there are no S-boxes of `{family}`", help=nearest(family, families()))
    if proofs or remake:
        _verify_proofs(family, remake=remake, as_json=json)
    else:
        _verify_circuits(family, folder, jobs, as_json=json)


def _verify_circuits(family: str, folder: Path | None, jobs: int, *, as_json: bool) -> None:
    from cipherassay.circuits import library
    from cipherassay.jobs import each

    found = list(library.stored(family, folder=folder))
    if not found:
        where = f"in `{folder}`" if folder else "in the library"
        raise nothing_verified("circuits", f"{where} there are none{f' of {family}' if family else ''}")
    with job_progress("verify", quiet=as_json) as bar:
        verdicts = each(library.verify, found, lambda item: item.path.name, workers=jobs, progress=bar)
    wrong = {
        f"{item.path.parent.name}/{item.path.name}": problems
        for item, problems in zip(found, verdicts, strict=True)
        if problems
    }
    if as_json:
        write_json({"ok": not wrong, "verified": len(found), "wrong": wrong})
    if wrong:
        raise VerificationError(
            "C502",
            f"{len(wrong)} of {len(found)} stored circuits {'are' if len(wrong) > 1 else 'is'} not as stated",
            notes=[f"{name}: {'; '.join(problems)}" for name, problems in wrong.items()],
            help="search the circuit again, or take the file away",
        )
    if not as_json:
        say(f"{len(found)} circuits verified: tables, all inputs, metrics, published counts")


def _verify_proofs(family: str, *, remake: bool, as_json: bool) -> None:
    from cipherassay.circuits import boxes, certificates, targets
    from cipherassay.circuits import proofs as prover

    found = [(path, one) for path, one in certificates.stored() if family in ("", path.parent.name)]
    if not found:
        raise nothing_verified("proofs", f"none are kept{f' of {family}' if family else ''}")
    wrong: dict[str, str] = {}
    checked = named = 0
    with progress("verify", float(len(found)), quiet=as_json) as bar:
        for path, one in found:
            bar.advance(0, path.name)
            try:
                result = prover.check(path, boxes.find(one.box), targets.find(one.target), remake=remake)
            except AssayError as error:
                wrong[f"{path.parent.name}/{path.name}"] = "; ".join([error.message, *error.notes])
            else:
                checked, named = checked + len(result.checked), named + len(result.not_kept)
            bar.advance(1, path.name)
    if as_json:
        write_json(
            {"ok": not wrong, "claims": len(found), "checked": checked, "not_kept": named, "wrong": wrong}
        )
    if wrong:
        raise VerificationError(
            "C345",
            f"{len(wrong)} of {len(found)} stored proofs {'do' if len(wrong) > 1 else 'does'} not hold",
            notes=[f"{name}: {problem}" for name, problem in wrong.items()],
            help="prove it anew: the command stands in the certificate",
        )
    if not as_json:
        rest = f"; by their clauses alone, the proof not kept: {named} (--remake)" if named else ""
        say(f"claims verified: {len(found)}; refutations by the proof checker: {checked}{rest}")
