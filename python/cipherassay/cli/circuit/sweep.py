"""`assay circuit search` of several boxes or targets, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from cipherassay import signals
from cipherassay.console.output import show_table, write_json
from cipherassay.console.progress import job_progress, say
from cipherassay.errors import UsageError, nearest

if TYPE_CHECKING:
    from cipherassay.circuits.boxes import Box
    from cipherassay.circuits.engine import Problem
    from cipherassay.circuits.sweep import Outcome


def metrics_of(text: str) -> tuple[str, ...]:
    """Return the metrics of an objective as the command line has it; raises ``C202`` for what is none."""
    from cipherassay.circuits.metrics import METRICS

    asked = tuple(word for word in text.replace(",", " ").split() if word)
    for metric in asked:
        if metric not in METRICS:
            raise UsageError("C202", f"`{metric}` is no metric of a circuit", help=nearest(metric, METRICS))
    return asked


def sweep(
    boxes: Sequence[str], targets: Sequence[str], metrics: tuple[str, ...], *, seconds: float, seed: int,
    jobs: int, executor: str, fresh: bool, keep: bool, json: bool,
) -> None:  # fmt: skip
    """Search circuits of several S-boxes for several targets; what is finished is kept at once."""
    from cipherassay import jobs as runner
    from cipherassay.circuits import library
    from cipherassay.circuits.sweep import sweep as run

    problems = _problems(boxes, targets, metrics, seed)
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


def _problems(
    names: Sequence[str], targets_: Sequence[str], objective: tuple[str, ...], seed: int
) -> list[Problem]:
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
