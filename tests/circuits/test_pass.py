"""The pass `circuits`: which circuits a program's boxes get, and that the program computes the same."""

import pytest

from cipherassay import strategies
from cipherassay._engine import Program
from cipherassay.ciphers import load
from cipherassay.circuits import engine, equation_sets, targets
from cipherassay.errors import UsageError

KEY, BLOCK = bytes(range(16)), bytes(range(100, 116))


def serpent() -> Program:
    return load("serpent").compile(128)


def operations(program: Program) -> int:
    return sum(count["static"] for count in program.statistics("encrypt").values())


def encrypted(program: Program) -> object:
    return program.evaluate("encrypt", [*program.evaluate("key_schedule", [KEY]), BLOCK])


def test_the_circuits_of_a_target_are_taken() -> None:
    literal = serpent()
    sequences = literal.passes(["circuits:target=x86-5"], strategies.circuits())
    expanded = literal.passes(["circuits"])
    assert encrypted(sequences) == encrypted(literal)
    assert operations(sequences) < operations(expanded)


@pytest.mark.parametrize("target", ["two-input", "ternary"])
def test_gates_of_any_function_become_operations_of_a_program(target: str) -> None:
    chosen = targets.find(target)
    texts = []
    for variant, document in equation_sets.equations("gladman-simpson").items():
        fitted = engine.fit(document.text(), chosen).splitlines()
        texts.append((f"{variant}.txt", "\n".join([*fitted[:2], f"target {target}", *fitted[2:]])))
    literal = serpent()
    changed = literal.passes([f"circuits:target={target}"], texts)
    assert encrypted(changed) == encrypted(literal)
    assert changed.text() != literal.passes(["circuits"]).text()


def test_an_unknown_target_is_told_with_the_nearest() -> None:
    with pytest.raises(UsageError) as raised:
        serpent().passes(["circuits:target=x86-6"], strategies.circuits())
    assert raised.value.message == "no circuit is made for the target `x86-6`"
    assert raised.value.help.startswith("did you mean `x86-5`?")


def test_sets_of_circuits_come_before_the_library() -> None:
    names = [name for name, _ in strategies.circuits()]
    inside = [name.startswith("kept/circuits/") for name in names]
    assert inside == sorted(inside)
    assert "kept/circuits/serpent/S0.x86-5.instructions.txt" in names
