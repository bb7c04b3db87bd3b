"""`assay circuit search`: a circuit for an S-box, a target and an objective."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cipherassay.cli.circuit.emit import languages_of, written_as
from cipherassay.cli.circuit.sweep import metrics_of, sweep
from cipherassay.console.kernel import refuse_options
from cipherassay.console.options import writable_file, writable_folder
from cipherassay.console.output import Json, output, output_folder, show_table, write_file, write_json
from cipherassay.console.progress import format_time, progress, say
from cipherassay.errors import UsageError

if TYPE_CHECKING:
    from cipherassay.circuits.boxes import Box
    from cipherassay.circuits.classes import Equivalence
    from cipherassay.circuits.documents import Document
    from cipherassay.circuits.searching import SearchResult
    from cipherassay.circuits.targets import Target

SECONDS, LOCAL = 30.0, "local"


def search(
    boxes: Annotated[
        list[str],
        typer.Argument(
            metavar="SBOX…", show_default=False,
            help="Names (CIPHER.BOX), files, ciphers with all their boxes.",
        ),
    ],
    target: Annotated[
        list[str] | None,
        typer.Option(
            help="Gate set or machine; `assay circuit list targets`; may be repeated. Default: two-input."
        ),
    ] = None,
    objective: Annotated[
        str, typer.Option(help="Metrics, the most important first: `cycles,ops`; default: the target's.")
    ] = "",
    seconds: Annotated[float, typer.Option(help="Time on the clock.", min=0.1)] = SECONDS,
    seed: Annotated[int, typer.Option(help="Of everything random.", min=0)] = 1,
    jobs: Annotated[
        int, typer.Option(help="Units of work side by side; of several, searches.", min=1)
    ] = 1,
    executor: Annotated[
        str, typer.Option(help="Where several run: local, dask://HOST:PORT, dask://local.")
    ] = LOCAL,
    engine: Annotated[list[str] | None, typer.Option(help="Only this engine; may be repeated.")] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Begin anew, not where an earlier run stopped.")
    ] = False,
    keep: Annotated[bool, typer.Option("--keep", help="Keep it in the library if it is better.")] = False,
    file: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", callback=writable_file, metavar="FILE", help="Write the circuit's text there."
        ),
    ] = None,
    emit: Annotated[str, typer.Option(metavar="LANGUAGES", help="Write code, too: `c,verilog`.")] = "",
    folder: Annotated[Path, typer.Option(metavar="DIR", help="Where to write the code.")] = Path(),
    json: Json = False,
) -> None:
    """Search the best circuit of an S-box, or of several, within a time.

    It says how good the circuit is known to be. An S-box is a name (`assay circuit list boxes`) or a file
    with its values at inputs 0, 1, 2, … The finished units of work are kept: the same search, started
    again, goes on where it stopped. Ctrl-C keeps the best. Several boxes and targets are searched side by
    side; what is finished is kept at once.
    """
    from cipherassay.circuits.boxes import families

    targets = target or ["two-input"]
    metrics = metrics_of(objective)
    if len(boxes) > 1 or len(targets) > 1 or boxes[0] in families() or executor != LOCAL:
        one = {"engine": engine, "output": file, "emit": emit}
        refuse_options("several circuits", one, "name one S-box and one target, without --executor")
        sweep(boxes, targets, metrics, seconds=seconds, seed=seed, jobs=jobs, executor=executor, fresh=fresh,
              keep=keep, json=json)  # fmt: skip
        return
    _one(boxes[0], targets[0], metrics, seconds, seed, jobs, engine or (), emit, file, folder,
         fresh=fresh, keep=keep, json=json)  # fmt: skip


def _one(
    box: str, target: str, metrics: tuple[str, ...], seconds: float, seed: int, jobs: int,
    engine: Sequence[str], emit: str, file: Path | None, folder: Path, *, fresh: bool, keep: bool, json: bool,
) -> None:  # fmt: skip
    from cipherassay.circuits import boxes, searching, targets
    from cipherassay.circuits.engine import Problem

    sbox, machine = boxes.find(box), targets.find(target)
    problem = Problem(sbox, machine, machine.full_objective(metrics), seed)
    languages = languages_of(emit)  # before the search, not after it
    if languages:
        writable_folder(folder)
    if keep and sbox.family == "own":
        raise UsageError(
            "C506", "the library keeps only boxes that have a name", help="write it with -o FILE"
        )
    with progress(f"{sbox.name} for {machine.name}", seconds, quiet=json) as bar:
        found = searching.search(
            problem,
            seconds=seconds,
            jobs=jobs,
            only=engine,
            fresh=fresh,
            told=lambda passed, line: bar.advance(max(0.0, min(passed, seconds) - bar.done), line),
        )
    emitted = ["--seed", str(seed), "--emit", ",".join(languages)]
    command = shlex.join(["assay", "circuit", "search", box, "--target", target, *emitted])
    written = (
        _write(found.document, sbox, machine, file, languages, folder, command) if found.document else []
    )
    kept = _keep(found.document, keep=keep)
    if json:
        write_json(_as_json(found, sbox, machine, written, kept))
    else:
        _show(found, sbox, machine, written, kept)
    if found.stop == "interrupted":
        raise KeyboardInterrupt


def _write(
    document: Document,
    box: Box,
    target: Target,
    file: Path | None,
    languages: list[str],
    folder: Path,
    command: str,
) -> list[str]:
    files = {file: document.text()} if file else {}
    if languages:
        output_folder(folder)
        written, proofs = written_as(document.text(), box, target, languages, command)
        files |= {folder / name: text for name, text in written}
        for proof in proofs:
            say(str(proof))
    for path, text in files.items():
        write_file(path, text)
    return [str(path) for path in files]


def _keep(document: Document | None, *, keep: bool) -> str:
    if not keep or document is None:
        return ""
    from cipherassay.circuits import library

    done = library.keep(document)
    return f"kept ({done.reason})" if done.stored else "not kept: the library has as good a one"


def _as_json(found: SearchResult, box: Box, target: Target, written: list[str], kept: str) -> dict[str, Any]:
    from cipherassay.circuits.classes import equivalent
    from cipherassay.circuits.rows import rows

    document = found.document
    return {
        "box": box.name,
        "target": target.name,
        "objective": list(found.record.problem.objective),
        "circuit": document.text() if document else None,
        "metrics": document.metrics if document else None,
        "proof": document.proof.text if document else None,
        "effort": document.head["effort"] if document else None,
        "stop": found.stop,
        "seconds": round(found.seconds, 1),
        "kept": kept or None,
        "files": written,
        "rows": [row.as_dict() for row in rows(document, box, target)] if document else [],
        "affine_class": [_of_class(one, target, found) for one in equivalent(box)],
    }


def _of_class(one: Equivalence, target: Target, found: SearchResult) -> dict[str, Any]:
    """Return a known box of the affine class: the maps, and what is known of its circuits."""
    from cipherassay.circuits import library, published

    metric = found.record.problem.objective[0]
    kept, theirs = library.find(one.box, target, metric), published.find(one.box, target, (metric,))
    return {
        "box": one.box.name,
        "inner": [*one.inner.images, one.inner.constant],
        "outer": [*one.outer.images, one.outer.constant],
        "metric": metric,
        "library": kept.document.metrics.get(metric) if kept else None,
        "published": theirs.counts.get(metric) if theirs else None,
        "source": theirs.source if theirs else None,
    }


def _show_class(found: SearchResult, box: Box, target: Target) -> None:
    """Show the known boxes of the affine class; nothing where there is none."""
    from cipherassay.circuits.classes import equivalent, of_inversion

    if of_inversion(box) is not None:
        say(f"{box.name} is inversion in GF(2^8) between affine maps, on all {len(box.data)} inputs")
    every = [_of_class(one, target, found) for one in equivalent(box)]
    known = [one for one in every if one["library"] is not None or one["published"] is not None]
    if every:
        names = ", ".join(one["box"] for one in every)
        say(f"of its affine class, so that it is one of them between exclusive ors: {names}")
    if known:
        metric = known[0]["metric"]
        lines = [(one["box"], one["library"], one["published"], one["source"]) for one in known]
        show_table(("of its class", f"{metric}, library", "published", "where"), lines)


def _show(found: SearchResult, box: Box, target: Target, written: list[str], kept: str) -> None:
    document = found.document
    if document is None:
        reason = "nothing was found" if found.stop == "finished" else "nothing was found in this time"
        say(f"{box.name} for {target.name}: {reason}; try more --seconds")
        return
    show_table(
        ("metric", "ours", "bound", "published", "where", "library"),
        summary_lines(document, box, target),
        title=f"{box.name} for {target.name}: {', '.join(found.record.problem.objective)}",
    )
    output().print("\n".join(document.equations), markup=False)
    say(f"\n{document.proof.text}")
    _show_class(found, box, target)
    say(f"{document.head['effort']}; {_STOPS[found.stop]} after {format_time(found.seconds)}")
    for line in [*(f"wrote {path}" for path in written), *([kept] if kept else [])]:
        say(line)


_STOPS = {
    "finished": "every unit is finished",
    "optimal": "stopped as nothing better exists",
    "time": "stopped as the time was over",
    "interrupted": "interrupted",
}


def summary_lines(document: Document, box: Box, target: Target) -> list[list[Any]]:
    """Return a line per metric: ours, bound, published, where, the library's."""
    from cipherassay.circuits import library, published
    from cipherassay.circuits.metrics import METRICS

    theirs = published.find(box, target, document.objective)
    kept = library.find(box, target, document.objective[0]) if box.family != "own" else None
    order = [*document.objective, *(m for m in METRICS if m not in document.objective)]
    lines = []
    for metric in (m for m in order if m in document.metrics):
        value = document.metrics[metric]
        bound = value if document.proof.proves(metric) else document.proof.bound(metric)
        count = theirs.counts.get(metric) if theirs else None
        mine = kept.document.metrics.get(metric) if kept else None
        source = theirs.source if theirs and count is not None else None
        lines.append([metric, value, bound, count, source, mine])
    return lines
