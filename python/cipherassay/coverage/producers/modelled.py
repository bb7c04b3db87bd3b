"""Straight-line code of modelled processors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from cipherassay.coverage.level import Level, of_main_operation

if TYPE_CHECKING:
    from cipherassay.jobs import Executor, Job, Rows
    from cipherassay.lang.cipher import Cipher

ORDER = 3


def levels() -> Sequence[Level]:
    """Return a level for each modelled processor that choices are kept for."""
    from cipherassay.processors import library

    def level(name: str) -> Level:
        title = f"{name}, cycles a block"
        return Level(name, "processors", title, partial(_jobs, name), of_main_operation("cycles"))

    return [level(name) for name in library.processors()]


def _jobs(name: str, cipher: Cipher, quick: bool, place: Executor) -> Sequence[Job[Rows]]:
    """Return one kernel: of the kept choice; if quick and none is kept, of the first one to try."""
    from cipherassay.processors import exploring, report_list, rows
    from cipherassay.processors.kernel import FORMS

    operation = cipher.directions[0]
    for form in FORMS:
        request = report_list.request(cipher, operation, name, form=form)
        width = request.processor.word_bits
        if names := exploring.strategies_for(cipher, operation, form, word_bits=width):
            break
    if quick and names and request.kept() is None:
        choices = exploring.choices(cipher, operation, form, word_bits=width)
        request = replace(request, choice=choices[0], configuration=f"{form}, one choice")
    return [rows.job(request)]
