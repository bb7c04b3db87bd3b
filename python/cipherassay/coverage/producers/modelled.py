"""Straight-line code of modelled processors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from cipherassay.coverage.level import Level, of_targets
from cipherassay.jobs import Job, Rows
from cipherassay.results.refusal import reason_in

if TYPE_CHECKING:
    from cipherassay.jobs import Executor
    from cipherassay.lang.cipher import Cipher
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
    from cipherassay.processors import exploring, report_list, rows
    from cipherassay.processors.kernel import FORMS
    from cipherassay.processors.quick import as_compiled

    requests = [report_list.request(cipher, cipher.directions[0], name, form=form) for form in FORMS]
    if quick:
        return [_quick_job(requests)]
    width = requests[0].processor.word_bits
    tried = (exploring.choices(cipher, one.operation, one.form, word_bits=width) for one in requests)
    # Loops where straight-line code is too long for every strategy.
    found = next((one for one, choices in zip(requests, tried, strict=True) if choices), None)
    return [rows.job(found or replace(requests[-1], choice=next(as_compiled(cipher))))]


def _quick_job(requests: Sequence[Request]) -> Job[Rows]:
    """Return the job of the first form of which a kernel comes; what it depends on needs no program."""
    from cipherassay.inputs import known_answers_digest, published_digest
    from cipherassay.jobs.digests import text_digest
    from cipherassay.processors import making, rows
    from cipherassay.strategies import circuits_digest

    first = requests[0]

    def inputs() -> dict[str, Any]:
        return rows.PRODUCER.inputs(
            programs=rows.all_programs(first), circuits=circuits_digest(), effort=repr(making.QUICK),
            processor=text_digest(first.processor.json()), kept=[repr(one.kept()) for one in requests],
            known_answers=known_answers_digest(first.cipher, ""), published=published_digest(first.cipher),
        )  # fmt: skip

    name = f"processor/{first.processor.name}/{first.cipher.slug}-{first.operation}-quick"
    return Job(name, first.title, partial(_first_made, requests), inputs=inputs)


def _first_made(requests: Sequence[Request]) -> Rows:
    """Return the rows of the first that makes a kernel, or why the first of all does not."""
    from cipherassay.processors import rows
    from cipherassay.processors.quick import quick_requests

    refused = Rows([])
    for request in quick_requests(requests):
        made = rows.job(request).work()
        if made.rows and reason_in(made.rows) is None:
            return made
        refused = refused if refused.rows else made
    return refused
