"""Whether the time of generated code can depend on key or data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cipherassay import strategies

if TYPE_CHECKING:
    from cipherassay.ciphers import Cipher


def is_constant_time(cipher: Cipher, key_bits: int, strategy: str, variant: str = "") -> bool:
    """Whether no address in the program that is compiled depends on key or data; it has no branches."""
    program = strategies.program(cipher, key_bits, strategy, variant)
    verdicts = (program.constant_time(function["name"]) for function in program.functions())
    return all(verdict["constant_time"] for verdict in verdicts)
