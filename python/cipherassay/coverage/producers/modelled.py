"""Straight-line code of modelled processors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from cipherassay.coverage.level import Level, of_targets

if TYPE_CHECKING:
    from cipherassay.jobs import Executor, Job, Rows
    from cipherassay.lang.cipher import Cipher
    from cipherassay.processors.kernel import Choice

ORDER = 3
BOUNDS = frozenset({"M614"})
"""A branch does not reach the beginning of its loop: bytes of the loop and of the reach."""


def levels() -> Sequence[Level]:
    """Return a level for each modelled processor that choices are kept for: of those without limits none."""
    from cipherassay.processors import library, names

    known = names()
    return of_targets([name for name in library.processors() if name in known], "processors", _jobs, BOUNDS)


def _jobs(name: str, cipher: Cipher, quick: bool, place: Executor) -> Sequence[Job[Rows]]:
    """Return one kernel; if quick of the kept choice, or else of the first one to try, with few schedules."""
    from cipherassay.processors import exploring, making, report_list, rows
    from cipherassay.processors.kernel import FORMS

    operation = cipher.directions[0]
    requests = [report_list.request(cipher, operation, name, form=form) for form in FORMS]
    width = requests[0].processor.word_bits
    tried = [exploring.choices(cipher, operation, form, word_bits=width) for form in FORMS]
    # Loops where straight-line code is too long for every strategy.
    found = (both for both in zip(requests, tried, strict=True) if both[1])
    request, choices = next(found, (requests[-1], _as_compiled(cipher)))
    if choices and (quick or not any(tried)):
        one = request.kept() or choices[0]
        request = replace(
            request, choice=one, configuration=f"{request.form}, one choice", effort=making.QUICK
        )
    return [rows.job(request)]


def _as_compiled(cipher: Cipher) -> list[Choice]:
    """Return the choices for what no other strategy does anything to: the program as it is compiled."""
    from cipherassay import strategies
    from cipherassay.processors.kernel import Choice

    known = map(strategies.load, strategies.names())
    plain = [one for one in known if one.for_processors and one.as_compiled]
    return [Choice(one.name) for one in plain if strategies.serves(one, cipher)]
