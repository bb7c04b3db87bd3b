"""Programs in their text form, run by the reference evaluator."""

from __future__ import annotations

from collections.abc import Sequence

from cipherassay._engine import Program
from cipherassay.circuits.emitted import EmittedText, Run, refused
from cipherassay.circuits.emitted.slices import input_words, values_of
from cipherassay.errors import AssayError


def run_program(items: Sequence[EmittedText]) -> list[Run]:
    """Evaluate each program's function on bit-sliced words."""
    return [Run("the reference evaluator", tuple(_values(item) for item in items))]


def _values(item: EmittedText) -> tuple[int, ...]:
    try:
        program = Program.parse(item.text)
        (function,) = program.mirror().function_list
        width = function.results[0].bits
        calls = input_words(item.box.inputs, width)
        results = [[_word(w) for w in program.evaluate(function.name, call)] for call in calls]
    except (AssayError, ValueError) as error:
        raise refused(item, item.language, "the reference evaluator", str(error).splitlines()) from None
    return values_of(results, item.box.inputs, width)


def _word(value: int | list[int]) -> int:
    if isinstance(value, list):
        raise ValueError("a result is an array")
    return value
