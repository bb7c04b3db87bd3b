"""Circuits as Python reads and checks them: the bindings and their errors."""

import json

import pytest

from cipherassay import _engine
from cipherassay.errors import DescriptionError, UsageError, VerificationError

XOR_AND = "circuit n: 2 -> 2\ntable 0 1 1 2\norigin own search\ny0 = x0 ^ x1\ny1 = x0 & x1\n"
TARGET = json.dumps(
    {
        "name": "two-input",
        "title": "every gate of two inputs",
        "operations": [{"name": "gate", "arity": 2}],
        "objective": ["gates"],
    }
)


def test_a_text_is_read_and_written() -> None:
    (document,) = json.loads(_engine.circuit_read(XOR_AND))
    assert document["name"] == "n"
    assert document["fields"] == [["table", "0 1 1 2"], ["origin", "own search"]]
    assert document["names"] == ["y0", "y1"]
    assert document["circuit"] == {
        "inputs": 2,
        "gates": [
            {"arity": 2, "table": 6, "operands": ["x0", "x1"]},
            {"arity": 2, "table": 8, "operands": ["x0", "x1"]},
        ],
        "outputs": ["g0", "g1"],
    }
    assert _engine.circuit_write(json.dumps(document)) == XOR_AND


def test_equations_are_written_for_a_circuit_without_any() -> None:
    (document,) = json.loads(_engine.circuit_read(XOR_AND, TARGET))
    del document["equations"]
    written = _engine.circuit_write(json.dumps(document), TARGET)
    assert written.splitlines()[3:] == ["t1 = x0 ^ x1", "t2 = x0 & x1", "y0 = t1", "y1 = t2"]
    _engine.circuit_check(written)


def test_a_wrong_circuit_shows_the_first_differing_input() -> None:
    _engine.circuit_check(XOR_AND, [0, 1, 1, 2])
    with pytest.raises(VerificationError) as raised:
        _engine.circuit_check(XOR_AND, [0, 1, 2, 2], file="n.txt")
    assert str(raised.value) == (
        "error[C104]: the circuit does not compute the box\n"
        "   = first differing input: 2; circuit: 1; box: 2\n"
        "   = circuit n of n.txt"
    )


def test_errors_show_the_line() -> None:
    with pytest.raises(DescriptionError) as raised:
        _engine.circuit_read(XOR_AND + "y1 = t5\n", file="mine.txt")
    assert str(raised.value) == (
        "error[C003]: the name `t5` is used before it has a value\n"
        "  --> mine.txt:6\n"
        "      y1 = t5\n"
        "   = help: known: x0, x1, y0, y1"
    )
    with pytest.raises(DescriptionError) as raised:
        _engine.circuit_check("y0 = x0 & x1")
    assert raised.value.code == "C105"
    with pytest.raises(DescriptionError) as raised:
        _engine.circuit_write('{"name": "n", "circuit": {"inputs": 2, "gates": [], "outputs": ["g0"]}}')
    assert str(raised.value) == "error[C304]: the circuit cannot be read: `g0` is no wire here"


def test_questions_to_the_search_are_checked() -> None:
    problem = {"table": [0, 1, 1, 2], "outputs": 2, "target": json.loads(TARGET), "objective": ["gats"]}
    with pytest.raises(UsageError) as raised:
        _engine.circuit_units(json.dumps(problem), "no-such-engine")
    assert raised.value.message == "there is no search engine `no-such-engine`"
    assert raised.value.code == "C302"
    for engine in json.loads(_engine.circuit_engines()):
        with pytest.raises(UsageError) as raised:
            _engine.circuit_units(json.dumps(problem), engine["name"])
        assert raised.value.message == "`gats` is no metric of a circuit"
