"""Targets: what their files say, and the errors of a wrong one to the letter."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cipherassay.circuits import targets
from cipherassay.circuits.functions import truth_table
from cipherassay.errors import AssayError, Place

GOOD = 'title = "T"\nobjective = ["gates"]\n[[operation]]\nname = "and"\nfunction = "a & b"\n'


def refusal(path: Path, text: str) -> str:
    path.write_text(text)
    with pytest.raises(AssayError) as caught:
        targets.read(path)
    return str(caught.value).replace(str(path), "FILE")


@pytest.mark.parametrize("name", targets.names())
def test_every_target_can_be_read(name: str) -> None:
    target = targets.find(name)
    fields = json.loads(target.as_json())
    assert fields["name"] == name
    assert fields["operations"]


def test_functions_of_operations() -> None:
    tables = {o.name: (o.arity, o.table) for o in targets.find("and-complement").operations}
    assert tables == {"and": (2, 8), "or": (2, 14), "xor": (2, 6), "andcm": (2, 2), "not": (1, 1)}
    assert [(o.arity, o.table) for o in targets.find("ternary").operations] == [
        (3, None),
        (2, None),
        (1, None),
    ]
    x86 = targets.find("x86-5")
    assert (x86.registers, x86.two_operand) == (5, True)
    assert ("move", 1, 2) in {(o.name, o.arity, o.table) for o in x86.operations}


@pytest.mark.parametrize(
    ("expression", "operands", "table"),
    [
        ("a & ~b", "ab", 0b0010),
        ("~((a & b) | c)", "abc", 0b00000111),
        ("!(A*B+C)", "ABC", 0b00000111),
        ("a ^ b ^ c", "abc", 0x96),
        ("a | b & c", "abc", 0b11101010),
    ],
)
def test_expressions(expression: str, operands: str, table: int) -> None:
    assert truth_table(expression, list(operands), Place("here")) == table


def test_objectives_are_completed() -> None:
    target = targets.find("two-alu")
    assert target.full_objective() == ("cycles", "ops", "temps")
    assert target.full_objective(("ops",)) == ("ops", "cycles", "temps")


def test_an_unknown_target() -> None:
    with pytest.raises(AssayError) as caught:
        targets.find("two-inputs")
    assert str(caught.value) == (
        "error[C203]: unknown target `two-inputs`\n"
        f"   = help: did you mean `two-input`? (known: {', '.join(sorted(targets.names()))})"
    )


def test_an_unknown_field(tmp_path: Path) -> None:
    assert refusal(tmp_path / "t.toml", "isue_width = 2\n" + GOOD) == (
        "error[C215]: a target has no field `isue_width`\n  --> FILE\n   = help: did you mean `issue_width`? "
        "(known: issue_width, note, objective, operation, registers, source, title, two_operand)"
    )
    assert "a target has no field `latncy`" in refusal(tmp_path / "t.toml", GOOD + "latncy = 2\n")


def test_what_a_target_needs(tmp_path: Path) -> None:
    assert refusal(tmp_path / "t.toml", 'title = "T"\nobjective = ["gates"]\n') == (
        "error[C216]: the target lacks `operation`\n  --> FILE"
    )
    message = refusal(tmp_path / "t.toml", GOOD.replace('"gates"', '"gate"'))
    assert message.startswith(
        "error[C214]: the objective has no metric `gate`\n  --> FILE\n   = help: did you mean `gates`?"
    )
    assert refusal(tmp_path / "t.toml", "title = ").startswith("error[C201]: t.toml cannot be read: ")


def test_fields_that_cannot_be(tmp_path: Path) -> None:
    def of(text: str) -> str:
        return refusal(tmp_path / "t.toml", text)

    head = GOOD[: GOOD.index("[[operation]]")]
    assert of(head + "operation = 3\n") == "error[C206]: `operation` is no list of tables\n  --> FILE"
    assert of("issue_width = 'x'\n" + GOOD).startswith("error[C207]: `issue_width` has another type: ")
    assert of(GOOD + 'latency = "x"\n').startswith("error[C208]: `latency` of `and` has another type: ")
    assert of(GOOD.replace("a & b", "any") + "arity = [9]\n") == (
        "error[C209]: `arity` of `and` cannot be [9]\n  --> FILE\n   = help: 1 to 4"
    )


def test_a_function_that_is_none(tmp_path: Path) -> None:
    assert refusal(tmp_path / "t.toml", GOOD.replace("a & b", "a & q")) == (
        "error[C204]: `a & q` is no function: `q` is none of a, b, c, d\n  --> FILE\n"
        "   = help: write it with a, b, c, d and ~ & ^ | ( )"
    )
    assert "error[C204]: `a &` is no function: it is no expression\n" in refusal(tmp_path / "t.toml", GOOD.replace("a & b", "a &"))
