"""The kernels of all operations of a cipher that go together: their round keys are the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from cipherassay import strategies
from cipherassay._engine import Processor
from cipherassay.errors import DescriptionError
from cipherassay.lang.cipher import Cipher
from cipherassay.processors.exploring import best, strategies_for
from cipherassay.processors.kernel import Kernel, keys_function


@dataclass(frozen=True)
class Kernels:
    """A key setup for each direction, one for both where they are the same; what is done with a block, what
    undoes that.

    There is no key setup where there is no key.
    """

    cipher: Cipher
    setups: tuple[Kernel, ...]
    blocks: tuple[Kernel, ...]

    @property
    def all(self) -> tuple[Kernel, ...]:
        """All of them."""
        return (*self.setups, *self.blocks)

    @property
    def forward(self) -> Kernel:
        """What is done with a block."""
        return self.blocks[0]


def kernels(
    cipher: Cipher,
    processor: Processor,
    *,
    key_bits: int,
    variant: str = "",
    form: str = "unrolled",
    strategy: str = "",
    avoid: Sequence[str] = (),
) -> Kernels:
    """Return the kernels of all operations, bytes as in C, of strategies that start from one form.

    Raises
    ------
    DescriptionError
        ``M743``: the round keys of two operations differ; else as `cipherassay.processors.exploring.best`.
    """
    one = partial(
        best, cipher, processor=processor, key_bits=key_bits, variant=variant, form=form, avoid=avoid,
        bytes_as_in_c=True,
    )  # fmt: skip
    first, *others = cipher.directions
    forward = one(operation=first, among=[strategy] if strategy else ())
    start = strategies.load(forward.choice.strategy).form_for(cipher)

    def suitable(operation: str) -> list[str]:
        names = strategies_for(cipher, operation, form, word_bits=processor.word_bits)
        return [strategy] if strategy else [n for n in names if strategies.load(n).form_for(cipher) == start]

    blocks = (forward, *(one(operation=other, among=suitable(other)) for other in others))
    own_keys = [block for block in blocks[1:] if keys_function(block) != keys_function(forward)]
    setups = []
    for block in (forward, *own_keys) if cipher.keyed else ():
        operation = f"key_setup_{block.operation}"
        setups.append(one(operation=operation, among=suitable(operation)))
    found = Kernels(cipher, tuple(setups), blocks)
    _check_keys(found, key_bits)
    return found


def _check_keys(found: Kernels, key_bits: int) -> None:
    """Compare the round keys that each kernel's program makes; raises ``M743`` where they differ."""
    key = bytes(range(key_bits // 8))
    for setup, block in zip((*found.setups[:1], *found.setups[-1:]), found.blocks, strict=False):
        if setup.program.evaluate(setup.function, [key]) != block.program.evaluate(
            keys_function(block), [key]
        ):
            raise DescriptionError(
                "M743",
                f"{block.cipher} {block.operation} takes other round keys than {setup.operation} makes",
                notes=[f"strategies {block.choice.strategy} and {setup.choice.strategy}"],
                help="name one strategy for all operations: --strategy NAME",
            )
