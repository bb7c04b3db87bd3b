"""`assay circuit prove`: that no circuit of an S-box has so few gates or ANDs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cipherassay.console.options import writable_folder
from cipherassay.console.output import Json, output, show_table, write_json
from cipherassay.console.progress import format_time, progress, say
from cipherassay.errors import UsageError

if TYPE_CHECKING:
    from cipherassay.circuits.boxes import Box
    from cipherassay.circuits.proofs import Answer
    from cipherassay.circuits.targets import Target

SECONDS = 600.0


def prove(
    box: Annotated[
        str, typer.Argument(metavar="SBOX", help="A name (CIPHER.BOX) or a file.", show_default=False)
    ],
    target: Annotated[str, typer.Option(help="Gate set; `assay circuit list targets`.")] = "two-input",
    metric: Annotated[str, typer.Option(help="`gates` or `and_count`.")] = "gates",
    value: Annotated[
        int | None, typer.Option(help="The count to refute; default: one below the library's best.", min=0)
    ] = None,
    seconds: Annotated[float, typer.Option(help="Time on the clock.", min=0.1)] = SECONDS,
    keep: Annotated[bool, typer.Option("--keep", help="Keep certificate and short proofs.")] = False,
    folder: Annotated[
        Path | None,
        typer.Option(
            callback=writable_folder, metavar="DIR", help="For proofs in the making; some take gigabytes."
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Prove that no circuit of an S-box is smaller, or find one that is.

    A SAT solver refutes every count of the metric up to the value; each proof is checked by a program that
    shares no code with the solver. A circuit that is found instead is checked and shown.
    """
    from cipherassay.circuits import boxes, proofs, targets

    sbox, machine = boxes.find(box), targets.find(target)
    wanted = value if value is not None else _below_best(sbox, machine, metric)
    with progress(f"{sbox.name} for {machine.name}: {metric} <= {wanted}", seconds, quiet=json) as bar:
        answer = proofs.prove(
            sbox,
            machine,
            metric,
            wanted,
            seconds=seconds,
            told=lambda passed, line: bar.advance(max(0.0, min(passed, seconds) - bar.done), line),
            folder=folder,
        )
    kept = str(proofs.keep(answer, sbox, machine)) if keep and answer.certificate.refutations else ""
    if json:
        write_json(_as_json(answer, wanted, kept))
    else:
        _show(answer, wanted, kept)
    if answer.reason == "interrupted":
        raise KeyboardInterrupt


def _below_best(box: Box, target: Target, metric: str) -> int:
    from cipherassay.circuits import library

    best = library.find(box, target, metric)
    if best is None:
        raise UsageError(
            "C316",
            f"the library has no circuit of {box.name} for {target.name} with few {metric}",
            help="state the count to refute: --value 7",
        )
    return int(best.value) - 1


def _as_json(answer: Answer, wanted: int, kept: str) -> dict[str, Any]:
    from dataclasses import asdict

    certificate = answer.certificate
    return {
        "box": certificate.box,
        "target": certificate.target,
        "metric": certificate.metric,
        "value": wanted,
        "outcome": answer.outcome,
        "reason": answer.reason or None,
        "refuted": certificate.value,
        "circuit": answer.circuit or None,
        "seconds": round(answer.seconds, 1),
        "certificate": asdict(certificate),
        "kept": kept or None,
    }


def _show(answer: Answer, wanted: int, kept: str) -> None:
    certificate = answer.certificate
    if certificate.refutations:
        show_table(
            ("count", "variables", "clauses", "proof steps", "solver s", "checker s", "other checkers"),
            [
                [
                    one.count, one.variables, one.clauses, one.kept_steps, one.solver_seconds,
                    one.checker_seconds, ", ".join(f"{k} {v}" for k, v in one.outside.items()),
                ]
                for one in certificate.refutations
            ],
            title=f"refuted {certificate.metric} of {certificate.box} for {certificate.target}",
        )  # fmt: skip
    if answer.circuit:
        output().print(answer.circuit, markup=False)
    what = f"{certificate.box} for {certificate.target}: {certificate.metric} <= {wanted}"
    why = {"time": " (the time was over)", "interrupted": " (interrupted)"}.get(answer.reason, "")
    say(f"{what}: {answer.outcome}{why} after {format_time(answer.seconds)}")
    if answer.outcome != "proved impossible":
        say(f"proved: {certificate.sentence}")
    if kept:
        say(f"kept {kept}")
