"""What each submitter's ``ecb_tbl`` file encrypts: one module per cipher, found by the cipher's name.

NIST asked for a test that makes the cipher use every entry of its tables and left the choice to the
submitters. A module defines ``inputs(cipher, variant, key_bits)``, which yields key and plaintext of record
1, 2, … in the byte order of the cipher's description. A cipher without tables has no module (RC6), nor has
one whose file is unknown (E2).
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator
from typing import cast

from cipherassay.ciphers import Cipher

Inputs = Callable[[Cipher, str, int], Iterator[tuple[bytes, bytes]]]


def table_test(cipher: Cipher) -> Inputs | None:
    """Return the function that yields a cipher's table test, None where there is no such test."""
    if cipher.slug not in {module.name for module in pkgutil.iter_modules(__path__)}:
        return None
    return cast(Inputs, importlib.import_module(f"{__name__}.{cipher.slug}").inputs)
