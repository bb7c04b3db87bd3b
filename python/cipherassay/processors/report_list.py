"""Which kernels the report shows: those that studies ask for, and all whose choices are kept."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Protocol, cast

from cipherassay import processors, scanning
from cipherassay.jobs.key_sizes import shown
from cipherassay.lang.cipher import Cipher
from cipherassay.lang.shapes import BLOCK_OPERATIONS
from cipherassay.once import once
from cipherassay.processors import library
from cipherassay.processors.kernel import FORMS, Choice
from cipherassay.processors.requests import RECIPE, Request

OPERATIONS = ("encrypt", "decrypt", "key_setup_both")
ONE_KEY = bytes(range(16))
"""The key of code for one key: its cycles are the same for any key whose words are no short numbers."""
FULL_KEYING = "full-keying"
"""The form of ciphers with tables that depend on the key, for which code for one key was proposed."""


class KernelsModule(Protocol):
    """A study's module ``kernels``."""

    def kernels(self, chosen: Sequence[Cipher]) -> Iterable[Request]:
        """Return the kernels of ciphers that the study shows."""


def kernels(chosen: Sequence[Cipher]) -> list[Request]:
    """Return every kernel that the report shows: of processors that no study covers those that are kept."""
    studies = cast(list[KernelsModule], scanning.brought("kernels"))
    of_papers = [one for one in chosen if one.keyed]  # the papers are on ciphers
    asked = [one for study in studies for one in study.kernels(of_papers)]
    covered = {one.processor.name for one in asked if one.choice is None}
    return [*asked, *_kept(chosen, [name for name in library.processors() if name not in covered])]


def operations(cipher: Cipher) -> Iterator[tuple[str, str]]:
    """Yield the operations of a cipher that the report shows, each with its variant."""
    for operation in OPERATIONS if cipher.keyed else cipher.directions:
        yield operation, ""
    if "combined" in cipher.forms:
        yield "key_setup_encrypt", ""
    for variant in cipher.variants if cipher.keyed else ():
        yield "key_setup_both", variant


def _kept(chosen: Sequence[Cipher], names: Sequence[str]) -> Iterator[Request]:
    """Yield the kernels whose choices are kept, with the shortest keys; key setup with all that are shown."""
    for name in names:
        for cipher in chosen:
            for operation, variant in operations(cipher):
                setup = operation not in BLOCK_OPERATIONS
                for bits in shown(cipher) if setup else cipher.key_bits[:1]:
                    for form in FORMS:
                        if library.kept(cipher, operation, name, bits, variant, form):
                            yield request(cipher, operation, name, form=form, variant=variant, key_bits=bits)


@once
def _model(name: str, settings: tuple[tuple[str, str], ...]) -> processors.Processor:
    return processors.load(name, parameters=dict(settings))


def request(
    cipher: Cipher,
    operation: str,
    name: str,
    *,
    form: str = "unrolled",
    variant: str = "",
    settings: Mapping[str, str] | None = None,
    avoid: tuple[str, ...] = (),
    only: str = "",
    key_bits: int = 0,
    choice: Choice | None = None,
    key: bytes = b"",
) -> Request:
    """Return the request for a kernel.

    Parameters
    ----------
    settings : mapping
        Values of the processor's parameters that are not those of its file.
    avoid, only : tuple of str, str
        Instructions that it does without; what it has alone of those that are compared, for its row.
    key_bits : int
        Without it the cipher's shortest keys.
    choice : Choice
        What it is to be made by, because a paper describes it so.
    key : bytes
        The one key that it serves.
    """
    given = dict(settings or {})
    processor = _model(name, tuple(given.items()))
    special = f"{form}, {only} alone" if only else f"{form}, one key" if key else form
    return Request(
        cipher, operation, processor, form, variant, key_bits, avoid, choice, key,
        tuple(given.items()), RECIPE if choice else special,
    )  # fmt: skip
