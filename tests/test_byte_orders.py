"""Orders of bytes in words: the pass finds what NTT chose by hand for E2, and nothing changes what is computed."""

from __future__ import annotations

from functools import cache

import pytest

from cipherassay import byte_orders, operation_changes
from cipherassay.ciphers import load, of_papers
from cipherassay.errors import VerificationError
from support.command import assay

MASKS_BY_HAND = 4
"""Masks in E2's form `word-tables`: two for each transformation."""


@cache
def found(name: str, word_bits: int, form: str = "") -> byte_orders.OrderResult:
    cipher = load(name)
    return byte_orders.byte_orders(cipher, word_bits, cipher.key_bits[0], form=form)


def of(results: byte_orders.OrderResult, function: str) -> byte_orders.OrderChange:
    return next(one for one in results.functions if one.function == function)


@pytest.mark.parametrize("form", ["", "stored-inverses"])
def test_the_order_of_aoki_and_ueda_is_found(form: str) -> None:
    """Aoki and Ueda, 3.2.2: 09A345EF 812BCD67."""
    for function in ("encrypt", "decrypt"):
        lines = [line for line in found("e2", 32, form).orders if f"loop of @{function}: " in line]
        places = [5 * int(n) % 16 for line in lines for n in line.split(": ")[1].split()]
        words = ["".join(f"{n:X}" for n in reversed(places[k : k + 4])) for k in (0, 4, 8, 12)]
        assert words == ["09A3", "45EF", "812B", "CD67"]


def test_e2_costs_no_more_than_by_hand() -> None:
    by_hand, _ = byte_orders.programs(load("e2").compile(128, form="word-tables"), 32)
    results = found("e2", 32, "stored-inverses")
    for function in ("encrypt", "decrypt"):
        counted = of(results, function)
        hand = operation_changes.counts(by_hand, function, byte_orders.KINDS)
        assert counted.after["masks"] == hand["masks"] == MASKS_BY_HAND
        assert counted.after["tables"] == hand["tables"]
        assert counted.after["operations"] <= hand["operations"] < counted.before["operations"]


@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize("name", [name for name in of_papers() if name != "e2"])
def test_no_direction_gets_longer(name: str, bits: int) -> None:
    for one in found(name, bits).functions:
        assert one.saved >= 0


@pytest.mark.slow
def test_words_of_64_bits_save_too() -> None:
    results = found("e2", 64, "stored-inverses")
    assert of(results, "encrypt").saved > 0
    assert of(results, "decrypt").saved > 0


def test_the_command_says_the_same_as_json_and_as_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    done = assay(capsys, "show", "rijndael", "--byte-orders", "--json")
    assert done.code == 0
    assert {one["word_bits"] for one in done.json["saved"]} == {32, 64}
    for one in done.json["saved"]:
        assert one["saved"] == one["before"]["operations"] - one["after"]["operations"]
    done = assay(capsys, "show", "rijndael", "--byte-orders")
    assert done.code == 0
    assert "Rijndael, 128-bit keys: operations executed" in done.words


def test_orders_that_change_results_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    cipher = load("rc6")
    wrong = load("rijndael").compile(128)
    monkeypatch.setattr(byte_orders, "programs", lambda program, word_bits: (program, wrong))
    with pytest.raises(VerificationError) as refused:
        byte_orders.byte_orders(cipher, 32, 128)
    assert str(refused.value).startswith("error[S061]: RC6: the chosen orders of bytes change the result")
