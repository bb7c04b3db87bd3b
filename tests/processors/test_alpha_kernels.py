"""Kernels of the Alpha 21164A: checked by qemu-alpha, in its blocks, with its data cache."""

from __future__ import annotations

from functools import cache

import pytest

from cipherassay import processors
from cipherassay.ciphers import load
from cipherassay.processors import caching, checking, exploring, library, making, narrowing, references
from cipherassay.processors.kernel import Choice, Kernel
from cipherassay.processors.oracles import Qemu, assemble
from cipherassay.processors.out_of_order import random_inputs
from cipherassay.processors.simulating import call, footprint
from cipherassay.processors.simulating import load as machine_of
from cipherassay.strategies import load as strategy

ALPHA = "alpha-21164a"
WORDS = Choice("straight", window=96)
MASKED = Choice("straight-64-masked", avoid=("and",), window=64)
TABLES = Choice("straight-64", avoid=("and",), window=64)


@cache
def _kernel(cipher: str, operation: str, choice: Choice) -> Kernel:
    return making.make(load(cipher), operation, processors.load(ALPHA), choice, restarts=0)


KERNELS = [
    ("e2", "encrypt", MASKED),
    ("e2", "decrypt", MASKED),
    ("rijndael", "key_setup_encrypt", WORDS),
    ("mars", "encrypt", WORDS),
    ("rc6", "decrypt", WORDS),
    ("rijndael", "encrypt", WORDS),
    ("serpent", "encrypt", Choice("straight", "two-alu")),
    ("twofish", "encrypt", WORDS),
]


@pytest.mark.parametrize(("cipher", "operation", "choice"), KERNELS)
def test_qemu_runs_it(cipher: str, operation: str, choice: Choice) -> None:
    oracle = Qemu.of("alpha")
    if why := oracle.available():
        pytest.skip(why)
    made = _kernel(cipher, operation, choice)
    calls = list(random_inputs(made, 10, 1))
    expected = [[list(r) for r in made.program.evaluate(made.function, one)] for one in calls]
    assert oracle.run(made.text, made.interface, calls) == expected
    words = made.assembly["operations"] + made.assembly["nops"]
    assert 0 <= assemble(made.text, "alpha").bytes - 4 * words < 32, "the section ends aligned"


@pytest.mark.parametrize("cipher", ["e2", "mars", "rc6", "serpent", "twofish"])
def test_qemu_runs_key_setup_fitted_to_the_registers(cipher: str) -> None:
    oracle = Qemu.of("alpha")
    described, processor = load(cipher), processors.load(ALPHA)
    choice = library.kept(described, "key_setup_both", ALPHA, 128, "", "unrolled")
    assert choice is not None
    assert choice.spill
    made = making.make(described, "key_setup_both", processor, choice)
    assert made.cycles >= (made.bound or 0)
    checking.check(made, described, inputs=2)
    if why := oracle.available():
        pytest.skip(why)
    calls = list(random_inputs(made, 10, 1))
    expected = [[list(r) for r in made.program.evaluate(made.function, one)] for one in calls]
    assert oracle.run(made.text, made.interface, calls) == expected


@pytest.mark.parametrize(("cipher", "operation", "choice"), KERNELS)
def test_the_simulator_takes_the_cycles_of_the_schedule(cipher: str, operation: str, choice: Choice) -> None:
    made = _kernel(cipher, operation, choice)
    found = checking.check(made, load(cipher), inputs=2, answers=1)
    assert found.answers == 0 if operation.startswith("key") else found.answers > 0
    if not caching.may_miss(made):
        assert found.cycles == found.most == made.cycles <= made.planned


def test_what_issues_together_stands_in_one_block() -> None:
    made = _kernel("rc6", "decrypt", WORDS)
    cycles: dict[int, set[int]] = {}
    lines = [line for line in made.text.splitlines() if line.startswith("\t") and not line.startswith("\t.")]
    for place, line in enumerate(lines):
        _, _, cycle = line.rpartition("# ")
        if cycle.isdigit():
            cycles.setdefault(int(cycle), set()).add(place // 4)
    assert len(cycles) > 300
    assert all(len(blocks) == 1 for blocks in cycles.values())


def test_the_cache_decides_between_tables_and_masks() -> None:
    tables, masks = _kernel("e2", "encrypt", TABLES), _kernel("e2", "encrypt", MASKED)
    assert footprint(masks.interface) < 8192 < footprint(tables.interface)
    assert not caching.may_miss(masks)
    assert caching.may_miss(tables)
    assert tables.planned < masks.cycles < tables.cycles == tables.simulated


def test_e2_by_the_recipe_of_its_authors() -> None:
    """Their 2 KiB with masks: 587 cycles at 1.73 instructions a cycle; both directions alike."""
    encrypt, decrypt = _kernel("e2", "encrypt", MASKED), _kernel("e2", "decrypt", MASKED)
    assert encrypt.cycles == pytest.approx(587, rel=0.1)
    assert encrypt.operations / encrypt.cycles == pytest.approx(1.73, rel=0.1)
    assert decrypt.cycles == pytest.approx(encrypt.cycles, rel=0.05)


def test_the_kept_kernel_of_e2_takes_no_more_than_the_paper() -> None:
    cipher = load("e2")
    choice = library.kept(cipher, "encrypt", ALPHA, 128, "", "unrolled")
    assert choice is not None
    made = making.make(cipher, "encrypt", processors.load(ALPHA), choice)
    paper = references.printed("E2", "encrypt", ALPHA, key_bits=128)
    assert paper is not None
    assert made.cycles <= paper.value == 587


def test_a_limited_look_ahead_needs_fewer_registers() -> None:
    """Without it, list scheduling finds no short schedule that fits the registers."""
    far = _kernel("e2", "encrypt", Choice("straight-64", avoid=("and",)))
    assert _kernel("e2", "encrypt", TABLES).cycles < far.cycles
    assert narrowing.windows(processors.load(ALPHA)) == (0, 64, 96)
    assert narrowing.windows(processors.load("mckinley")) == (0,)
    assert narrowing.windows(processors.load("pa8500")) == (0,)


def test_misses_are_counted_and_named() -> None:
    made = _kernel("e2", "encrypt", TABLES)
    machine = machine_of(made.text, made.processor)
    (arguments,) = random_inputs(made, 1, 1)
    _, run = call(machine, made.interface, arguments, mode="cycles")
    assert run.misses > 20
    assert run.stalls["miss"] > 0
    _, hits = call(machine_of(made.text, made.processor, cache=False), made.interface, arguments, mode="cycles")
    assert (hits.misses, hits.cycles) == (0, made.planned)


def test_double_words_are_for_registers_of_64_bits() -> None:
    assert strategy("straight-64").word_bits == 64
    cipher = load("e2")
    names = {one.strategy for one in exploring.choices(cipher, "encrypt")}
    wide = {one.strategy for one in exploring.choices(cipher, "encrypt", word_bits=64)}
    assert wide - names == {"straight-64", "straight-64-masked"}
