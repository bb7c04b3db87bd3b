"""Matrices over GF(2^8) in the fewest cycles: plans multiply, and factors save doublings."""

from __future__ import annotations

import random

import pytest

from cipherassay.embedded import avr_sums, factoring, linear
from cipherassay.embedded.code import Byte, Instruction
from cipherassay.embedded.factoring import Matrix, Plan, Weights

AVR = Weights(xor=1, double=3, copy=0.75)
MIX = ((2, 3, 1, 1), (1, 2, 3, 1), (1, 1, 2, 3), (3, 1, 1, 2))
UNMIX = ((14, 11, 13, 9), (9, 14, 11, 13), (13, 9, 14, 11), (11, 13, 9, 14))
MDS = ((0x01, 0xEF, 0x5B, 0x5B), (0x5B, 0xEF, 0xEF, 0x01), (0xEF, 0x5B, 0x01, 0xEF), (0xEF, 0x01, 0xEF, 0x5B))


def _made(plan: Plan, values: list[int], polynomial: int) -> list[int]:
    """Return what a plan makes of bytes."""
    steps, results = plan
    made = list(values)
    factors = {"double": 2, "halve": linear.half(polynomial)}
    for kind, a, b in steps:
        made.append(made[a] ^ made[b] if kind == "xor" else linear.product(factors[kind], made[a], polynomial))
    return [made[r] if r >= 0 else 0 for r in results]


def _product(rows: Matrix, values: list[int], polynomial: int) -> list[int]:
    sums = []
    for row in rows:
        total = 0
        for c, x in zip(row, values, strict=True):
            total ^= linear.product(c, x, polynomial)
        sums.append(total)
    return sums


def _kinds(plan: Plan) -> tuple[int, int]:
    """Return the exclusive ors and the other steps."""
    xors = sum(kind == "xor" for kind, _, _ in plan[0])
    return xors, len(plan[0]) - xors


@pytest.mark.parametrize(
    ("polynomial", "rows", "xors", "products"),
    [(0x11B, MIX, 12, 3), (0x11B, UNMIX, 13, 3), (0x169, MDS, 14, 8)],
)
def test_factors_save_doublings(polynomial: int, rows: Matrix, xors: int, products: int) -> None:
    plan = factoring.best(polynomial, rows, AVR)
    assert _kinds(plan) == (xors, products)
    assert factoring.cost(plan, AVR) < factoring.cost(linear.plan(polynomial, rows), AVR)
    numbers = random.Random(0)
    for _ in range(20):
        values = list(numbers.randbytes(4))
        assert _made(plan, values, polynomial) == _product(rows, values, polynomial)


@pytest.mark.parametrize("shape", [(1, 1), (2, 3), (3, 2), (2, 6)])
def test_any_matrix_is_multiplied(shape: tuple[int, int]) -> None:
    numbers = random.Random(str(shape))
    for most in (2, 4, 256):
        rows = tuple(tuple(numbers.randrange(most) for _ in range(shape[1])) for _ in range(shape[0]))
        plan = factoring.best(0x11B, rows, AVR)
        for _ in range(4):
            values = list(numbers.randbytes(shape[1]))
            assert _made(plan, values, 0x11B) == _product(rows, values, 0x11B)


def test_zeros_and_ones_are_added_in_place() -> None:
    rows = ((1, 1, 0), (0, 1, 1), (0, 0, 1))
    plan = factoring.best(0x11B, rows, AVR)
    assert _kinds(plan) == (2, 0)
    assert factoring.cost(plan, AVR) == 2  # without copies


def test_copies_are_counted_where_both_operands_are_needed_again() -> None:
    plan = ((("xor", 0, 1), ("double", 0, 0), ("xor", 1, 3)), (2, 4))
    assert factoring.cost(plan, Weights(xor=1, double=3, copy=10)) == 15


def _look_up(address: Byte, result: Byte) -> Instruction:
    return Instruction(
        ["mov r30, {1}", "ldi r31, hi8(t)", "lpm {0}, Z"], outs=[result], ins=[address], setting="t"
    )


def _xor(d: Byte, a: Byte, b: Byte) -> Instruction:
    return Instruction(["eor {0}, {1}"], tied=[(d, a)], ins=[b], commutative=True)


def _load(d: Byte, where: str) -> Instruction:
    return Instruction([f"lds {{0}}, {where}"], outs=[d], memory=("load", where.split(" +")[0]))


def test_a_round_key_is_loaded_into_z() -> None:
    block, key, sum_, result = (Byte(n) for n in "abcd")
    items = [_load(block, "x_block + 0"), _load(key, "x_keys + 3"), _xor(sum_, block, key)]
    first, look_up = avr_sums.in_z([*items, _look_up(sum_, result)])
    assert first is items[0]
    assert isinstance(look_up, Instruction)
    assert look_up.lines == ["lds r30, x_keys + 3", "eor r30, {1}", "ldi r31, hi8(t)", "lpm {0}, Z"]
    assert (look_up.ins, look_up.outs, look_up.memory) == ([block], [result], ("load", "x_keys"))


@pytest.mark.parametrize("reason", ["sum is read again", "key is read again", "key is stored to"])
def test_a_byte_that_others_need_is_not_loaded_into_z(reason: str) -> None:
    block, key, sum_, result, other = (Byte(n) for n in "abcde")
    items = [_load(key, "x_keys + 3"), _xor(sum_, block, key)]
    if reason == "key is stored to":
        items.append(Instruction(["sts x_keys + 3, {0}"], ins=[block], memory=("store", "x_keys")))
    items.append(_look_up(sum_, result))
    if "again" in reason:
        items.append(_xor(other, result, sum_ if reason.startswith("sum") else key))
    assert avr_sums.in_z(list(items)) == items
