"""Straight-line code of modelled processors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from cipherassay.coverage.level import Level, of_targets
from cipherassay.results.refusal import reason_in

if TYPE_CHECKING:
    from cipherassay.jobs import Executor, Job, Rows
    from cipherassay.lang.cipher import Cipher
    from cipherassay.processors.kernel import Choice
    from cipherassay.processors.requests import Request

ORDER = 3
BOUNDS = frozenset({"M614"})
"""A branch does not reach the beginning of its loop: bytes of the loop and of the reach."""


def levels() -> Sequence[Level]:
    """Return a level for each modelled processor that choices are kept for: of those without limits none."""
    from cipherassay.processors import library, names

    known = names()
    return of_targets([name for name in library.processors() if name in known], "processors", _jobs, BOUNDS)


def _jobs(name: str, cipher: Cipher, quick: bool, place: Executor) -> Sequence[Job[Rows]]:
    """Return one kernel; if quick of the kept choice, else of the first that makes one, few schedules."""
    from cipherassay.processors import exploring, making, report_list, rows
    from cipherassay.processors.kernel import FORMS

    operation = cipher.directions[0]
    requests = [report_list.request(cipher, operation, name, form=form) for form in FORMS]
    width = requests[0].processor.word_bits
    tried = [exploring.choices(cipher, operation, form, word_bits=width) for form in FORMS]
    # Loops where straight-line code is too long for every strategy.
    found = [(request, choices[0]) for request, choices in zip(requests, tried, strict=True) if choices]
    if found and not quick:
        return [rows.job(found[0][0])]
    found += [(requests[-1], one) for one in _as_compiled(cipher)]
    chosen = [
        replace(
            request, choice=request.kept() or choice, configuration=f"{request.form}, one choice",
            effort=making.QUICK,
        )
        for request, choice in found
    ]  # fmt: skip
    return [_first_made(chosen)]


def _first_made(requests: Sequence[Request]) -> Job[Rows]:
    """Return the job of the first request of which a kernel comes: spilled values may lie out of reach."""
    from cipherassay.processors import rows

    jobs = [rows.job(request) for request in requests]

    def work() -> Rows:
        made = (job.work() for job in jobs)
        return next((one for one in made if reason_in(one.rows) is None and one.rows), None) or jobs[0].work()

    def inputs() -> dict[str, Any]:
        return {"first": rows.depends_on(requests[0]), "else": rows.all_programs(requests[0])}

    return replace(jobs[0], work=work, inputs=lambda: rows.PRODUCER.inputs(**inputs()))


def _as_compiled(cipher: Cipher) -> list[Choice]:
    """Return the choices for what no other strategy does anything to: the program as it is compiled."""
    from cipherassay import strategies
    from cipherassay.processors.kernel import Choice

    known = map(strategies.load, strategies.names())
    plain = [one for one in known if one.for_processors and one.as_compiled]
    return [Choice(one.name) for one in plain if strategies.serves(one, cipher)]
