"""Compiled code as a back end for known answers."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from cipherassay.errors import UsageError
from cipherassay.lang.shapes import Direction
from cipherassay.native import harness
from cipherassay.native.generated import GeneratedCode, build, generate
from cipherassay.native.loaded import Context, LoadedCipher
from cipherassay.strategies import preferred

if TYPE_CHECKING:
    from cipherassay.ciphers import Cipher

Mode = Literal["ecb_e_m", "ecb_d_m", "cbc_e_m", "cbc_d_m"]
_LOOPS: dict[str, tuple[Direction, int]] = {
    "ecb_e_m": ("encrypt", 0),
    "ecb_d_m": ("decrypt", 0),
    "cbc_e_m": ("encrypt", 1),
    "cbc_d_m": ("decrypt", 2),
}
"""The Monte Carlo loops: direction of the cipher, and the loop's number in harness/chain.c."""


class LoadedBackend:
    """A loaded implementation (generated, or a library's) that computes bytes.

    Keys are contexts that the methods only read, so that several threads can use one back end.
    """

    directions: tuple[Direction, ...] = ("encrypt", "decrypt")

    def __init__(self, cipher: LoadedCipher, name: str) -> None:
        self.name, self.cipher = name, cipher

    def keys(self, key: bytes, direction: Direction) -> Context:
        """Set up a key for one direction.

        Raises
        ------
        UsageError
            ``N011``: the implementation refuses a key of this length.
        """
        return self.cipher.keys(key, direction)

    def run(self, direction: Direction, keys: Any, blocks: bytes) -> bytes:
        """Compute a direction of each block by itself."""
        function = self.cipher.function(direction)
        size = self.cipher.block_bytes
        if len(blocks) % size:
            raise UsageError("N012", f"{len(blocks)} bytes are not a whole number of {size}-byte blocks")
        made = self.cipher.output_bytes
        output = ctypes.create_string_buffer(len(blocks) // size * made or 1)
        if made == size:
            harness.library().assay_blocks(function, keys.address, size, blocks, output, len(blocks) // size)
            return output.raw[: len(blocks)]
        for n in range(len(blocks) // size):
            given, place = blocks[n * size :][:size], ctypes.byref(output, n * made)
            harness.library().assay_blocks(function, keys.address, size, given, place, 1)
        return output.raw[: len(blocks) // size * made]

    def chain(self, keys: Any, mode: Mode, iv: bytes, block: bytes, count: int) -> tuple[bytes, bytes]:
        """Run `count` (at least 2) steps of a Monte Carlo loop; return the last output and the last but one.

        `iv` is empty for the two ECB loops; the loops are those of harness/chain.c.
        """
        direction, loop = _LOOPS[mode]
        size = self.cipher.block_bytes
        if count < 2 or len(block) != size or (loop and len(iv) != size):
            raise ValueError("a chain needs two steps, a block, and for CBC an initial vector")
        function = self.cipher.function(direction)
        last, before = ctypes.create_string_buffer(size), ctypes.create_string_buffer(size)
        harness.library().assay_chain(function, keys.address, size, loop, iv, block, count, last, before)
        return last.raw, before.raw


class CBackend(LoadedBackend):
    """The C that is generated from a cipher, compiled and loaded.

    Raises
    ------
    ToolError
        There is no C compiler, or it fails (N002 to N004).
    """

    def __init__(
        self, cipher: Cipher, *, strategy: str = "", variant: str = "", key: bytes | None = None
    ) -> None:
        code = generate(cipher, strategy=strategy, variant=variant, key=key)
        super().__init__(build(code), f"c, {strategy or preferred(cipher)}")
        self.code, self.directions = code, cipher.directions

    @classmethod
    def from_folder(cls, folder: Path, name: str, block_bytes: int) -> CBackend:
        """Compile NAME.c and NAME.h of a folder, as `assay emit c` wrote them."""
        files = tuple((f"{name}.{ending}", (folder / f"{name}.{ending}").read_text()) for ending in "ch")
        backend = cls.__new__(cls)
        backend.code = GeneratedCode(name, files, block_bytes)
        LoadedBackend.__init__(backend, build(backend.code), f"c, {folder / name}.c")
        return backend
