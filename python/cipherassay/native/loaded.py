"""A compiled cipher in this process: the functions behind ``struct assay_cipher`` of harness/assay.h."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cipherassay.errors import ToolError, UsageError
from cipherassay.lang.shapes import BACKWARDS, Direction

_ALIGNMENT = 64

_Key = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
_Block = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
_Release = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class CipherStructure(ctypes.Structure):
    """``struct assay_cipher``."""

    _fields_ = (
        ("context_bytes", ctypes.c_size_t),
        ("block_bytes", ctypes.c_size_t),
        ("encrypt_key", _Key),
        ("decrypt_key", _Key),
        ("encrypt", _Block),
        ("decrypt", _Block),
        ("release", _Release),
    )


class Context:
    """A key context: zeroed, aligned memory, freed with what it points to."""

    def __init__(self, size: int, release: Callable[[int], None] | None) -> None:
        self._memory = ctypes.create_string_buffer(size + _ALIGNMENT)
        start = ctypes.addressof(self._memory)
        self.address = start + -start % _ALIGNMENT
        self._release = release

    def __del__(self) -> None:
        if self._release is not None:
            self._release(self.address)


class LoadedCipher:
    """One cipher of a shared library; ``output_bytes`` where outputs are not as long as blocks.

    Raises
    ------
    ToolError
        ``N010``: the library cannot be loaded, or does not hold the cipher.
    """

    def __init__(self, library: Path, symbol: str, output_bytes: int = 0) -> None:
        try:
            self._library = ctypes.CDLL(str(library))
            self.structure = CipherStructure.in_dll(self._library, symbol)
        except (OSError, ValueError) as error:
            raise ToolError("N010", f"`{library.name}` cannot be used", notes=[str(error)]) from None
        self.context_bytes = int(self.structure.context_bytes)
        self.block_bytes = int(self.structure.block_bytes)
        self.output_bytes = output_bytes or self.block_bytes

    @property
    def address(self) -> int:
        """Where the structure is, for the measuring loop."""
        return ctypes.addressof(self.structure)

    def function(self, direction: Direction) -> Any:
        """Return the function that computes a direction."""
        return self.structure.decrypt if direction in BACKWARDS else self.structure.encrypt

    def new_context(self) -> Context:
        """Return zeroed memory for a key."""
        release = self.structure.release
        return Context(self.context_bytes, release if release else None)

    def accepts(self, key_bits: int) -> bool:
        """Tell whether the implementation takes keys of this size in each direction."""
        context, key = self.new_context(), bytes(key_bits // 8)
        setups = [one for one in (self.structure.encrypt_key, self.structure.decrypt_key) if one]
        return not any(setup(context.address, key, key_bits) for setup in setups)

    def keys(self, key: bytes, direction: Direction, context: Context | None = None) -> Context:
        """Set up a key.

        Raises
        ------
        UsageError
            ``N011``: the implementation refuses a key of this length.
        """
        context = context or self.new_context()
        set_key = self.structure.decrypt_key if direction in BACKWARDS else self.structure.encrypt_key
        if set_key and set_key(context.address, key, 8 * len(key)):
            raise UsageError("N011", f"a key of {8 * len(key)} bits is refused by the compiled code")
        return context
