"""Assembly text that processors share: bytes of tables."""

from __future__ import annotations

from collections.abc import Sequence

Tables = dict[str, bytes]
"""Tables of bytes by name."""


def bytes_of(data: Sequence[int], directive: str = ".byte") -> list[str]:
    """Return the lines that hold bytes, 16 in each."""
    return [
        f"\t{directive} " + ", ".join(f"0x{x:02x}" for x in data[n : n + 16]) for n in range(0, len(data), 16)
    ]
