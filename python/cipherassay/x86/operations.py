"""All operations of a cipher on x86-32, of the form that encrypts in the fewest cycles."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from cipherassay.errors import DescriptionError
from cipherassay.x86 import model
from cipherassay.x86.kernel import Kernel, applicable, best, by_form, function_of
from cipherassay.x86.model import Model

if TYPE_CHECKING:
    from cipherassay.ciphers import Cipher


def operations(cipher: Cipher, processor: str, key_bits: int, variant: str, strategy: str) -> list[Kernel]:
    """Return the kernels of all operations: key setups where there is a key, encryption, decryption.

    Operations share the round keys: strategies may differ where they make the same ones.

    Parameters
    ----------
    processor : str
        One of `model.names`.
    strategy : str
        Empty: all that apply are tried.

    Raises
    ------
    DescriptionError
        Whatever `best` raises, if no form of the cipher has kernels.
    """
    machine = model.load(processor)
    forms = by_form(cipher, [strategy] if strategy else applicable(cipher))
    found: list[list[Kernel]] = []
    refused: list[DescriptionError] = []
    for names in forms.values():
        try:
            found.append(_of_one_form(cipher, machine, key_bits, variant, names))
        except DescriptionError as error:
            refused.append(error)
    if not found:
        raise refused[0]
    forward = cipher.shape.forward
    return min(found, key=lambda kernels: next(k.fitted.cycles for k in kernels if k.operation == forward))


def _of_one_form(
    cipher: Cipher, machine: Model, key_bits: int, variant: str, names: list[str]
) -> list[Kernel]:
    """Return key setups, what is done with blocks, all of programs that make the same round keys."""
    one = partial(best, cipher, model=machine, key_bits=key_bits, variant=variant, among=names)
    blocks = [one(operation=direction) for direction in cipher.directions]
    if not cipher.keyed:
        return blocks
    program = blocks[0].program
    schedules = [function_of(program, f"key_setup_{direction}") for direction in cipher.directions]
    setups = [one(operation="key_setup_encrypt")]
    setups += [one(operation="key_setup_decrypt")] if schedules[0] != schedules[-1] else []
    key = bytes(range(key_bits // 8))
    for kernel, schedule in [*zip(setups, schedules, strict=False), (blocks[-1], schedules[-1])]:
        if kernel.program.evaluate(schedule, [key]) != program.evaluate(schedule, [key]):
            return _of_one_form(cipher, machine, key_bits, variant, [blocks[0].strategy])
    return [*setups, *blocks]
