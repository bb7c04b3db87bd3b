"""`assay circuit sweep`: many boxes and targets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from cipherassay import signals
from cipherassay.cli.circuit.search import metrics_of
from cipherassay.console.output import Json, show_table, write_json
from cipherassay.console.progress import job_progress, say
from cipherassay.errors import UsageError, nearest

if TYPE_CHECKING:
    from cipherassay.circuits.boxes import Box
    from cipherassay.circuits.engine import Problem
    from cipherassay.circuits.sweep import Outcome


def sweep(
    boxes: Annotated[
        list[str], typer.Argument(metavar="SBOX…", help="Boxes, files, ciphers with all their boxes.")
    ],
    target: Annotated[list[str] | None, typer.Option(help="May be repeated. Default: two-input.")] = None,
    objective: Annotated[str, typer.Option(help="Metrics, the most important first.")] = "",
    seconds: Annotated[float, typer.Option(help="For each search.", min=0.1)] = 30.0,
    seed: Annotated[int, typer.Option(help="Of everything random.", min=0)] = 1,
    jobs: Annotated[int, typer.Option(help="Searches side by side.", min=1)] = 1,
    executor: Annotated[str, typer.Option(help="Where: local, dask://HOST:PORT, dask://local.")] = "local",
    fresh: Annotated[bool, typer.Option("--fresh", help="Begin anew.")] = False,
    keep: Annotated[bool, typer.Option("--keep", help="Keep what is better than the library's.")] = False,
    json: Json = False,
) -> None:
    """Search circuits of many S-boxes for several targets, side by side; what is finished is kept at once."""
    from cipherassay import jobs as runner
    from cipherassay.circuits import library
    from cipherassay.circuits.sweep import sweep as run

    problems = _problems(boxes, target or ["two-input"], metrics_of(objective), seed)
    done: list[tuple[Outcome, str]] = []

    def keep_one(outcome: Outcome) -> None:
        kept = ""
        if keep and outcome.document is not None and outcome.problem.box.family != "own":
            kept = library.keep(outcome.document).reason
        done.append((outcome, kept))

    with (
        runner.executor(executor, workers=jobs) as place,
        job_progress(f"{len(problems)} searches", quiet=json) as bar,
    ):
        try:
            run(problems, keep_one, place, seconds=seconds, fresh=fresh, progress=bar)
        except KeyboardInterrupt:
            signals.finishing()
            _report(done, problems, as_json=json)
            raise
    _report(done, problems, as_json=json)


def _problems(names: list[str], targets_: list[str], objective: tuple[str, ...], seed: int) -> list[Problem]:
    from cipherassay.circuits import targets
    from cipherassay.circuits.engine import Problem

    chosen = [box for name in names for box in _boxes(name)]
    machines = [targets.find(name) for name in targets_]
    return [Problem(box, m, m.full_objective(objective), seed) for m in machines for box in chosen]


def _boxes(name: str) -> list[Box]:
    from cipherassay.circuits import boxes

    if name in boxes.families():
        return boxes.boxes_of(name)
    try:
        return [boxes.find(name)]
    except UsageError as error:
        if "." in name:
            raise
        raise UsageError(error.code, error.message, help=nearest(name, boxes.families())) from None


def _report(done: list[tuple[Outcome, str]], problems: list[Problem], *, as_json: bool) -> None:
    from cipherassay.circuits.rows import rows

    order = {(p.box.name, p.target.name): n for n, p in enumerate(problems)}
    done.sort(key=lambda one: order[one[0].problem.box.name, one[0].problem.target.name])
    if as_json:
        found = [(o.document, o.problem) for o, _ in done if o.document]
        write_json(
            {
                "rows": [row.as_dict() for d, p in found for row in rows(d, p.box, p.target)],
                "circuits": [document.text() for document, _ in found],
                "failed": [{"box": o.problem.box.name, "error": o.error} for o, _ in done if o.error],
            }
        )
        return
    columns = ("box", "target", "objective", "circuit", "published", "stopped", "s", "library", "proof")
    show_table(columns, [_line(outcome, kept) for outcome, kept in done])
    for error in dict.fromkeys(outcome.error for outcome, _ in done if outcome.error):
        say(error)


def _line(outcome: Outcome, kept: str) -> list[Any]:
    problem, document = outcome.problem, outcome.document
    start = [problem.box.name, problem.target.name, " ".join(problem.objective)]
    if document is None:
        return [*start, "none", None, outcome.stop or "error", round(outcome.seconds, 1), kept or None, None]
    ours, theirs = document.metrics, document.published
    return [
        *start,
        " ".join(f"{ours[m]:g}" for m in problem.objective if m in ours),
        " ".join(f"{theirs[m]:g}" for m in problem.objective if m in theirs) or None,
        outcome.stop,
        round(outcome.seconds, 1),
        kept or None,
        document.proof.state,
    ]
