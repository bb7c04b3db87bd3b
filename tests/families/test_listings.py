"""Listings: each instruction at its line, with its cycle and what it comes from."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from cipherassay import ciphers, families, tools
from cipherassay.embedded import target
from cipherassay.families._listing import Block, IssuedOperation, of_schedule
from cipherassay.processors.quick import quick_kernel
from cipherassay.x86 import model
from cipherassay.x86.kernel import executed, profile, quick
from support.places import EXAMPLES

TEXT_FORMS = ("pa8500", "mckinley", "four-banger", "cortex-m3")
"""Processors whose texts have the forms of different instruction sets."""
CYCLE = re.compile(r"(?:;|//|@|#)\s*(?:cycle )?(\d+)$")


@pytest.mark.parametrize("name", TEXT_FORMS)
@pytest.mark.parametrize("operation", ["encrypt", "decrypt"])
def test_a_listing_says_where_each_instruction_stands(name: str, operation: str) -> None:
    cipher = ciphers.load(EXAMPLES / "speck.py")
    kernel = quick_kernel(cipher, operation, name, cipher.key_bits[0])
    listing = families.family_of(name).listing(name, cipher, operation, cipher.key_bits[0])
    assert listing.text == kernel.text
    text = listing.text.splitlines()
    assert len(listing.operations) == kernel.assembly["operations"]
    assert len({one.line for one in listing.operations}) == len(listing.operations)
    for one in listing.operations:
        line = text[one.line - 1]
        assert line.startswith("\t"), line
        if (stated := CYCLE.search(line)) is not None:
            assert int(stated[1]) == one.cycle, line
    mnemonics = Counter(re.sub(r"^\(\w+\) ", "", text[one.line - 1].strip()).split()[0].split(",")[0] for one in listing.operations)
    assert sum(mnemonics.values()) == len(listing.operations)
    assert "nop" not in {one.split(".")[0] for one in mnemonics}


@pytest.mark.parametrize("name", TEXT_FORMS)
def test_instructions_come_from_lines_of_the_description(name: str) -> None:
    path = EXAMPLES / "speck.py"
    cipher = ciphers.load(path)
    listing = families.family_of(name).listing(name, cipher, "encrypt", cipher.key_bits[0])
    lines = path.read_text().splitlines()
    placed = [one for one in listing.operations if one.places]
    assert len(placed) >= 0.8 * len(listing.operations)
    assert {file for one in placed for file, _ in one.places} == {"speck.py"}
    begin = next(n for n, line in enumerate(lines, 1) if "speck.encrypt" in line)
    end = next(n for n, line in enumerate(lines, 1) if "speck.decrypt" in line)
    assert all(begin < one.places[-1][1] < end for one in placed)


@pytest.mark.parametrize("name", TEXT_FORMS)
def test_the_shares_make_up_the_planned_cycles(name: str) -> None:
    cipher = ciphers.load(EXAMPLES / "speck.py")
    kernel = quick_kernel(cipher, "encrypt", name, cipher.key_bits[0])
    listing = families.family_of(name).listing(name, cipher, "encrypt", cipher.key_bits[0])
    assert sum(one.cycles for one in listing.operations) == pytest.approx(kernel.planned)
    assert sum(one.runs for one in listing.operations) >= kernel.operations


def test_a_cycle_is_divided_among_what_issues_in_it() -> None:
    issued = [
        IssuedOperation(1, (), 0, 0), IssuedOperation(2, (), 0, 0), IssuedOperation(3, (), 0, 3),
        IssuedOperation(5, (), 1, 1),
    ]  # fmt: skip
    listed = of_schedule(issued, [Block(1, 4), Block(10, 20)])
    assert [(one.line, one.cycles, one.runs) for one in listed] == [
        (1, 0.5, 1), (2, 0.5, 1), (3, 3.0, 1), (5, 20.0, 10),
    ]  # fmt: skip


OTHERS = ("pentium-ii", "avr", "h8-300", "mcs51")
"""Processors whose cycles no schedule plans."""


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("operation", ["encrypt", "key_setup_encrypt"])
def test_processors_of_other_families_have_instructions_with_lines(name: str, operation: str) -> None:
    path = EXAMPLES / "speck.py"
    cipher = ciphers.load(path)
    listing = families.family_of(name).listing(name, cipher, operation, cipher.key_bits[0])
    assert listing.facts
    text = listing.text.splitlines()
    run = [one for one in listing.operations if one.runs]
    assert len(run) > 10
    for one in listing.operations:
        assert text[one.line - 1].startswith("\t")
        assert not text[one.line - 1].strip().startswith("."), text[one.line - 1]
    lines = path.read_text().splitlines()
    roles = ["key_schedule", "encrypt", "decrypt"]
    begins = [next(n for n, line in enumerate(lines, 1) if f"speck.{role}" in line) for role in roles]
    number = roles.index(operation.replace("key_setup_encrypt", "key_schedule"))
    begin, end = begins[number], [*begins, len(lines) + 1][number + 1]
    placed = [one for one in run if one.places]
    assert sum(one.cycles for one in placed) >= 0.8 * sum(one.cycles for one in run)
    assert all(begin < one.places[-1][1] < end for one in placed)


@pytest.mark.parametrize("cipher", ["rc6", "present"])
def test_the_cycles_of_a_pentium_are_divided_among_its_instructions(cipher: str) -> None:
    kernel = quick(ciphers.load(cipher), "encrypt", model.load("pentium-ii"))
    shares = profile(kernel)
    assert sum(cycles for _, cycles, _ in shares) == pytest.approx(kernel.fitted.cycles, rel=0.02)
    assert sum(runs for runs, _, _ in shares) == executed(kernel)
    first = [retired for _, _, retired in shares if retired is not None]
    assert first == sorted(first)


@pytest.mark.skipif(
    any(not tools.find(name).place for name in ("avr-gcc", "libsimavr", "cc")),
    reason="simavr runs this: apt-get install gcc-avr binutils-avr avr-libc libsimavr-dev",
)
def test_the_cycles_of_a_small_processor_are_nearly_those_of_its_simulator() -> None:
    made = target.make(ciphers.load("present"), 80, processor="avr")
    whole = [row for row in target.measure(made) if (row.operation, row.metric) == ("encrypt", "cycles")]
    counted = sum(runs * cycles for _, runs, cycles, _ in made.assembly.instructions["encrypt"])
    # Branches count as not taken: one cycle less for every iteration of a loop.
    assert counted == pytest.approx(max(row.value for row in whole), rel=0.02)
