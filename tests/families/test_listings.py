"""Listings: each instruction at its line, with its cycle and what it comes from."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from cipherassay import ciphers, families
from cipherassay.families._listing import Block, ListedOperation, Listing
from cipherassay.processors.quick import quick_kernel
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
    assert sum(share for _, share, _ in listing.shares()) == pytest.approx(kernel.planned)
    executed = sum(iterations for _, _, iterations in listing.shares())
    assert executed >= kernel.operations


def test_a_cycle_is_divided_among_what_issues_in_it() -> None:
    operations = [
        ListedOperation(1, (), 0, 0), ListedOperation(2, (), 0, 0), ListedOperation(3, (), 0, 3),
        ListedOperation(5, (), 1, 1),
    ]  # fmt: skip
    listing = Listing("", (), operations, [Block(1, 4), Block(10, 20)])
    assert [(one.line, share, runs) for one, share, runs in listing.shares()] == [
        (1, 0.5, 1), (2, 0.5, 1), (3, 3.0, 1), (5, 20.0, 10),
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["pentium-ii", "avr"])
def test_processors_of_other_families_have_a_text_and_facts(name: str) -> None:
    cipher = ciphers.load(EXAMPLES / "speck.py")
    listing = families.family_of(name).listing(name, cipher, "encrypt", cipher.key_bits[0])
    assert len(listing.text.splitlines()) > 50
    assert listing.facts
    assert list(listing.shares()) == []
