"""Hashes of devices' Verilog, kept by what it is made from: what was written once need not be built again."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from cipherassay import engine_file
from cipherassay.hardware import build, documents, exploring, kept

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cipherassay.lang.cipher import Cipher


def design_hash(
    cipher: Cipher, architecture: str, key: str, direction: str, strategy: str, variant: str = ""
) -> str:
    """Return the hash of the Verilog of a cipher's device (`documents.design_hash`).

    It depends on the programs, the strategy, the code from there to a device and the engine; a device is
    built where one of these is new.

    Raises
    ------
    AssayError
        Whatever `build.build` raises.
    """
    name = kept.key(
        kind="design", engine=engine_file.digest(), code=_code(), strategy=repr(build.strategy(strategy)),
        device=[architecture, key, direction, variant], cipher=[cipher.slug, cipher.name, cipher.source],
        programs=build.program_hashes(cipher, key, strategy, variant),
    )  # fmt: skip
    found = kept.find(name)
    if found is None:
        device = build.build(cipher, architecture, key, direction, strategy, variant)
        found = documents.design_hash(device)
        kept.put(name, found)
    return found


def distinct(
    cipher: Cipher, architecture: str, key: str, direction: str, strategies: Sequence[str], variant: str
) -> dict[str, str]:
    """Return the hashes of a cipher's devices by strategies, equal ones once, as `exploring.distinct`."""
    found: dict[str, str] = {}
    for name in exploring.wanted(strategies, cipher, architecture):
        one = design_hash(cipher, architecture, key, direction, name, variant)
        if one not in found.values():
            found[name] = one
    return found


@cache
def _code() -> str:
    """Return the hash of the Python code between a program and a device."""
    return kept.digest(Path(build.__file__).read_text("utf-8"))
