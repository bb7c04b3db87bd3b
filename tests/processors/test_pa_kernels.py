"""Kernels for the PA-8500: they fit its registers, compute what their programs do, and take the simulated cycles."""

from __future__ import annotations

from functools import cache

import pytest

from cipherassay import ciphers, processors
from cipherassay.processors import checking, making, out_of_order, report_list, requests
from cipherassay.processors.kernel import Choice, Kernel
from cipherassay.processors.oracles import Qemu

CASES = [
    ("rijndael", "encrypt", "scheduled", 537, 168),
    ("mars", "encrypt", "program", 631, 538),
    ("mars", "decrypt", "scheduled", 631, 537),
    ("rc6", "key_setup_encrypt", "program", None, 1077),
    ("twofish", "key_setup_both", "program", None, 2846),
]
"""Cipher, operation, order of the text, operations and least cycles of Worley et al. (2000)."""


@cache
def _kernel(cipher: str, operation: str, order: str) -> Kernel:
    choice = Choice("fewest-operations", order=order)
    return making.make(ciphers.load(cipher), operation, processors.load("pa8500"), choice)


@pytest.mark.parametrize(("cipher", "operation", "order", "operations", "cycles"), CASES)
def test_results_and_cycles(
    cipher: str, operation: str, order: str, operations: int | None, cycles: int
) -> None:
    found = _kernel(cipher, operation, order)
    checked = checking.check(found, ciphers.load(cipher), inputs=2, answers=1)
    assert checked.cycles >= found.cycles >= (found.bound or 0)
    assert found.cycles == found.simulated
    assert found.cycles <= 1.05 * cycles
    if operations is not None:
        assert abs(found.operations / operations - 1) < 0.15


@pytest.mark.parametrize(("cipher", "operation", "order", "operations", "cycles"), CASES)
def test_an_emulator_agrees(
    cipher: str, operation: str, order: str, operations: int | None, cycles: int
) -> None:
    oracle = Qemu.of("pa-risc")
    missing = oracle.available()
    if missing:
        pytest.skip(missing)
    found = _kernel(cipher, operation, order)
    inputs = list(out_of_order.random_inputs(found, 3, 5))
    expected = [found.program.evaluate(found.function, one) for one in inputs]
    results = oracle.run(found.text, found.interface, inputs)
    for ours, expect in zip(results, expected, strict=True):
        assert [list(one) for one in ours] == [[one] if isinstance(one, int) else list(one) for one in expect]


RECIPE = {
    "rijndael": (537, 168, 539, 168), "twofish": (548, 205, 548, 200), "rc6": (577, 580, 558, 493),
    "mars": (631, 538, 632, 537), "serpent": (1273, 580, 1309, 585),
}  # fmt: skip
"""Operations and least cycles of Worley et al. (2000), of encryption and of decryption."""


@pytest.mark.parametrize("cipher", sorted(RECIPE))
def test_the_recipe_of_the_paper_takes_its_cycles(cipher: str) -> None:
    recipes = [one for one in report_list.kernels([ciphers.load(cipher)]) if one.target == "pa8500"]
    jobs = {one.operation: one for one in recipes if one.configuration == requests.RECIPE}
    encrypt, cycles, decrypt, cycles_back = RECIPE[cipher]
    for operation, wanted_ops, wanted_cycles in (
        ("encrypt", encrypt, cycles), ("decrypt", decrypt, cycles_back),
    ):  # fmt: skip
        found = jobs[operation].kernel()
        assert abs(found.cycles / wanted_cycles - 1) < 0.05
        assert abs(found.operations / wanted_ops - 1) < 0.06


def test_what_does_not_fit_is_spilled() -> None:
    found = _kernel("rc6", "key_setup_encrypt", "program")
    assert int(found.registers["gr"]) <= 28
    assert any(one.name == "spilled" for one in found.interface.objects)


def test_the_best_order_is_taken() -> None:
    orders = {order: _kernel("mars", "encrypt", order).cycles for order in ("scheduled", "program")}
    choice = Choice("fewest-operations")
    best = making.make(ciphers.load("mars"), "encrypt", processors.load("pa8500"), choice)
    assert best.cycles <= min(orders.values())
    assert best.choice.order in out_of_order.ORDERS
    if best.choice.order in orders:
        assert best.cycles == orders[best.choice.order]


def test_an_order_between_leaves_fewer_values_without_a_register() -> None:
    cipher, processor = ciphers.load("serpent"), processors.load("pa8500")
    made = {
        order: making.make(
            cipher, "key_setup_both", processor, Choice("fewest-operations", "two-alu", order=order)
        )
        for order in ("scheduled", "near program")
    }
    assert made["near program"].operations < made["scheduled"].operations
    assert made["near program"].cycles <= 668 < made["scheduled"].cycles
    checking.check(made["near program"], cipher, inputs=2)
