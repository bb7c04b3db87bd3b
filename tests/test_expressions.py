"""Expressions of data files: they compute what Python computes, and nothing else gets in."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from cipherassay import expressions
from cipherassay.circuits.functions import truth_table
from cipherassay.embedded.processors.avr import simulate
from cipherassay.embedded.processors.avr.simulate import Simulator
from cipherassay.errors import DescriptionError, Place, VerificationError
from cipherassay.expressions import ExpressionError, compiled

BINARY = ("+", "-", "&", "|", "^", "==", "!=", "<", ">")


def random_text(numbers: random.Random, depth: int) -> str:
    if not depth:
        return numbers.choice(("d", "r", "3", "0x1f"))
    left, right = (random_text(numbers, depth - 1) for _ in range(2))
    return numbers.choice(
        (f"({left} {numbers.choice(BINARY)} {right})", f"~({left})", f"-{left}", f"(not {left})",
         f"({left} << 2)", f"({left} >> 1)", f"{left} & {right}", f"low({left})")
    )  # fmt: skip


def test_values_are_those_of_python() -> None:
    numbers = random.Random(1)
    low = {"low": lambda n: n & 255}
    for _ in range(300):
        text = random_text(numbers, numbers.randrange(1, 5))
        values = {"d": numbers.randrange(256), "r": numbers.randrange(256)}
        assert compiled(text, values, low)(values) == eval(text, {**low, **values}), text


def test_values_may_be_arrays() -> None:
    values = {"A": np.array([12, 3], dtype=np.uint64), "B": np.array([10, 1], dtype=np.uint64)}
    found = compiled("(A & ~B) | (~A & B)", values, bitwise=True)(values)
    assert found.tolist() == [6, 2]


HOSTILE = [
    "__import__('os').system('true')", "().__class__", "d.real", "d[0]", "[d for d in range(9)]", "lambda: d",
    "d ** d", "d * d", "d if d else d", "'a'", "1.5", "print(d)", "low(d, d)", "low(*d)", "low(d=d)", "f'{d}'",
    "d < d < d", "d := 1", "d; d", "", " ", "\0", "d\n+d", "(" * 300, "~" * 500 + "d", "d" * 5000, "é", "yield d",
    "+".join("d" * 500), "await d", "d @ d", "d // 0", "True and d",
]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_texts_are_refused(text: str) -> None:
    with pytest.raises(ExpressionError):
        compiled(text, ["d"], {"low": lambda n: n})


@pytest.mark.parametrize("text", ["d << (1 << 40)", "d << d - 300", "1 << (1 << 30)"])
def test_shifts_do_not_fill_the_memory(text: str) -> None:
    with pytest.raises(ExpressionError, match="it shifts by"):
        compiled(text, ["d"])({"d": 255})


def test_functions_of_cells_take_no_arithmetic() -> None:
    assert truth_table("!(a*b+c)", "abc", Place("x")) == truth_table("~((a & b) | c)", "abc", Place("x"))
    for text in ("a - b", "a < b", "1", "low(a)", "a << b"):
        with pytest.raises(DescriptionError, match=r"error\[C204\]"):
            truth_table(text, "ab", Place("x"))
    assert expressions.compiled("a - b", "ab")({"a": 3, "b": 1}) == 2


def test_operands_of_avr_are_expressions_too() -> None:
    machine = Simulator("main:\n ldi r16, lo8(open('x'))\n ret\n")
    with pytest.raises(DescriptionError) as caught:
        machine.call("main")
    assert str(caught.value) == "error[E133]: `lo8(open('x'))` is no operand: `open('x')` may not stand in it"


def test_a_record_of_avr_with_a_hostile_expression(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    records = {**simulate.instructions(), "inc": {"cycles": 1, "result": "d.real"}}
    monkeypatch.setattr(simulate, "instructions", lambda: records)
    with pytest.raises(
        DescriptionError, match=r"error\[E132\]: `d.real` is no result: `d.real` may not stand"
    ):
        Simulator("main:\n inc r16\n ret\n").call("main")


def test_a_function_of_avr_that_does_not_return(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulate, "MOST_CYCLES", 1000)
    for text in ("main:\n rjmp main\n", "main:\n inc r16\n"):
        with pytest.raises(VerificationError, match=r"error\[E123\]: `main` does not return in"):
            Simulator(text).call("main")
