"""A toy block cipher for tests of the checks: an exclusive-or with the key, a rotation and an addition."""

from __future__ import annotations

from cipherassay.lang.shapes import Direction
from cipherassay.vectors.backend import BLOCK, Mode, chain_by_blocks, direction_of

_MASK = (1 << 128) - 1
_ODD = 0xB7E151628AED2A6ABF7158809CF4F3C7


class Toy:
    """A back end; `reversed_bytes` makes it read key and blocks the other way round."""

    name = "toy"
    directions: tuple[Direction, ...] = ("encrypt", "decrypt")

    def __init__(self, *, reversed_bytes: bool = False) -> None:
        self.turn = -1 if reversed_bytes else 1

    def keys(self, key: bytes, direction: Direction) -> int:
        number = int.from_bytes(key[:: self.turn])
        return (number * 0x9E3779B97F4A7C15F39CC0605CEDC835 ^ number >> 64) + _ODD & _MASK

    def run(self, direction: Direction, keys: object, blocks: bytes) -> bytes:
        assert isinstance(keys, int)
        if direction == "encrypt":
            return self._each(blocks, lambda x: self._rotated(x ^ keys, 29) + keys & _MASK)
        return self._each(blocks, lambda x: self._rotated(x - keys & _MASK, 99) ^ keys)

    def chain(self, keys: object, mode: Mode, iv: bytes, block: bytes, count: int) -> tuple[bytes, bytes]:
        direction = direction_of(mode)
        return chain_by_blocks(lambda one: self.run(direction, keys, one), mode, iv, block, count)

    @staticmethod
    def _rotated(x: int, amount: int) -> int:
        return (x << amount | x >> 128 - amount) & _MASK

    def _each(self, blocks: bytes, function: object) -> bytes:
        assert callable(function)
        parts = [blocks[n : n + BLOCK] for n in range(0, len(blocks), BLOCK)]
        return b"".join(
            function(int.from_bytes(part[:: self.turn])).to_bytes(BLOCK)[:: self.turn] for part in parts
        )
