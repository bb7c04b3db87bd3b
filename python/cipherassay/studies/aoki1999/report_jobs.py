"""Rows for the NTT paper's section besides cycles: table layouts, RAM against runs of the key schedule."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from cipherassay import keeping
from cipherassay.inputs import description_digest
from cipherassay.jobs import Job, Place, Producer, Rows
from cipherassay.results import Row, Store

if TYPE_CHECKING:
    from cipherassay.lang.cipher import Cipher

E2 = "e2"
WORDS = (32, 64)
"""Word widths of the paper's layouts."""
LAYOUTS = Producer("layouts", 1, ("cipherassay.layouts",), ("layout",))
CALLS = Producer("runs of the key schedule", 1, ("cipherassay.embedded.budget.counting",), ("program",))


def layout_jobs(ciphers: Sequence[Cipher]) -> Iterator[Job[Rows]]:
    """Yield the jobs of the fronts of E2's first S-box layer with P, and layouts of S alone.

    With them the times in Java that ``assay study layout --java`` left in the store.
    """
    for cipher in (one for one in ciphers if one.slug == E2):
        for bits in WORDS:
            yield Job(
                front_name(cipher, bits), f"layouts of {cipher.name} in words of {bits} bits",
                partial(_front, cipher, bits), inputs=partial(_front_inputs, cipher, bits),
                place=Place.PROCESS,
            )  # fmt: skip
            yield Job(f"layouts/{cipher.slug}-{bits}-java", "", partial(_java_times, cipher, bits))


def _front_inputs(cipher: Cipher, word_bits: int) -> dict[str, object]:
    from cipherassay.layouts import kept

    known = keeping.digest(kept.KIND, "*.json")
    return LAYOUTS.inputs(cipher=description_digest(cipher), words=word_bits, kept=known)


def front_name(cipher: Cipher, word_bits: int) -> str:
    """Return the name of the job of a cipher's fronts."""
    return f"layouts/{cipher.slug}-{word_bits}"


def _front(cipher: Cipher, word_bits: int) -> Rows:
    return Rows(front_rows(cipher, word_bits))


def front_rows(cipher: Cipher, word_bits: int, *, kept_only: bool = False) -> list[Row]:
    """Return the fronts of a cipher's layers as rows: kept ones, the others searched.

    With `kept_only` there are no rows if a front would have to be searched.
    """
    from cipherassay.layouts import find, kept, search
    from cipherassay.layouts.rows import rows, width_rows
    from cipherassay.layouts.widths import widths

    command = f"assay study layout {cipher.slug} --word-size {word_bits}"
    made: list[Row] = []
    for layer in find(cipher.compile(), "encrypt"):
        joined = layer.joined(word_bits)
        found = kept.load(cipher.slug, joined, word_bits)
        if found is None and kept_only:
            return []
        found = found or search(joined, word_bits)
        made += rows(found, cipher.name, command)
        made += width_rows(found, widths(joined, word_bits), cipher.name, command)
    return made


def _java_times(cipher: Cipher, word_bits: int) -> Rows:
    from cipherassay.layouts.java_timing import is_time
    from cipherassay.native.environment import machine_name

    kept = Store().rows(f"native/layouts-java/{cipher.slug}-")
    known = [row for row in kept if row.cipher == cipher.name and row.target == machine_name()]
    return Rows([row for row in known if is_time(row, word_bits)])


def call_jobs(ciphers: Sequence[Cipher]) -> Iterator[Job[Rows]]:
    """Yield the jobs that count bytes of RAM and runs of the key schedule for E2, all key sizes."""
    for cipher in (one for one in ciphers if one.slug == E2):
        for bits in cipher.key_bits:
            yield Job(
                f"embedded/calls/{cipher.slug}-{bits}", f"{cipher.name} {bits}, runs of the key schedule",
                partial(_calls, cipher, bits), inputs=partial(_call_inputs, cipher, bits),
                place=Place.PROCESS,
            )  # fmt: skip


def _call_inputs(cipher: Cipher, bits: int) -> dict[str, object]:
    return CALLS.inputs(cipher=description_digest(cipher), key_bits=bits)


def _calls(cipher: Cipher, bits: int) -> Rows:
    from cipherassay.embedded.budget.counting import rows

    return Rows(list(rows(cipher, bits)))
