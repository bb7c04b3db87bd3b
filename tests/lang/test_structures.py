"""Tables made from functions: the entries, and the functions in the program where they are asked for."""

from __future__ import annotations

import sys

import pytest

from cipherassay.ciphers import load
from cipherassay.errors import DescriptionError
from cipherassay.lang import concat, rotl, table, u8, word


def test_entries_are_what_the_function_gives() -> None:
    made = table(u8, lambda x: rotl(x, 3) ^ 5)
    assert made.data == [((x << 3 | x >> 5) & 255) ^ 5 for x in range(256)]
    assert table(word(3), lambda x: x * 3).data == [0, 3, 6, 1, 4, 7, 2, 5]


def test_a_table_of_numbers_has_no_structure() -> None:
    assert table(u8, [1, 2]).structure is None
    assert table(u8, lambda x: x).structure is not None


def test_the_program_holds_structures_where_asked_for() -> None:
    twofish = load("twofish")
    plain = [f["name"] for f in twofish.compile(128).functions()]
    assert not any("structure" in name for name in plain)
    program = twofish.compile(128, structures=True)
    assert [f["name"] for f in program.functions()] == ["q0_structure", "q1_structure", *plain]
    for name in ("q0", "q1"):
        data = getattr(sys.modules["cipherassay_cipher_twofish"], name).data
        assert [program.evaluate(f"{name}_structure", [x]) for x in range(256)] == [[y] for y in data]


@pytest.mark.parametrize("name", ["rc6", "rijndael"])
def test_a_cipher_without_structures_compiles_to_the_same(name: str) -> None:
    cipher = load(name)
    assert cipher.compile(128, structures=True).text() == cipher.compile(128).text()


def test_a_structure_of_another_width_is_refused() -> None:
    with pytest.raises(DescriptionError) as caught:
        table(u8, lambda x: concat(x, x))
    assert caught.value.code == "D049"
