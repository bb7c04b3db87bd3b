"""Random descriptions: called, compiled and evaluated, and as generated C, they compute the same."""

from __future__ import annotations

import pytest

from support import generated, toy


@pytest.mark.parametrize("seed", range(300))
def test_called_and_compiled_agree(seed: int) -> None:
    """Compiling compares the plain run with the evaluator; the text form comes back unchanged."""
    cipher = toy.make(generated.Description(seed).text(), keep_source=seed % 2 == 0)
    program = cipher.compile(128)
    assert type(program).parse(program.text()).text() == program.text()
