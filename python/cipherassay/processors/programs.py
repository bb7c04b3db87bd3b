"""Programs of kernels: a strategy's passes, then words fitted to the registers of a processor."""

from __future__ import annotations

from cipherassay import strategies
from cipherassay._engine import Program
from cipherassay.lang.cipher import Cipher
from cipherassay.processors.kernel import Choice

_programs: dict[tuple[str, ...], Program] = {}


def program_of(cipher: Cipher, key_bits: int, choice: Choice, variant: str, word_bits: int) -> Program:
    """Return the program of a choice for registers of so many bits, made once.

    Pointers and instructions are not its matter. Words wider than a register are split into several; the
    elements of arrays of such words become rows.
    """
    passes = {text.split(":")[0] for text in strategies.load(choice.strategy).passes}
    without = sorted(passes.intersection(choice.avoid))
    name = (
        str(cipher.file), str(key_bits), choice.strategy, choice.circuits, variant, choice.key,
        str(word_bits), *without,
    )  # fmt: skip
    if name not in _programs:
        key = bytes.fromhex(choice.key) if choice.key else None
        made = strategies.program(cipher, key_bits, choice.strategy, variant, key, choice.circuits, without)
        _programs[name] = fitting_words(made, word_bits)
    return _programs[name]


def fitting_words(program: Program, word_bits: int) -> Program:
    """Return a program whose words fit registers of so many bits: the same where they do."""
    fitting = program.passes([f"machine-words:width={word_bits}"])
    if fitting.text() == program.text():
        return program
    return fitting.passes(strategies.pipeline("clean-up"))
