"""Kernels that are quickly made: of the kept choice or the first that serves, with few schedules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from cipherassay import strategies
from cipherassay.errors import AssayError
from cipherassay.lang.cipher import Cipher
from cipherassay.processors import exploring, making, report_list
from cipherassay.processors.kernel import FORMS, Choice, Kernel
from cipherassay.processors.requests import Request


def quick_requests(requests: Sequence[Request]) -> list[Request]:
    """Return requests for quick kernels in the order in which they are to be tried.

    Parameters
    ----------
    requests : sequence of Request
        The same kernel in each of its forms, best form first.
    """
    cipher, width = requests[0].cipher, requests[0].processor.word_bits
    tried = [exploring.choices(cipher, one.operation, one.form, word_bits=width)[:1] for one in requests]
    ways = [(one, choice) for one, choices in zip(requests, tried, strict=True) for choice in choices]
    ways += [(requests[-1], choice) for choice in as_compiled(cipher)]
    return [
        replace(
            one, choice=one.kept() or choice, configuration=f"{one.form}, one choice", effort=making.QUICK
        )
        for one, choice in ways
    ]


def as_compiled(cipher: Cipher) -> list[Choice]:
    """Return the choices for what no other strategy does anything to: the program as it is compiled."""
    known = map(strategies.load, strategies.names())
    plain = [one for one in known if one.for_processors and one.as_compiled]
    return [Choice(one.name) for one in plain if strategies.serves(one, cipher)]


def quick_kernel(cipher: Cipher, operation: str, name: str, key_bits: int) -> Kernel:
    """Return the first quick kernel of an operation on a processor.

    Raises
    ------
    AssayError
        No form of it can be made: the error of the first.
    """
    requests = [
        report_list.request(cipher, operation, name, form=form, key_bits=key_bits) for form in FORMS
    ]
    failed: list[AssayError] = []
    for request in quick_requests(requests):
        try:
            return request.kernel()
        except AssayError as error:
            failed.append(error)
    raise failed[0]
