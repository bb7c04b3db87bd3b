"""A listing of intermediate values of our own: each variable of a cipher's functions, under its own name.

Layout: sections ``KEYSIZE=``; ``KEY``, the key schedule, ``PT``, encryption, ``CT``, decryption, ``PT``. A
line is ``i=3 t=8228CA1A``: the counters of the loops around it, the variable, its new value. A helper's
variables carry its name (``E.M``); a list of bytes is one string; of an array only new elements are shown.
Strings are in the byte order of the description.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cipherassay.ciphers import Cipher
from cipherassay.vectors.plain_trace import Assignment, plain_trace

_TEXT = bytes.fromhex("00112233445566778899AABBCCDDEEFF")


def test_key(key_bits: int) -> bytes:
    """Return the key that the listing uses: bytes 00, 01, 02 …"""
    return bytes(range(key_bits // 8))


def test_text(block_bytes: int) -> bytes:
    """Return the block that the listing uses: bytes 00, 11, 22 … FF, and again."""
    return (_TEXT * block_bytes)[:block_bytes]


def listing(cipher: Cipher, variant: str, key_bits: int, key: bytes, text: bytes) -> Iterator[str]:
    """Yield the lines of one key size; `key` and `text` are in the byte order of the description."""
    keys, trace = plain_trace(cipher, "key_schedule", [key], variant)
    yield from ("", f"KEYSIZE={key_bits}", "", f"KEY={key.hex().upper()}", "")
    yield from _lines(cipher, "key_schedule", trace, variant)
    output, trace = plain_trace(cipher, "encrypt", [keys, text], variant)
    yield from ("", f"PT={text.hex().upper()}")
    yield from _lines(cipher, "encrypt", trace, variant)
    yield f"CT={output.hex().upper()}"
    if "decrypt" in cipher.directions:
        yield from _decryption(cipher, variant, key, keys, output)
    yield from ("", "==========")


def _decryption(cipher: Cipher, variant: str, key: bytes, keys: Any, output: bytes) -> Iterator[str]:
    if cipher.author_function("key_schedule_decrypt", variant) is not None:
        keys, trace = plain_trace(cipher, "key_schedule_decrypt", [key], variant)
        yield ""
        yield from _lines(cipher, "key_schedule_decrypt", trace, variant)
    again, trace = plain_trace(cipher, "decrypt", [keys, output], variant)
    yield from ("", f"CT={output.hex().upper()}")
    yield from _lines(cipher, "decrypt", trace, variant)
    yield f"PT={again.hex().upper()}"


def _lines(cipher: Cipher, role: str, trace: list[Assignment], variant: str) -> Iterator[str]:
    author = cipher.author_function(role, variant)
    main = author.__code__.co_name if author is not None else role
    for moment in trace:
        counters = "".join(f"{name}={number} " for name, number in moment.counters)
        helper = "" if moment.function == main else f"{moment.function}."
        for name, value in _values(moment):
            yield f"{counters}{helper}{name}={value}"


def _values(moment: Assignment) -> Iterator[tuple[str, str]]:
    digits = (moment.width + 3) // 4
    count = len(moment.changed)
    together = (
        moment.width == 8
        and count > 1
        and moment.changed == tuple(range(moment.changed[0], moment.changed[0] + count))
    )
    if together:
        name = moment.name
        if count != len(moment.values):
            name = f"{moment.element(moment.changed[0])}.." + _last(moment)
        yield name, "".join(f"{moment.values[n]:02X}" for n in moment.changed)
        return
    for name, value in moment.new:
        yield name, f"{value:0{digits}X}"


def _last(moment: Assignment) -> str:
    label = moment.element(moment.changed[-1])
    return label[len(moment.name) :]
