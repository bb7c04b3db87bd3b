"""The kinds of description: which functions each has, and which of them make keys for which."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from typing import Literal, cast

Direction = Literal["encrypt", "decrypt", "permute", "inverse", "evaluate"]


@dataclass(frozen=True)
class Shape:
    """A kind of description.

    Parameters
    ----------
    kind : str
        What messages call it.
    forward, backward : str
        What it does with a block, and what undoes that; a description may have no `backward`. Empty: nothing
        is named as what undoes it.
    schedules : tuple of str
        What makes the keys of both: the first always, the second where `backward` needs other keys. Empty:
        there is no key.
    block : str
        The parameter that says how many bits a block has.
    """

    kind: str
    forward: Direction
    backward: Direction | Literal[""]
    schedules: tuple[str, ...]
    block: str

    @property
    def roles(self) -> tuple[str, ...]:
        """All functions that it may have, what makes keys first."""
        return (*self.schedules, self.forward, *filter(None, [self.backward]))

    @property
    def required(self) -> tuple[str, ...]:
        """The functions that it must have."""
        return (*self.schedules[:1], self.forward)


BLOCK_CIPHER = Shape(
    "cipher", "encrypt", "decrypt", ("key_schedule", "key_schedule_decrypt"), "block_bits"
)
PERMUTATION = Shape("permutation", "permute", "inverse", (), "state_bits")
FUNCTION = Shape("function", "evaluate", "", ("key_schedule",), "output_bits")
FUNCTION_WITHOUT_KEY = Shape("function", "evaluate", "", (), "output_bits")
SHAPES = (BLOCK_CIPHER, PERMUTATION, FUNCTION, FUNCTION_WITHOUT_KEY)

BLOCK_OPERATIONS: tuple[str, ...] = tuple(
    dict.fromkeys(one for shape in SHAPES for one in (shape.forward, shape.backward) if one)
)
"""The functions from a block to a block; all others make keys."""
BACKWARDS: tuple[str, ...] = tuple(shape.backward for shape in SHAPES if shape.backward)
"""Those that undo the others."""
NOUNS = {
    "encrypt": "encryption", "decrypt": "decryption", "permute": "permutation", "inverse": "inverse",
    "evaluate": "function",
}  # fmt: skip
"""What text calls the functions on blocks."""
ROLES: tuple[str, ...] = tuple(role for shape in SHAPES for role in shape.roles)


def function_for(operation: str, functions: Container[str]) -> str:
    """Return which of these functions does an operation: ``permute``, ``key_setup_encrypt``,
    ``key_setup_both``; the name of a function that is not among them where none does."""
    if operation in BLOCK_OPERATIONS:
        return operation
    return schedule_for(direction_of(operation), functions) or BLOCK_CIPHER.schedules[0]


def direction_of(operation: str) -> Direction:
    """Return the direction that an operation computes, or makes the keys of: of both, the forward one."""
    return cast(Direction, operation.removeprefix("key_setup_").replace("both", BLOCK_CIPHER.forward))


def schedule_for(direction: str, functions: Container[str]) -> str:
    """Return which of these functions makes the keys of a direction; empty: none does."""
    own = next((s.schedules[1] for s in SHAPES if s.backward == direction and s.schedules), "")
    shared = next((s.schedules[0] for s in SHAPES if direction in s.roles and s.schedules), "")
    return next((one for one in (own, shared) if one and one in functions), "")
