"""Emitted C and a program as kept texts: what a change does to them is seen as a difference."""

from __future__ import annotations

import pytest

from cipherassay import strategies
from cipherassay.ciphers import load
from support.golden import golden


@pytest.mark.golden
@pytest.mark.parametrize(("cipher", "strategy"), [("rc6", "direct"), ("rc6", "shortest-chains")])
def test_emitted_c(cipher: str, strategy: str) -> None:
    for name, text in strategies.emit_c(load(cipher), [128], strategy):
        golden(f"code/{strategy}/{name}", text)


@pytest.mark.golden
@pytest.mark.parametrize(("cipher", "strategy"), [("mars", "direct"), ("e2", "two-rounds")])
def test_program_text(cipher: str, strategy: str) -> None:
    program = strategies.program(load(cipher), 128, strategy)
    text = program.text()
    encrypt = text[text.index("func @encrypt(") :].split("\n}\n")[0]
    golden(f"code/{cipher}-{strategy}-encrypt.txt", encrypt + "\n}\n")
