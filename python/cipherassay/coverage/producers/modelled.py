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
    from cipherassay.processors import exploring, report_list, rows
    from cipherassay.processors.kernel import FORMS

    requests = [report_list.request(cipher, cipher.directions[0], name, form=form) for form in FORMS]
    if quick:
        return [_quick_job(requests)]
    width = requests[0].processor.word_bits
    tried = (exploring.choices(cipher, one.operation, one.form, word_bits=width) for one in requests)
    # Loops where straight-line code is too long for every strategy.
    found = next((one for one, choices in zip(requests, tried, strict=True) if choices), None)
    return [rows.job(found or replace(requests[-1], choice=_as_compiled(cipher)[0]))]


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
    from cipherassay.processors import exploring, making, rows

    cipher, width = requests[0].cipher, requests[0].processor.word_bits
    tried = [exploring.choices(cipher, one.operation, one.form, word_bits=width)[:1] for one in requests]
    ways = [(one, choice) for one, choices in zip(requests, tried, strict=True) for choice in choices]
    ways += [(requests[-1], choice) for choice in _as_compiled(cipher)]
    refused = Rows([])
    for one, choice in ways:
        name = f"{one.form}, one choice"
        request = replace(one, choice=one.kept() or choice, configuration=name, effort=making.QUICK)
        made = rows.job(request).work()
        if made.rows and reason_in(made.rows) is None:
            return made
        refused = refused if refused.rows else made
    return refused


def _as_compiled(cipher: Cipher) -> list[Choice]:
    """Return the choices for what no other strategy does anything to: the program as it is compiled."""
    from cipherassay import strategies
    from cipherassay.processors.kernel import Choice

    known = map(strategies.load, strategies.names())
    plain = [one for one in known if one.for_processors and one.as_compiled]
    return [Choice(one.name) for one in plain if strategies.serves(one, cipher)]
