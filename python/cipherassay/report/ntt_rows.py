"""Rows for the NTT paper's section besides cycles: table layouts, RAM against runs of the key schedule."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from cipherassay import engine_file
from cipherassay.results import Row, Store

if TYPE_CHECKING:
    from cipherassay.lang.cipher import Cipher

E2 = "e2"
WORDS = (32, 64)
"""Word widths of the paper's layouts."""


def layout_rows(ciphers: Sequence[Cipher], store: Store, *, quiet: bool = False) -> list[Row]:
    """Return the fronts of E2's first S-box layer with P, and layouts of S alone; the store keeps them.

    With them the times in Java that ``assay layout --java`` kept.
    """
    return [
        row for cipher in ciphers if cipher.slug == E2 for bits in WORDS
        for row in (*_front(cipher, bits, store, quiet), *_times(cipher, bits, store))
    ]  # fmt: skip


def _times(cipher: Cipher, word_bits: int, store: Store) -> list[Row]:
    from cipherassay.layouts.java_timing import is_time
    from cipherassay.native.environment import machine_name

    known = [row for row in store.rows() if row.cipher == cipher.name and row.target == machine_name()]
    return [row for row in known if is_time(row, word_bits)]


def _front(cipher: Cipher, word_bits: int, store: Store, quiet: bool) -> list[Row]:
    from cipherassay.cli._common import progress
    from cipherassay.layouts import find, kept, search
    from cipherassay.layouts.rows import rows, width_rows
    from cipherassay.layouts.widths import widths

    name, inputs = f"layouts/{cipher.slug}-{word_bits}", {"files": _files(cipher), "words": word_bits}
    known = store.find(name, inputs)
    if known is not None:
        return known
    command = f"assay layout {cipher.slug} --word-size {word_bits}"
    made: list[Row] = []
    with progress(f"layouts of {word_bits}-bit words", 1, quiet=quiet) as bar:
        for layer in find(cipher.compile(cipher.key_bits[0]), "encrypt"):
            joined = layer.joined(word_bits)
            found = kept.load(cipher.slug, joined, word_bits) or search(joined, word_bits)
            made += rows(found, cipher.name, command)
            made += width_rows(found, widths(joined, word_bits), cipher.name, command)
        bar.advance(1, "")
    store.put(name, inputs, made)
    return made


def _files(cipher: Cipher) -> str:
    """Return the hash of what the fronts depend on: the engine, the cipher, what finds and checks layouts."""
    package = Path(__file__).parents[1]
    files = [Path(cipher.file)]
    for folder in ("layouts", "lang", "linear"):
        files += sorted((package / folder).glob("*.py"))
    digest = hashlib.sha256(engine_file.digest().encode())
    for path in files:
        digest.update(f"{path.name}\n".encode() + path.read_bytes())
    return digest.hexdigest()


def call_rows(ciphers: Sequence[Cipher]) -> list[Row]:
    """Return bytes of RAM and runs of the key schedule for E2, all key sizes."""
    from cipherassay.embedded.budget.counting import rows

    return [row for c in ciphers if c.slug == E2 for bits in c.key_bits for row in rows(c, bits)]
