"""What computes a cipher for a known-answer check, and the two back ends that need no compiler."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, Protocol

from cipherassay.lang.shapes import Direction, schedule_for

if TYPE_CHECKING:
    from cipherassay._engine import Program
    from cipherassay.ciphers import Cipher

BLOCK = 16
"""Bytes in a block of the ciphers that NIST called for; examples may have other sizes."""

Mode = Literal["ecb_e_m", "ecb_d_m", "cbc_e_m", "cbc_d_m"]
"""The four Monte Carlo loops, by the names of NIST's files."""

MODES: tuple[Mode, ...] = ("ecb_e_m", "ecb_d_m", "cbc_e_m", "cbc_d_m")


class Backend(Protocol):
    """One way of computing a cipher on bytes, in the byte order of the cipher's description."""

    name: str
    """``evaluator``, ``python`` or ``c``; with more words where there are several (``c, t-tables``)."""

    directions: tuple[Direction, ...]
    """What it computes of a block, forward first; a cipher may only encrypt."""

    def keys(self, key: bytes, direction: Direction) -> object:
        """Run the key schedule for one direction; the result is what the other methods take as `keys`."""

    def run(self, direction: Direction, keys: object, blocks: bytes) -> bytes:
        """Compute a direction of each block by itself; `keys` are those for this direction."""

    def chain(self, keys: object, mode: Mode, iv: bytes, block: bytes, count: int) -> tuple[bytes, bytes]:
        """Run `count` (at least 2) chained block operations and return the last output and the last but one.

        The loops are those of NIST's Monte Carlo tests (1998):

        * ``ecb_e_m``: x = E(x); ``ecb_d_m``: x = D(x), from x = `block`; `iv` is empty.
        * ``cbc_e_m``: C = E(P ^ CV); P = CV; CV = C, from P = `block`, CV = `iv`; the outputs are C.
        * ``cbc_d_m``: P = D(C) ^ CV; CV = C; C = P, from C = `block`, CV = `iv`; the outputs are P.
        """


def direction_of(mode: Mode) -> Direction:
    """Return the direction that a Monte Carlo loop runs the cipher in."""
    return "encrypt" if mode in ("ecb_e_m", "cbc_e_m") else "decrypt"


def exclusive_or(a: bytes, b: bytes) -> bytes:
    """Return the bytewise exclusive-or of two byte strings of the same length."""
    return (int.from_bytes(a) ^ int.from_bytes(b)).to_bytes(len(a))


def chain_by_blocks(
    run: Callable[[bytes], bytes], mode: Mode, iv: bytes, block: bytes, count: int
) -> tuple[bytes, bytes]:
    """Do what `Backend.chain` says with a function that computes one block in the direction of the mode."""
    last, before, vector = block, iv, iv
    for _ in range(count):
        if mode in ("ecb_e_m", "ecb_d_m"):
            last, before = run(last), last
        elif mode == "cbc_e_m":
            output = run(exclusive_or(block, vector))
            block, vector = vector, output
            last, before = output, block
        else:
            output = exclusive_or(run(block), vector)
            vector, block = block, output
            last, before = output, vector
    return last, before


class EvaluatorBackend:
    """The reference evaluator of the compiled program: the meaning that every other back end is checked by.

    `program` makes the program for a key size, where it is not the cipher's own (after a strategy's passes).
    """

    def __init__(
        self,
        cipher: Cipher,
        variant: str = "",
        form: str = "",
        program: Callable[[int], Program] | None = None,
    ) -> None:
        self.name = "evaluator" if not form else f"evaluator, form {form}"
        self.cipher, self.variant, self.form = cipher, variant, form
        self.directions = cipher.directions
        self._make = program
        self._programs: dict[int, Program] = {}

    def program(self, key_bits: int) -> Program:
        """Return the program for one key size, compiled once."""
        if key_bits not in self._programs:
            compiled = self._make or (lambda bits: self.cipher.compile(bits, self.variant, self.form))
            self._programs[key_bits] = compiled(key_bits)
        return self._programs[key_bits]

    def keys(self, key: bytes, direction: Direction) -> tuple[Program, list[Any]]:
        """Evaluate the key schedule; the result goes with the program that it belongs to."""
        program = self.program(8 * len(key))
        function = schedule_for(direction, [one["name"] for one in program.functions()])
        return program, list(program.evaluate(function, [key])) if function else []

    def run(self, direction: Direction, keys: Any, blocks: bytes) -> bytes:
        """Evaluate the direction's function on each block."""
        program, values = keys
        size, output = self.cipher.sizes
        if size == output:
            return bytes(program.run_blocks(direction, values, blocks))
        parts = (list(blocks[n : n + size]) for n in range(0, len(blocks), size))
        return b"".join(bytes(program.evaluate(direction, [*values, part])[0]) for part in parts)

    def chain(self, keys: Any, mode: Mode, iv: bytes, block: bytes, count: int) -> tuple[bytes, bytes]:
        """Run a Monte Carlo loop block by block."""
        program, values = keys
        function = direction_of(mode)
        return chain_by_blocks(
            lambda one: bytes(program.run_blocks(function, values, one)), mode, iv, block, count
        )


class PythonBackend:
    """The description run plainly, as Python: slow, and independent of the engine."""

    def __init__(self, cipher: Cipher, variant: str = "", form: str = "") -> None:
        self.name = "python" if not form else f"python, form {form}"
        self.cipher, self.variant, self.form = cipher, variant, form
        self.directions = cipher.directions

    def _run(self, function: str, *args: Any) -> Any:
        return self.cipher.run(function, *args, variant=self.variant, form=self.form)

    def keys(self, key: bytes, direction: Direction) -> Any:
        """Call the key schedule of the direction; None: there is none."""
        function = self.cipher.schedule(direction, self.variant, self.form)
        return self._run(function, key) if function else None

    def run(self, direction: Direction, keys: Any, blocks: bytes) -> bytes:
        """Call the direction's function for each block."""
        size = self.cipher.input_bits // 8
        parts = [blocks[n : n + size] for n in range(0, len(blocks), size)]
        return b"".join(self._run(direction, keys, part) for part in parts)

    def chain(self, keys: Any, mode: Mode, iv: bytes, block: bytes, count: int) -> tuple[bytes, bytes]:
        """Run a Monte Carlo loop block by block."""
        function = direction_of(mode)
        return chain_by_blocks(lambda one: self._run(function, keys, one), mode, iv, block, count)
