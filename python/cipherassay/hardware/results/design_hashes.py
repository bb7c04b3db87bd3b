"""Hashes of devices' Verilog, kept by what it is made from: what was written once need not be built again."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from cipherassay.errors import DescriptionError, error_document, error_of
from cipherassay.hardware.rtl import build
from cipherassay.hardware.rtl.hashes import verilog_hash
from cipherassay.hardware.tools import cached
from cipherassay.jobs import Producer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cipherassay.lang.cipher import Cipher

_DESIGN = Producer("design", 1, ("cipherassay.hardware.rtl.hashes",), ("rtl",))


def design_hash(
    cipher: Cipher, architecture: str, key: str, direction: str, strategy: str, variant: str = ""
) -> str:
    """Return the hash of the Verilog of a cipher's device (`verilog_hash`).

    It depends on the programs, the strategy, the code from there to a device and the engine; a device is
    built where one of these is new.

    Raises
    ------
    AssayError
        Whatever `build.build` raises.
    """
    # A refusal names places in the file.
    name = cached.key(**_DESIGN.inputs(
        file=cipher.file, strategy=repr(build.strategy(strategy)),
        device=[architecture, key, direction, variant], cipher=[cipher.slug, cipher.name, cipher.source],
        programs=build.program_hashes(cipher, key, strategy, variant),
    ))  # fmt: skip
    device = (cipher, architecture, key, direction, strategy, variant)

    def made() -> str:
        try:
            return verilog_hash(build.build(*device))
        except DescriptionError as refused:  # for as long as nothing changes
            return json.dumps(error_document(refused))

    found = cached.CACHE.made(name, made)
    if found.startswith("{"):
        raise error_of(json.loads(found))
    return found


def distinct(
    cipher: Cipher, architecture: str, key: str, direction: str, strategies: Sequence[str], variant: str
) -> dict[str, str]:
    """Return the hashes of a cipher's devices by strategies, equal ones once, as `exploring.distinct`."""
    from cipherassay.hardware.synthesis import exploring

    found: dict[str, str] = {}
    for name in exploring.wanted(strategies, cipher, architecture):
        one = design_hash(cipher, architecture, key, direction, name, variant)
        if one not in found.values():
            found[name] = one
    return found
