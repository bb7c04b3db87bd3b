"""Kernels that are quickly made: of the kept choice or the first that serves, with few schedules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from cipherassay import strategies
from cipherassay.errors import AssayError
from cipherassay.lang.cipher import Cipher
from cipherassay.processors import exploring, making, report_list
from cipherassay.processors.kernel import FORMS, Choice, Kernel
from cipherassay.processors.requests import Request


def quick_requests(requests: Sequence[Request]) -> Iterator[Request]:
    """Yield requests for quick kernels in the order in which they are to be tried.

    Parameters
    ----------
    requests : sequence of Request
        The same kernel in each of its forms, best form first.
    """
    cipher, width = requests[0].cipher, requests[0].processor.word_bits
    for one in requests:
        choice = exploring.first_choice(cipher, one.operation, one.form, width)
        if choice:
            yield _quick(one, choice)
    for choice in as_compiled(cipher):
        yield _quick(requests[-1], choice)


def _quick(request: Request, choice: Choice) -> Request:
    configuration = f"{request.form}, one choice"
    return replace(
        request, choice=request.kept() or choice, configuration=configuration, effort=making.QUICK
    )


def as_compiled(cipher: Cipher) -> Iterator[Choice]:
    """Yield the choices for what no other strategy does anything to: the program as it is compiled."""
    for one in map(strategies.load, strategies.names()):
        if one.for_processors and one.as_compiled and strategies.serves(one, cipher):
            yield Choice(one.name)


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
