"""What the choice of the order of bytes in words saves: operations before and after the pass `byte-orders`.

Both programs keep bytes in words and merge S-boxes with linear maps. In the second the orders of carried
bytes, of rows of keys and of the rows of matrices are chosen first; nothing else differs but what the orders
make possible.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from cipherassay.lang.shapes import ROLES
from cipherassay.operation_changes import Change, check, counts

if TYPE_CHECKING:
    from cipherassay._engine import Program
    from cipherassay.ciphers import Cipher

LAYERS = {32: "words", 64: "double-words"}
"""Widths of words, and how look-ups without a matrix fill them."""
KINDS = {
    "masks": ("and",),
    "moves": ("shl", "shr", "rotl", "rotr", "concat"),
    "bytes": ("extract",),
    "tables": ("lookup",),
}
"""What is counted: operations of the program by what they are for."""
_FIRST = ("inline-calls", "unroll:tag=steps,most=2000", "fold")
_LAST = ("fold", "cse", "dce")


@dataclass(frozen=True, kw_only=True)
class OrderChange(Change):
    """Operations executed by a function with bytes in the order of the source, and in the order chosen."""

    word_bits: int


@dataclass(frozen=True)
class OrderResult:
    """The functions of a cipher for words of one width, and the orders found, in the pass's own words."""

    functions: tuple[OrderChange, ...]
    orders: tuple[str, ...]


def byte_orders(
    cipher: Cipher, word_bits: int, key_bits: int, variant: str = "", form: str = ""
) -> OrderResult:
    """Return what the choice of orders saves with words of 32 or 64 bits.

    Raises
    ------
    VerificationError
        ``S061``: the program with chosen orders gives other results than the one it was made from.
    """
    program = cipher.compile(key_bits, variant, form)
    before, after = programs(program, word_bits)
    check(cipher, key_bits, program, after, "S061", "the chosen orders of bytes change")
    names = [function["name"] for function in before.functions()]
    wanted = [name for name in names if name in ROLES]
    functions = [
        OrderChange(
            word_bits=word_bits, function=name,
            before=counts(before, name, KINDS), after=counts(after, name, KINDS),
        )
        for name in wanted
    ]  # fmt: skip
    orders = [text for name, text in after.facts() if name in ("byte_order", "byte_orders")]
    return OrderResult(tuple(functions), tuple(orders))


def programs(program: Program, word_bits: int) -> tuple[Program, Program]:
    """Return a program with bytes kept in words, in the order of its text and in the order chosen."""
    derive = ",derive=rotations" if word_bits == 32 else ""
    pack = f"pack-bytes:width={word_bits},layer={LAYERS[word_bits]}"
    before = program.passes([*_FIRST, pack, *_LAST])
    orders = f"byte-orders:width={word_bits}{derive}"
    after = program.passes([*_FIRST, orders, pack + derive, "fold", "share-exchanges", *_LAST])
    return before, after
