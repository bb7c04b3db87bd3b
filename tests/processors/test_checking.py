"""Kernels checked by the simulator: results, known answers, cycles."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from cipherassay import ciphers, processors
from cipherassay.errors import VerificationError
from cipherassay.processors import checking, report_list, rows
from cipherassay.processors.kernel import Choice, Kernel
from cipherassay.processors.making import make
from cipherassay.results import Store
from support.done import done


@pytest.fixture(scope="module")
def kernel() -> Kernel:
    return make(ciphers.load("rc6"), "encrypt", processors.load("ia64pp"), Choice("straight"), restarts=0)


def test_cycles_and_answers(kernel: Kernel) -> None:
    found = checking.check(kernel, ciphers.load("rc6"), inputs=3, answers=2)
    assert (found.cycles, found.most, found.inputs) == (kernel.cycles, kernel.cycles, 3)
    assert found.answers >= 2


def test_a_wrong_text_is_found(kernel: Kernel) -> None:
    text = kernel.text.replace("xor", "or", 1)
    wrong = replace(kernel, assembly={**kernel.assembly, "text": text})
    with pytest.raises(VerificationError) as caught:
        checking.check(wrong, ciphers.load("rc6"))
    assert caught.value.code == "M730"
    assert caught.value.message == "rc6 encrypt for ia64pp computes another result 0 than its program"


def test_wrong_cycles_are_found(kernel: Kernel) -> None:
    wrong = replace(kernel, assembly={**kernel.assembly, "cycles": kernel.cycles - 1})
    with pytest.raises(VerificationError) as caught:
        checking.check(wrong, ciphers.load("rc6"))
    assert caught.value.code == "M732"
    assert caught.value.notes == (f"its schedule has {kernel.cycles - 1}",)


def test_rows_are_kept(tmp_path: Path) -> None:
    store = Store(tmp_path)
    cipher = ciphers.load("rc6")
    asked = report_list.kernels([cipher])
    first = [rows.job(one) for one in asked if one.target == "ia64pp"][:1]
    made, left = done(first, store)
    assert left == 0
    by_metric = {row.metric: row for row in made if row.part is None}
    cycles = by_metric["cycles"]
    assert cycles.reference == 150
    assert (cycles.bound or 0) <= cycles.value
    assert by_metric["ipc"].value == by_metric["ops"].value / cycles.value
    used = sum(row.value for row in made if row.metric == "instructions")
    assert used == by_metric["ops"].value
    assert done(first, store, seconds=0) == (made, 0)
    others = [rows.job(one) for one in asked if one.target == "four-banger"][:1]
    assert done(others, store, seconds=0) == ([], 1)
    assert store.runs() == ["processor/ia64pp/rc6-encrypt-128-unrolled"]


def test_code_for_one_key_is_compared_with_the_description() -> None:
    cipher, processor = ciphers.load("rc6"), processors.load("ia64pp")
    choice = Choice("straight-for-one-key", key="00" * 15 + "01")
    made = make(cipher, "encrypt", processor, choice, restarts=0)
    assert checking.check(made, cipher, inputs=1).answers == 0
    with pytest.raises(VerificationError) as other:
        checking.check(replace(made, choice=replace(choice, key="00" * 16)), cipher, inputs=1)
    assert other.value.code == "M730"
