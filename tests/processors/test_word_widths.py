"""Words of 8 to 64 bits on processors of 32 and 64 bits: every operation, and random programs, in simulators and qemu."""

from __future__ import annotations

from functools import cache

import pytest

from cipherassay import _engine, processors
from cipherassay._engine import Program
from cipherassay.errors import DescriptionError
from cipherassay.processors.out_of_order import random_arguments
from support import word_widths

WIDTHS = (8, 16, 24, 32, 48, 64)
PROCESSORS = ("sifive-e31", "sifive-e31-zbb", "cortex-m3", "cortex-m4", "cortex-a53", "mckinley")
PARTLY = {"pa8500": {"M401"}, "alpha-21164a": {"M204", "M402"}}
"""Processors that refuse some, and by which codes: the PA-8500 has one register for amounts of shifts, which parts of a
word and their neighbours want for several amounts at once; the Alpha has no way for some shifts by words, and a conditional
move changes a number there that is needed again."""
REFUSED = ("M201", "M203", "M205", "M207")
"""Codes of refusals that have nothing to do with widths: addresses that wrap around by data, arrays that would have
to be copied, loops of several bodies."""


@cache
def _operations(width: int) -> Program:
    return Program.parse(word_widths.operations(width))


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("processor", PARTLY)
def test_operations_work_or_are_refused(processor: str, width: int) -> None:
    try:
        test_every_operation(processor, width)
    except DescriptionError as error:
        if error.code not in PARTLY[processor]:
            raise


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("processor", PROCESSORS)
def test_every_operation(processor: str, width: int) -> None:
    before, chosen = _operations(width), processors.load(processor)
    for function, passes in (("straight", word_widths.STRAIGHT), ("looped", word_widths.LOOPED)):
        after = word_widths.fitted(before, passes, chosen.word_bits)
        word_widths.agrees(before, after, function, chosen, word_widths.calls(width, 24, width))


def _random_program(seed: int, widths: tuple[int, ...], processor: str, size: int) -> tuple[int, int]:
    """Compare all functions of a random program; return how many there are and how many were refused."""
    before, chosen = Program.parse(_engine.generate(seed, size, widths)), processors.load(processor)
    tried = refused = 0
    for passes in (word_widths.STRAIGHT, word_widths.LOOPED):
        after = word_widths.fitted(before, passes, chosen.word_bits)
        for function in (one["name"] for one in after.functions()):
            tried += 1
            calls = list(random_arguments(before, function, 3, seed))
            try:
                word_widths.agrees(before, after, function, chosen, calls)
            except DescriptionError as error:
                if error.code not in REFUSED:
                    raise AssertionError(f"{error}\n{after.text()}") from error
                refused += 1
    return tried, refused


def _random(processor: str, widths: tuple[int, ...], seeds: range, size: int) -> None:
    found = [_random_program(seed, widths, processor, size) for seed in seeds]
    tried, refused = (sum(one[k] for one in found) for k in (0, 1))
    assert refused < tried / 2


@pytest.mark.parametrize("widths", [(8, 16), (24,), (48,), (64,)], ids=str)
@pytest.mark.parametrize("processor", PROCESSORS)
def test_random_programs(processor: str, widths: tuple[int, ...]) -> None:
    _random(processor, (1, *widths), range(4), 12)


@pytest.mark.slow
@pytest.mark.parametrize("widths", [(8, 16), (24,), (48,), (64,), (8, 24, 32, 48, 64)], ids=str)
@pytest.mark.parametrize("processor", PROCESSORS)
def test_many_random_programs(processor: str, widths: tuple[int, ...]) -> None:
    _random(processor, (1, *widths), range(100, 160), 20)
