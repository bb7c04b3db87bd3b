"""What the choice of the order of bytes in words saves: operations before and after the pass `byte-orders`.

Both programs keep bytes in words and merge S-boxes with linear maps. In the second the orders of carried
bytes, of rows of keys and of the rows of matrices are chosen first; nothing else differs but what the orders
make possible.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cipherassay.errors import VerificationError

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
_INPUTS, _SEED = 4, 1


@dataclass(frozen=True)
class Ordered:
    """Operations executed by a function with bytes in the order of the source, and in the order chosen."""

    word_bits: int
    function: str
    before: dict[str, int]
    after: dict[str, int]

    @property
    def saved(self) -> int:
        """Return how many operations fewer are executed; negative where there are more."""
        return self.before["operations"] - self.after["operations"]

    def as_dict(self) -> dict[str, Any]:
        """Return it for JSON."""
        return {
            "word_bits": self.word_bits, "function": self.function,
            "before": self.before, "after": self.after, "saved": self.saved,
        }  # fmt: skip


@dataclass(frozen=True)
class Found:
    """The functions of a cipher for words of one width, and the orders found, in the pass's own words."""

    functions: tuple[Ordered, ...]
    orders: tuple[str, ...]


def byte_orders(cipher: Cipher, word_bits: int, key_bits: int, variant: str = "", form: str = "") -> Found:
    """Return what the choice of orders saves with words of 32 or 64 bits.

    Raises
    ------
    VerificationError
        ``S061``: the program with chosen orders gives other results than the one it was made from.
    """
    program = cipher.compile(key_bits, variant, form)
    before, after = programs(program, word_bits)
    _check(cipher, key_bits, program, after)
    names = [function["name"] for function in before.functions()]
    wanted = [name for name in names if name.startswith(("key_schedule", "encrypt", "decrypt"))]
    functions = [Ordered(word_bits, name, _counts(before, name), _counts(after, name)) for name in wanted]
    orders = [line for line in _facts(after) if line.startswith(("byte_order ", "byte_orders "))]
    return Found(tuple(functions), tuple(line.split(" ", 1)[1] for line in orders))


def programs(program: Program, word_bits: int) -> tuple[Program, Program]:
    """Return a program with bytes kept in words, in the order of its text and in the order chosen."""
    derive = ",derive=rotations" if word_bits == 32 else ""
    pack = f"pack-bytes:width={word_bits},layer={LAYERS[word_bits]}"
    before = program.passes([*_FIRST, pack, *_LAST])
    orders = f"byte-orders:width={word_bits}{derive}"
    after = program.passes([*_FIRST, orders, pack + derive, "fold", "share-exchanges", *_LAST])
    return before, after


def _facts(program: Program) -> list[str]:
    """Return the facts of a program, of which several may have one name, each as its name and its text."""
    found: list[str] = []
    for line in program.text().splitlines()[1:]:
        if line == "}":
            return found
        word, _, rest = line.strip().partition(" ")
        if word == "meta":
            name, _, text = rest.partition(" = ")
            found.append(" ".join(part.strip('"') for part in (name, text)))
    return found


def _counts(program: Program, function: str) -> dict[str, int]:
    executed = {kind: n["dynamic"] for kind, n in program.statistics(function).items()}
    counts = {name: sum(executed.get(kind, 0) for kind in kinds) for name, kinds in KINDS.items()}
    return {"operations": sum(executed.values()), **counts}


def _check(cipher: Cipher, key_bits: int, program: Program, changed: Program) -> None:
    """Compare ciphertexts, and back, on random keys and blocks."""
    numbers = random.Random(_SEED)
    own = {function["name"] for function in program.functions()}
    for _ in range(_INPUTS):
        key, block = numbers.randbytes(key_bits // 8), numbers.randbytes(cipher.block_bits // 8)
        results = []
        for one in (program, changed):
            given = {"encrypt": "key_schedule", "decrypt": "key_schedule"}
            if "key_schedule_decrypt" in own:
                given["decrypt"] = "key_schedule_decrypt"
            results.append(
                [one.evaluate(f, [*one.evaluate(keys, [key]), block])[0] for f, keys in given.items()]
            )
        if results[0] != results[1]:
            raise VerificationError(
                "S061",
                f"{cipher.name}: the chosen orders of bytes change the result",
                notes=[f"key {key.hex()}, block {block.hex()}"],
                help="this is a bug: please report it",
            )
